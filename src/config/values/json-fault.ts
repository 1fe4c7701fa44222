// Where a text stops being JSON. The messages of `JSON.parse` quote the text, which may hold secrets.
import { visit } from 'jsonc-parser';

/** Deeper than any setting: the parser calls itself for each level. */
const MAX_DEPTH = 51;

class Fault extends Error {
  /** "line 1, column 5" */
  readonly place: string;

  constructor(line: number, character: number) {
    super('not JSON');
    this.place = `line ${line + 1}, column ${character + 1}`;
  }
}

/**
 * "line 1, column 5" of the first character that is wrong; `undefined` if none is. A name that is there twice is wrong:
 * nobody knows which of its values is meant.
 */
export function jsonFault(text: string): string | undefined {
  /** The names in each object or list that is open. */
  const open: Set<string>[] = [];
  const enter = (_offset: number, _length: number, line: number, character: number): void => {
    open.push(new Set());
    if (open.length > MAX_DEPTH) throw new Fault(line, character);
  };
  const leave = (): void => void open.pop();
  const name = (key: string, _offset: number, _length: number, line: number, character: number) => {
    if (open.at(-1)?.has(key) === true) throw new Fault(line, character);
    open.at(-1)?.add(key);
  };
  const containers = {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty: name,
  };
  try {
    visit(text, { ...containers, onError: fail }, { disallowComments: true });
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.place;
    throw error;
  }
}

function fail(_error: number, _offset: number, _length: number, line: number, character: number) {
  throw new Fault(line, character);
}

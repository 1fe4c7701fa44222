// The commands about memories: the only ones that take numbers.
import { CUT } from '../session/said/asks.ts';

export interface MemoryCommand {
  readonly for: 'memory' | 'forget';
  /** Empty if there are none, or if they may be meant in more than one way. */
  readonly numbers: readonly number[];
}

/** A word of a text, and where it begins and ends. */
export interface PlacedWord {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

const NAMES: ReadonlyMap<string, MemoryCommand['for']> = new Map([
  ['memory', 'memory'],
  ['memories', 'memory'],
  ['forget', 'forget'],
]);

/** Words between a command and its numbers. GitHub shows `#3` as a link, which is cut out of what people say. */
const BETWEEN: ReadonlySet<string> = new Set([
  'memory',
  'memories',
  'number',
  'numbers',
  'no',
  'nr',
  'and',
  CUT,
]);

export const MOST_NUMBERS = 20;
/** PostgreSQL's largest `integer`: no memory has such a number. */
const LARGEST = 2 ** 31 - 1;

/** What may be between two numbers of a list, as opposed to a range or a fraction. */
const SEPARATOR = /^(?:[\s,;&#*_]|and|memory|number)*$/i;

/**
 * `undefined`: it is no command about memories. `words` are those of `text` without fillers. Other words may follow
 * the numbers of a command if `parted` says that the text between them separates the two; `isSlash`: after a number
 * too, because whoever writes that expects something to be forgotten, and not a run.
 */
export function memoryCommandIn(
  text: string,
  words: readonly PlacedWord[],
  { parted, isSlash }: { parted: (rest: string) => boolean; isSlash: boolean },
): MemoryCommand | undefined {
  const [first, ...rest] = words;
  const command = NAMES.get(first?.word ?? '');
  if (command === undefined) return undefined;
  const other = rest.findIndex(({ word }) => !isWholeNumber(word) && !BETWEEN.has(word));
  const numbers = rest
    .slice(0, other === -1 ? rest.length : other)
    .filter(({ word }) => isWholeNumber(word));
  const last = numbers.at(-1);
  if (other === -1 || (last !== undefined && parted(text.slice(last.end)))) {
    const values = new Set(numbers.map(({ word }) => Math.min(Number(word), LARGEST)));
    const kept = isList(text, numbers) ? [...values].slice(0, MOST_NUMBERS) : [];
    return { for: command, numbers: kept };
  }
  return isSlash && command === 'forget' && last !== undefined
    ? { for: command, numbers: [] }
    : undefined;
}

export const isWholeNumber = (word: string): boolean => /^\d+$/.test(word);

const isList = (text: string, numbers: readonly PlacedWord[]): boolean =>
  numbers.every((number, at) => {
    const next = numbers[at + 1];
    return next === undefined || SEPARATOR.test(text.slice(number.end, next.start));
  });

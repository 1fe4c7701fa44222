import { FAULTS } from '../prompts/faults.ts';
import { type ReadCall, readCallAt } from './react-call.ts';

/** `Action: name`, and `Action Input:` on a line after it; both may be numbered, or bold. */
const HEAD =
  /[ \t]*\*{0,2}action(?: ?\d+)?\*{0,2}:\*{0,2}([^\n]*)\n\s*\*{0,2}action input(?: ?\d+)?\*{0,2}:\*{0,2}\s*/iy;
const NO_INPUT = /$|\*{0,2}observation\b/iy;
const NAME = /^[\s`*"'[(]*([\w.:-]+)[\s`*"'\])]*$/;
const MAX_NAME = 200;

/** The call whose `Action:` line begins at `at`. */
export function readAction(text: string, at: number): ReadCall {
  HEAD.lastIndex = at;
  const head = HEAD.exec(text);
  if (head === null) return { fault: FAULTS.noActionInput };
  return readCallAt(text, HEAD.lastIndex, nameIn(head[1] ?? ''), NO_INPUT);
}

const nameIn = (line: string): string =>
  line.length > MAX_NAME ? '' : (NAME.exec(line)?.[1] ?? '');

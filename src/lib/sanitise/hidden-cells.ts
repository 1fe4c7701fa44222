// GitHub shows no more cells of a table's row than its head has.
import { maskCode } from '../markdown-code.ts';
import type { Hidden } from './prose.ts';

const DELIMITERS = /^[ \t>]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/;
const BLANK = /^[ \t>]*$/;

export function hiddenCells(text: string): readonly Hidden[] {
  if (!text.includes('|')) return [];
  const hidden: Hidden[] = [];
  let columns = 0;
  let start = 0;
  let above = '';
  for (const line of maskCode(text).split('\n')) {
    const ends = columns > 0 || DELIMITERS.test(line) ? cellEnds(line) : [];
    const last = ends[columns - 1];
    if (BLANK.test(line)) columns = 0;
    else if (columns === 0)
      columns = `${above}${line}`.includes('|') && isHead(above, ends) ? ends.length : 0;
    else if (last !== undefined && ends.length > columns) {
      const [from, to] = [start + last, start + line.length];
      if (text.slice(from, to) !== '|')
        hidden.push({ kind: 'cell beyond a table', start: from, end: to, text: '|' });
    }
    above = line;
    start += line.length + 1;
  }
  return hidden;
}

/** What a list puts before the head alone. */
const MARKERS = /^(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t])*/;

const isHead = (line: string, ends: readonly number[]): boolean =>
  ends.length > 0 &&
  [line, line.replace(MARKERS, '')].some((head) => cellEnds(head).length === ends.length);

/** A backslash before it makes it text, also one that is the second of two. */
const BAR = /(?<!\\)\|/g;

/** Where each cell of a row ends. */
function cellEnds(line: string): readonly number[] {
  const first = /^[ \t>]*\|?/.exec(line)?.[0].length ?? 0;
  const ends = [...line.slice(first).matchAll(BAR)].map(({ index }) => first + index);
  const isOpen = line.slice((ends.at(-1) ?? first - 1) + 1).trim() !== '';
  return isOpen ? [...ends, line.length] : ends;
}

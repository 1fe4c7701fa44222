// GitHub shows no more cells of a table's row than its head has.
import { maskCode } from '../markdown-code.ts';
import type { Note } from './invisible.ts';
import { edited, type Edit } from './prose.ts';

const DELIMITERS = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const BLANK = /^[ \t>]*$/;

export function withoutHiddenCells(text: string, note: Note): string {
  if (!/\|/.test(text)) return text;
  const edits: Edit[] = [];
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
      if (text.slice(from, to) !== '|') {
        note('cell beyond a table', text.slice(from, to));
        edits.push({ start: from, end: to, text: '|' });
      }
    }
    above = line;
    start += line.length + 1;
  }
  return edited(text, edits);
}

const isHead = (line: string, ends: readonly number[]): boolean =>
  ends.length > 0 && cellEnds(line).length === ends.length;

/** Where each cell of a row ends. */
function cellEnds(line: string): readonly number[] {
  const first = /^[ \t>]*\|?/.exec(line)?.[0].length ?? 0;
  const ends = [...line.slice(first).matchAll(/\\.|\|/g)]
    .filter(([sign]) => sign === '|')
    .map(({ index }) => first + index);
  const isOpen = line.slice((ends.at(-1) ?? first - 1) + 1).trim() !== '';
  return isOpen ? [...ends, line.length] : ends;
}

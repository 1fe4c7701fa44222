import { shownPath } from '../../lib/text/invisible.ts';
import { count } from '../arguments.ts';
import { cutLine, numbered } from '../files/text-file.ts';
import type { Passage } from '../../contracts/search.ts';

export interface ContextFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** The relevant passages, best first; if empty, the beginning of the file is shown. */
  readonly passages: readonly Passage[];
}

/** Bytes for a line's number, tab and line end. */
const AROUND_LINE = 8;
/** Bytes for the heading of a file. */
const HEADING = 200;

const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(cutLine(line)) + AROUND_LINE, HEADING);

/** The bytes for each file: what it needs if that is less than an equal share; the rest goes to others. */
export function shareOut(files: readonly ContextFile[], bytes: number): number[] {
  const sizes = files.map(({ lines }) => sizeOf(lines));
  const rooms = sizes.map(() => 0);
  let left = bytes;
  let waiting = files.length;
  for (const [index, size] of [...sizes.entries()].toSorted((one, other) => one[1] - other[1])) {
    const room = Math.min(size, Math.floor(left / waiting));
    rooms[index] = room;
    left -= room;
    waiting -= 1;
  }
  return rooms;
}

/** The whole file if there is room, otherwise its relevant parts, with path and line numbers. */
export function showFile({ path, lines, passages }: ContextFile, room: number): string {
  if (sizeOf(lines) <= room)
    return `${shownPath(path)} (whole, ${count(lines.length, 'line')})\n${numbered(lines, 1)}`;
  const wanted = passages.length > 0 ? passages : [{ start: 1, lines }];
  const shown = fit(wanted, room);
  const places = shown.map(({ start, lines: part }) => `${start} to ${start + part.length - 1}`);
  const texts = shown.map(({ start, lines: part }) => numbered(part, start));
  const heading = `${shownPath(path)} (lines ${places.join(', ')} of ${lines.length}; the rest is left out)`;
  return [heading, ...texts].join('\n');
}

/** As many passages as fit, the last one cut, in the order of the file. */
function fit(passages: readonly Passage[], room: number): Passage[] {
  const shown: Passage[] = [];
  let left = room - HEADING;
  for (const { start, lines } of passages) {
    const part: string[] = [];
    for (const line of lines) {
      left -= Buffer.byteLength(cutLine(line)) + AROUND_LINE;
      if (left < 0) break;
      part.push(line);
    }
    if (part.length > 0) shown.push({ start, lines: part });
    if (left < 0) break;
  }
  return shown.toSorted((one, other) => one.start - other.start);
}

import { count } from '../arguments.ts';
import { cutLine, numbered } from '../files/text-file.ts';
import type { Passage } from '../../contracts/search.ts';

export interface ContextFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** What of it matters, the best first; its beginning where there are none. */
  readonly passages: readonly Passage[];
}

/** A line's number, its tab and its end. */
const AROUND_LINE = 8;
/** For the heading of a file. */
const HEADING = 200;

const sizeOf = (lines: readonly string[]): number =>
  lines.reduce((sum, line) => sum + Buffer.byteLength(cutLine(line)) + AROUND_LINE, HEADING);

/** The bytes for each file: what it needs where that is less than its share, which leaves more to others. */
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

/** The file whole where there is room, else the parts of it that matter; with path and lines. */
export function showFile({ path, lines, passages }: ContextFile, room: number): string {
  if (sizeOf(lines) <= room)
    return `${path} (whole, ${count(lines.length, 'line')})\n${numbered(lines, 1)}`;
  const wanted = passages.length > 0 ? passages : [{ start: 1, lines }];
  const shown = fit(wanted, room);
  const places = shown.map(({ start, lines: part }) => `${start} to ${start + part.length - 1}`);
  const texts = shown.map(({ start, lines: part }) => numbered(part, start));
  const heading = `${path} (lines ${places.join(', ')} of ${lines.length}; read_file reads on)`;
  return [heading, ...texts].join('\n');
}

/** As many of the passages as there is room for, the last one cut, in the order of the file. */
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

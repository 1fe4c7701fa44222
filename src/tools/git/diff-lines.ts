// The lines of a diff that a review can comment on.
import type { FileDiff } from '../../contracts/git.ts';

export type DiffSide = 'old' | 'new';

/** The numbers of the lines that a file's diff shows, on each side. */
export function shownLines({
  hunks = '',
}: Pick<FileDiff, 'hunks'>): Readonly<Record<DiffSide, ReadonlySet<number>>> {
  const shown = { old: new Set<number>(), new: new Set<number>() };
  let at = { old: 0, new: 0 };
  for (const line of hunks.split('\n')) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(line);
    if (header !== null) at = { old: Number(header[1]), new: Number(header[2]) };
    if (/^[ -]/.test(line)) shown.old.add(at.old++);
    if (/^[ +]/.test(line)) shown.new.add(at.new++);
  }
  return shown;
}

const MAX_RANGES = 8;

/** "3-9, 20" */
export function rangesOf(lines: ReadonlySet<number>): string {
  const ranges: [number, number][] = [];
  for (const line of [...lines].toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  const words = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return words.length > MAX_RANGES
    ? `${words.slice(0, MAX_RANGES).join(', ')}, …`
    : words.join(', ');
}

// The lines of a diff that a review can comment on.
import type { FileDiff } from '../../contracts/git.ts';
import { hunksIn } from '../../lib/text/unified-diff.ts';

export type DiffSide = 'old' | 'new';

/** The numbers of the lines that a file's diff shows, on each side. */
export function shownLines({
  hunks = '',
}: Pick<FileDiff, 'hunks'>): Readonly<Record<DiffSide, ReadonlySet<number>>> {
  const shown = { old: new Set<number>(), new: new Set<number>() };
  for (const { oldStart, newStart, lines } of hunksIn(hunks)) {
    let [old, now] = [oldStart, newStart];
    for (const line of lines) {
      if (!line.startsWith('+')) shown.old.add(old++);
      if (!line.startsWith('-')) shown.new.add(now++);
    }
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

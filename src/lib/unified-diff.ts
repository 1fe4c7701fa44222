import { diffLines, type LineChange } from './line-diff.ts';

/** What became of a file's text: the hunks of a unified diff, from the first `@@` on. */
export interface Hunks {
  /** Each line with its end; empty where the texts are equal. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const CONTEXT = 3;
const NO_END = '\n\\ No newline at end of file\n';

/** The hunks that lead from one text to the other, with three lines around each, as git writes them. */
export function hunksBetween(before: string, after: string): Hunks {
  const [old, now] = [linesOf(before), linesOf(after)];
  const changes = diffLines(old, now);
  return {
    text: grouped(changes)
      .map((group) => hunk(group, old, now))
      .join(''),
    added: sum(changes, ({ added }) => added),
    removed: sum(changes, ({ removed }) => removed),
  };
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

/** With their ends: a last line without one is another than the same line with one. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/).filter((line) => line !== '');

/** Changes so near to each other that their surroundings meet go into one hunk. */
function grouped(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const last = groups.at(-1)?.at(-1);
    const isNear =
      last !== undefined && change.oldStart - last.oldStart - last.removed <= 2 * CONTEXT;
    if (isNear) groups.at(-1)?.push(change);
    else groups.push([change]);
  }
  return groups;
}

function hunk(
  changes: readonly LineChange[],
  old: readonly string[],
  now: readonly string[],
): string {
  const [first, last] = [changes[0], changes.at(-1)];
  if (first === undefined || last === undefined) return '';
  const lead = Math.min(CONTEXT, first.oldStart);
  const oldEnd = Math.min(old.length, last.oldStart + last.removed + CONTEXT);
  const newEnd = Math.min(now.length, last.newStart + last.added + CONTEXT);
  const [oldFrom, newFrom] = [first.oldStart - lead, first.newStart - lead];
  const lines: string[] = [];
  let position = oldFrom;
  for (const { oldStart, removed, newStart, added } of changes) {
    lines.push(...marked(' ', old.slice(position, oldStart)));
    lines.push(...marked('-', old.slice(oldStart, oldStart + removed)));
    lines.push(...marked('+', now.slice(newStart, newStart + added)));
    position = oldStart + removed;
  }
  lines.push(...marked(' ', old.slice(position, oldEnd)));
  const where = `-${range(oldFrom, oldEnd)} +${range(newFrom, newEnd)}`;
  return `@@ ${where} @@\n${lines.join('')}`;
}

const marked = (sign: string, lines: readonly string[]): string[] =>
  lines.map((line) => `${sign}${line.endsWith('\n') ? line : `${line}${NO_END}`}`);

/** "5,3"; of one line its number, of none that of the line before. */
function range(from: number, end: number): string {
  const count = end - from;
  if (count === 1) return String(from + 1);
  return `${count === 0 ? from : from + 1},${count}`;
}

import { structuredPatch, type StructuredPatchHunk } from 'diff';

/** The hunks of a unified diff, from the first `@@` on. */
export interface Hunks {
  /** Every line has its line end. Empty if the texts are equal. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const CONTEXT = 3;
/** Limits edits, not time, so that the same texts always give the same result. */
const MAX_EDITS = 1000;
const NO_NEWLINE = '\\ No newline at end of file';

/**
 * The hunks of a diff in git's format, with three lines of context.
 * Texts that differ in more than 1,000 lines get one hunk: everything between their common start and end.
 */
export function hunksBetween(before: string, after: string): Hunks {
  const options = { context: CONTEXT, maxEditLength: MAX_EDITS };
  const patch = structuredPatch('', '', before, after, '', '', options);
  const hunks = patch?.hunks ?? [replacement(linesOf(before), linesOf(after))];
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    text: hunks.map(formatHunk).join(''),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

function formatHunk({
  oldStart,
  oldLines,
  newStart,
  newLines,
  lines,
}: StructuredPatchHunk): string {
  const ranges = `-${range(oldStart, oldLines)} +${range(newStart, newLines)}`;
  return `@@ ${ranges} @@\n${lines.join('\n')}\n`;
}

/** `5,3`; only `5` for a single line; for no lines the number of the line before. */
function range(start: number, count: number): string {
  if (count === 1) return String(start);
  return `${count === 0 ? start - 1 : start},${count}`;
}

/** The lines keep their ends: "a" and "a\n" are different lines. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/).filter((line) => line !== '');

function replacement(old: readonly string[], now: readonly string[]): StructuredPatchHunk {
  const start = commonLength(old, now);
  const end = commonLength(old.slice(start).toReversed(), now.slice(start).toReversed());
  const [oldEnd, newEnd] = [old.length - end, now.length - end];
  const from = Math.max(0, start - CONTEXT);
  const after = Math.min(CONTEXT, end);
  return {
    oldStart: from + 1,
    oldLines: oldEnd + after - from,
    newStart: from + 1,
    newLines: newEnd + after - from,
    lines: [
      ...marked(' ', old.slice(from, start)),
      ...marked('-', old.slice(start, oldEnd)),
      ...marked('+', now.slice(start, newEnd)),
      ...marked(' ', old.slice(oldEnd, oldEnd + after)),
    ],
  };
}

function commonLength(one: readonly string[], other: readonly string[]): number {
  const different = one.findIndex((line, index) => line !== other[index]);
  return different === -1 ? one.length : different;
}

const marked = (sign: string, lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, NO_NEWLINE],
  );

/** Where a hunk begins in each text, and how many lines of it there are. */
interface HunkHeader {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

/** `undefined`: the line is no header of a hunk. */
export function hunkHeader(line: string): HunkHeader | undefined {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
  if (found === null) return undefined;
  const [, oldStart, oldLines = 1, newStart, newLines = 1] = found;
  return {
    oldStart: Number(oldStart),
    oldLines: Number(oldLines),
    newStart: Number(newStart),
    newLines: Number(newLines),
  };
}

export interface ReadHunk extends Pick<HunkHeader, 'oldStart' | 'newStart'> {
  /** With their signs. */
  readonly lines: readonly string[];
}

/** Reads hunks of anyone. The counts in their headers need not hold: a patch from GitHub may lack empty lines at its end. */
export function hunksIn(text: string): ReadHunk[] {
  const hunks: { oldStart: number; newStart: number; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const header = hunkHeader(line);
    if (header !== undefined)
      hunks.push({ oldStart: header.oldStart, newStart: header.newStart, lines: [] });
    else if (/^[ +-]/.test(line)) hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

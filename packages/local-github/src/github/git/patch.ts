// The lines that a file's patch shows, and where a line went between two versions.

export type Side = 'LEFT' | 'RIGHT';

/** A line of a patch. */
export interface ShownLine {
  /** Lines below the first `@@`, which is GitHub's `position`. */
  readonly position: number;
  /** The index of the header of its hunk in `patch.split('\n')`. */
  readonly hunk: number;
  /** Its number in the version before, if it is there. */
  readonly left: number | undefined;
  /** Its number in the version after, if it is there. */
  readonly right: number | undefined;
}

/** @param patch hunks from the first `@@` on, without colours */
export function shownLines(patch: string): ShownLine[] {
  const shown: ShownLine[] = [];
  let [left, right, hunk] = [0, 0, 0];
  for (const [position, line] of patch.split('\n').entries()) {
    const header = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (header !== null) {
      [left, right, hunk] = [Number(header[1]), Number(header[2]), position];
    } else if (line.startsWith('-')) {
      shown.push({ position, hunk, left: left++, right: undefined });
    } else if (line.startsWith('+')) {
      shown.push({ position, hunk, left: undefined, right: right++ });
    } else if (!line.startsWith('\\')) {
      shown.push({ position, hunk, left: left++, right: right++ });
    }
  }
  return shown;
}

export function shownLine(patch: string, side: Side, line: number): ShownLine | undefined {
  return shownLines(patch).find((one) => (side === 'LEFT' ? one.left : one.right) === line);
}

/** The lines of the hunk up to and including the given one: GitHub's `diff_hunk`. */
export const hunkUpTo = (patch: string, { hunk, position }: ShownLine): string =>
  patch
    .split('\n')
    .slice(hunk, position + 1)
    .join('\n');

/**
 * The number that a line has after the changes; `undefined` if they touch it.
 * @param changes a patch without context (`git diff -U0`)
 */
export function movedLine(changes: string, line: number): number | undefined {
  let moved = line;
  for (const match of changes.matchAll(/^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/gm)) {
    const [first, removed, added] = [match[1], match[2] ?? 1, match[3] ?? 1].map(Number);
    if (first === undefined || removed === undefined || added === undefined) continue;
    // Git names the line before an insertion.
    if (removed === 0 ? line > first : line >= first + removed) moved += added - removed;
    else if (removed > 0 && line >= first) return undefined;
  }
  return moved;
}

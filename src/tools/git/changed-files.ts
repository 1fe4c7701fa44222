import type { FoundChange } from '../../contracts/git.ts';

/** Characters; no system has longer paths. */
export const MAX_PATH = 4096;
const MAX_SHOWN = 100;
const WORDS = { added: 'new file', modified: 'modified', deleted: 'deleted' } as const;

/** One line for each change, as `git status` words it; of many the first ones. */
export function changedFiles(changes: readonly FoundChange[]): string[] {
  const lines = changes
    .slice(0, MAX_SHOWN)
    .map(({ path, status }) => `  ${`${WORDS[status]}:`.padEnd(11)} ${inLine(path)}`);
  return changes.length > MAX_SHOWN
    ? [...lines, `  (and ${changes.length - MAX_SHOWN} more)`]
    : lines;
}

/** A path on one line: names may hold line breaks. */
export const inLine = (path: string): string =>
  /[\p{Cc}\p{Zl}\p{Zp}"\\]/u.test(path) ? JSON.stringify(path) : path;

/** A path as a model gives it, as git has it; empty for the root. */
export const placeOf = (path: string): string =>
  path
    .trim()
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '')
    .replace(/^\.$/, '');

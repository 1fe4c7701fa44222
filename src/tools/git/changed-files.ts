import type { FoundChange } from '../../contracts/git.ts';
import { shownPath } from '../../lib/invisible.ts';

/** Characters; longer paths exist on no system. */
export const MAX_PATH = 4096;
const MAX_SHOWN = 100;
const WORDS = { added: 'new file', modified: 'modified', deleted: 'deleted' } as const;

/** One line per change, in the form of `git status`; of many changes only the first. */
export function changedFiles(changes: readonly FoundChange[]): string[] {
  const lines = changes
    .slice(0, MAX_SHOWN)
    .map(({ path, status }) => `  ${`${WORDS[status]}:`.padEnd(11)} ${shownPath(path)}`);
  return changes.length > MAX_SHOWN
    ? [...lines, `  (and ${changes.length - MAX_SHOWN} more)`]
    : lines;
}

/** Converts a path from a model to git's form; empty for the root. */
export const placeOf = (path: string): string =>
  path
    .trim()
    .replace(/^(?:\.?\/)+/, '')
    .replace(/\/+$/, '')
    .replace(/^\.$/, '');

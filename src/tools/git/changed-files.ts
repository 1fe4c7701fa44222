import { z } from 'zod';
import type { FileDiff, FoundChange } from '../../contracts/git.ts';
import { TellModel } from '../../lib/errors.ts';
import { isWithin } from '../../lib/glob.ts';
import { hunksIn } from '../../lib/text/unified-diff.ts';
import { quoted, quotedPath, shownPath } from '../../lib/text/invisible.ts';
import { count, listOf, repositoryPath } from '../arguments.ts';

/** Characters; longer paths exist on no system. */
export const MAX_PATH = 4096;
const MAX_PATHS = 500;
const MAX_SHOWN = 100;
const WORDS = { added: 'new file', modified: 'modified', deleted: 'deleted' } as const;

/**
 * One line per change, in the form of `git status`; of many changes only the first. With the numbers of lines that
 * changed, as far as `diffs` have them.
 */
export function listChanges(
  changes: readonly FoundChange[],
  diffs: readonly FileDiff[] = [],
): string[] {
  const hunks = new Map(diffs.map((diff) => [diff.path, diff.hunks]));
  const lines = changes
    .slice(0, MAX_SHOWN)
    .map(
      ({ path, status }) =>
        `  ${`${WORDS[status]}:`.padEnd(11)} ${shownPath(path)}${changedLines(hunks.get(path))}`,
    );
  return changes.length > MAX_SHOWN
    ? [...lines, `  (and ${changes.length - MAX_SHOWN} more)`]
    : lines;
}

function changedLines(hunks: string | undefined): string {
  if (hunks === undefined) return '';
  const lines = hunksIn(hunks).flatMap((hunk) => hunk.lines);
  const added = lines.filter((line) => line.startsWith('+')).length;
  return ` (+${added} -${lines.filter((line) => line.startsWith('-')).length})`;
}

const MAX_NAMED = 10;

/** Of many paths by the directory in the root that they are in, with how many are there. */
export function namedPaths(paths: readonly string[]): string {
  const short = (path: string): string => quotedPath(path.slice(0, 200));
  if (paths.length <= MAX_NAMED) return paths.map(short).join(', ');
  const places = Map.groupBy(paths, (path) => path.replace(/(?<=\/).*$/s, ''));
  const named = [...places].map(([place, { length }]) =>
    place.endsWith('/') ? `${short(place)} (${count(length, 'file')})` : short(place),
  );
  const more = named.length - MAX_NAMED;
  return `${named.slice(0, MAX_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

/** Converts a path from a model to git's form; empty for the root. */
export const placeOf = (path: string): string =>
  path
    .trim()
    .replace(/^(?:\.?\/)+/, '')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/^\.$/, '');

/** Paths of files or directories with changes. */
export const pathList = () => listOf(repositoryPath(z.string().min(1).max(MAX_PATH)), MAX_PATHS);

/** The changes at a place of `placeOf`. @throws {TellModel} if there are none */
export function changesAt(changes: readonly FoundChange[], place: string): readonly FoundChange[] {
  const found = changes.filter(({ path }) => isWithin(path, place));
  if (found.length > 0) return found;
  const all = changes.length === 0 ? ['  none'] : listChanges(changes);
  throw new TellModel(
    [`There are no changes at ${quoted(place)}. Changed files:`, ...all].join('\n'),
  );
}

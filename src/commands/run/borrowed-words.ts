// What a person is told of the dependencies and programs that commands see, and of those that they do not.
import { accessSync, constants, existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import type { BorrowedDirectories } from '../../contracts/shell.ts';
import { unreadablePaths } from '../../../packages/sandbox/src/inside/system-mounts.ts';
import { SYSTEM_PATH } from '../../lib/system-path.ts';
import { unlessItFails } from '../../lib/unless-it-fails.ts';

const MOST_NAMED = 4;

/**
 * Sentences for the start.
 * @param readable what commands see besides the system's own directories
 * @param path the person's PATH
 */
export function borrowedWords(
  borrowed: BorrowedDirectories | undefined,
  readable: readonly string[],
  path: string | undefined,
): readonly string[] {
  const { root = '', paths = [] } = borrowed ?? {};
  const elsewhere = [
    ...paths.flatMap((each) => placesOfPrograms(join(root, each))),
    ...(path ?? '').split(delimiter).filter((each) => isAbsolute(each) && holdsPrograms(each)),
  ].map((each) => unlessItFails(() => realpathSync(each)) ?? each);
  const seen = [root, '/usr', ...SYSTEM_PATH, ...readable].filter(Boolean);
  const unseen = [...new Set(elsewhere)].filter(
    (each) => !seen.some((outer) => `${each}/`.startsWith(`${outer}/`)),
  );
  const closed = new Set(unreadablePaths(paths.map((each) => join(root, each))));
  const shown = paths.filter((each) => !closed.has(join(root, each)));
  const hidden = paths.filter((each) => closed.has(join(root, each)));
  return [
    ...(shown.length === 0
      ? []
      : [`Commands can read but not change ${named(shown)} of this folder.`]),
    ...(hidden.length === 0
      ? []
      : [
          `Commands do not see ${named(hidden)} of this folder: they never run as root, and their user cannot enter it. Run Issuewright as the folder's owner.`,
        ]),
    ...(unseen.length === 0
      ? []
      : [
          `Commands do not see the programs in ${named(unseen)}. To show them a toolchain, put its directory into SANDBOX_READ_PATHS.`,
        ]),
  ];
}

const named = (all: readonly string[]): string =>
  all.slice(0, MOST_NAMED).join(', ') +
  (all.length > MOST_NAMED ? ` and ${all.length - MOST_NAMED} more` : '');

const holdsPrograms = (directory: string): boolean =>
  unlessItFails(() => {
    accessSync(directory, constants.X_OK);
    return readdirSync(directory).length > 0;
  }) === true;

/** Where the interpreter of a virtual environment is. */
const placesOfPrograms = (directory: string): readonly string[] => {
  const interpreter = join(directory, 'bin/python');
  if (!existsSync(interpreter)) return [];
  const real = unlessItFails(() => realpathSync(interpreter));
  return real === undefined ? [] : [dirname(real)];
};

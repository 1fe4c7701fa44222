// Where the objects of a repository are. Git itself reads them, so what it would follow there is looked at before.
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TellPerson } from '../../../lib/errors.ts';
import { unlessItFails } from '../../../lib/unless-it-fails.ts';
import { GitDirectory } from './git-directory.ts';
import { requireOwned, type UserEnvironment } from './owner.ts';

const ALTERNATES = 'info/alternates';

/**
 * A directory of objects and all those that it borrows from.
 * @throws {TellPerson} if there is a link in one of them, or one belongs to another user
 */
export async function objectDirectories(
  first: string,
  environment: UserEnvironment,
): Promise<readonly string[]> {
  requireDirectory(first);
  const found = [first];
  for (const directory of found) {
    await requireOwned([directory], environment);
    const objects = new GitDirectory(directory);
    // Looks at every name below it.
    objects.files('.');
    for (const path of borrowedFrom(objects)) if (!found.includes(path)) found.push(path);
  }
  return found;
}

function requireDirectory(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === true) return;
  const what = stats?.isSymbolicLink() === true ? 'is a link' : 'is not a directory';
  throw new TellPerson(
    `${path} ${what}. Issuewright follows no links among git's own files. Work in a fresh clone of the repository, or in the one that it leads to.`,
  );
}

/** Git leaves out those that are missing. */
function borrowedFrom(objects: GitDirectory): readonly string[] {
  const lines = (objects.read(ALTERNATES)?.toString() ?? '').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) => {
      if (line.startsWith('"'))
        throw new TellPerson(
          `${objects.path}/${ALTERNATES} names a path in quotation marks, which Issuewright does not read. Move what it names to a path without line breaks.`,
        );
      return unlessItFails(() => realpathSync(resolve(objects.path, line))) ?? [];
    })
    .filter((path) => dirname(path) !== path);
}

import { accessSync, constants, realpathSync } from 'node:fs';
import { codeOf } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { reasonOf } from '../../lib/reason.ts';
import { shownPath } from '../../lib/shown-path.ts';

/**
 * Does `work` in the data directory, which it creates if there is none. What the system does not permit there
 * is an error for the operator, with the setting and the cure.
 */
export async function inDataDirectory<T>(
  dataDir: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  try {
    makeDirectories(dataDir, 0o700);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return await work(realpathSync(dataDir));
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
    throw new Error(unusable(dataDir, reasonOf(error)), { cause: error });
  }
}

function unusable(dataDir: string, why: string): string {
  const user = process.getuid?.();
  const path = shownPath(dataDir);
  return (
    `The data directory ${path ?? 'that DATA_DIR names'} cannot be used: ${why}. ` +
    `Set DATA_DIR to a directory that ${user === undefined ? 'the user of the service' : `user ${user}, who runs the service,`} owns, ` +
    `or set DATABASE_URL to a PostgreSQL server.`
  );
}

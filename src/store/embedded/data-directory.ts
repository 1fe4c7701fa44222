import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { codeOf } from '../../lib/errors.ts';
import { makeDirectories } from '../../lib/make-directories.ts';
import { reasonOf } from '../../lib/reason.ts';
import { shownSettingPath } from '../../lib/text/text.ts';

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

/** PostgreSQL serves only the owner of its files. @throws {Error} for the operator, before anything is written */
export function requireOwner(cluster: string): void {
  const owner = statSync(cluster, { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  if (owner === undefined || user === undefined || owner === user) return;
  throw new Error(
    `The database in DATA_DIR belongs to user ${owner}, and this process runs as user ${user}. ` +
      `Run it as user ${owner}, who runs the service, or set DATA_DIR to another directory.`,
  );
}

function unusable(dataDir: string, why: string): string {
  const user = process.getuid?.();
  const path = shownSettingPath(dataDir);
  return (
    `The data directory ${path ?? 'that DATA_DIR names'} cannot be used: ${why}. ` +
    `Set DATA_DIR to a directory that ${user === undefined ? 'the user of the service' : `user ${user}, who runs the service,`} owns, ` +
    `or set DATABASE_URL to a PostgreSQL server.`
  );
}

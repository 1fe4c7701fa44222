import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reasonOf } from '../../lib/reason.ts';
import { codeOf, unlessItFails } from '../../lib/errors.ts';
import { makeDirectories, shownSettingPath } from '../../lib/directories.ts';

export interface DirectoryLock {
  release(): void;
}

/** Another process has the directory. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
  /** As it is put in a sentence: " (PID 12)", or nothing. */
  readonly owner: string;

  constructor(directory: string, options: ErrorOptions) {
    const owner = ownerOf(directory);
    super(inUse(owner), options);
    this.owner = owner;
  }
}

const LOCK_FILE = 'owner.lock';
const OWNER_FILE = 'owner.pid';

/**
 * Makes this process the only owner of `directory`, or throws an error that names the owner. Node has no file
 * locks, but an open exclusive transaction of SQLite holds a lock of the operating system on an empty file.
 * It ends with the process, and also works between containers that share the directory.
 */
export function lockDirectory(directory: string): DirectoryLock {
  const lock = openLock(directory);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw isBusy(error) ? new DirectoryInUse(directory, { cause: error }) : unusable(error);
  }
  writeFileSync(join(directory, OWNER_FILE), `${process.pid}\n`);
  return { release: () => lock.close() };
}

function openLock(directory: string): DatabaseSync {
  try {
    return new DatabaseSync(join(directory, LOCK_FILE), { timeout: 0 });
  } catch (error) {
    throw unusable(error);
  }
}

/** SQLite's words, such as "database or disk is full", name no path. */
function unusable(error: unknown): Error {
  const { errstr } = Object(error) as { readonly errstr?: unknown };
  return new Error(
    `The lock file ${LOCK_FILE} in DATA_DIR cannot be used: ${typeof errstr === 'string' ? errstr : reasonOf(error)}. ` +
      `If the disk is full, free some space. Otherwise stop every Issuewright process that uses DATA_DIR, and delete the file.`,
    { cause: error },
  );
}

const inUse = (owner: string): string =>
  `The data directory (DATA_DIR) is in use by another Issuewright process${owner}. ` +
  `Stop it first, set DATA_DIR to another directory, or let both use the same PostgreSQL server ` +
  `with DATABASE_URL.`;

/** Whether a process has the directory now. Makes nothing there. */
export function isLocked(directory: string): boolean {
  if (!existsSync(join(directory, LOCK_FILE))) return false;
  const lock = unlessItFails(() => openLock(directory));
  try {
    lock?.exec('BEGIN EXCLUSIVE');
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    lock?.close();
  }
}

function ownerOf(directory: string): string {
  const owner = Number(unlessItFails(() => readFileSync(join(directory, OWNER_FILE), 'utf8')));
  return Number.isInteger(owner) && owner > 0 ? ` (PID ${owner})` : '';
}

/** 5 is SQLITE_BUSY: another process holds the lock. */
const isBusy = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === 5;

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
    throw new Error(unusableDirectory(dataDir, reasonOf(error)), { cause: error });
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

function unusableDirectory(dataDir: string, why: string): string {
  const user = process.getuid?.();
  const path = shownSettingPath(dataDir);
  return (
    `The data directory ${path ?? 'that DATA_DIR names'} cannot be used: ${why}. ` +
    `Set DATA_DIR to a directory that ${user === undefined ? 'the user of the service' : `user ${user}, who runs the service,`} owns, ` +
    `or set DATABASE_URL to a PostgreSQL server.`
  );
}

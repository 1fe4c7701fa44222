import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { reasonOf } from '../../lib/reason.ts';
import { unlessItFails } from '../../lib/unless-it-fails.ts';

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

// Where the work trees of sessions are. A spare one can only be renamed within a file system, so they are on that of the
// cache: in the directory for temporary files if it is there, and beside the cache if not, as in a container.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmdirSync, statSync } from 'node:fs';
import { readdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { hasCode, messageOf } from '../lib/errors.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import { TEMPORARY_PREFIX } from '../lib/temporary-names.ts';
import { PROBE } from './git/engines/native/cache-room.ts';
import { lockFile } from './git/engines/native/file-lock.ts';
import { removeTree } from './remove-tree.ts';
import type { Swept } from './temporary-directory.ts';

export interface WorkDirectory {
  readonly path: string;
  /** Removes it with all that is in it. */
  close(): Promise<void>;
}

/** Commands of the agent may run as another user, who has to get to the work trees, and lists nothing on the way. */
const PASSABLE = 0o711;
const OTHERS_PASS = 0o001;
const LOCK = '.lock';
const TRIES = 5;

/** Why work trees could not be used in a directory that we make; `undefined` if they can. */
export function whyNotBelow(parent: string): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (let path = dirname(parent); path !== dirname(path); path = dirname(path))
    if ((statSync(path).mode & OTHERS_PASS) === 0)
      return `the service is root, and the users that its commands run as cannot enter ${path}`;
  return undefined;
}

/** Whether directories can be renamed from one into another: not between file systems, nor between mounts of one. */
export function canRename(from: string, to = tmpdir()): boolean {
  const probe = mkdtempSync(join(from, PROBE));
  // A name that the sweep for dead processes knows.
  const there = join(to, TEMPORARY_PREFIX + randomUUID().slice(0, 6));
  try {
    renameSync(probe, there);
    rmdirSync(there);
    return true;
  } catch (error) {
    rmdirSync(probe);
    if (hasCode(error, 'EXDEV')) return false;
    throw error;
  }
}

/**
 * Makes a directory in `parent` for the work trees of this process. A lock of the kernel says that it is in use:
 * processes in other containers have ids that mean nothing here.
 */
export async function openWorkDirectory(parent: string): Promise<WorkDirectory> {
  makePassable(parent);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const path = join(parent, randomUUID());
    const lock = await lockFile(path + LOCK, { signal, seconds: 0 });
    if (lock === undefined) continue;
    makePassable(path);
    const close = async (): Promise<void> => {
      await removeTree(path);
      await unlink(path + LOCK);
      await lock.release();
    };
    return { path, close };
  }
  throw new Error(
    `${parent} is not left as it is: other processes remove what this one makes there`,
  );
}

function makePassable(path: string): void {
  makeDirectories(path);
  // Whatever the umask is.
  chmodSync(path, PASSABLE);
}

const { signal } = new AbortController();

/** The same for directories of `openWorkDirectory` as `sweepWorkspaces` for those of one process. */
export async function sweepWorkDirectories(
  endProcesses: (directory: string) => void,
  parent: string,
): Promise<Swept> {
  let removed = 0;
  const left: { path: string; reason: string }[] = [];
  for (const name of (await readdir(parent).catch(unlessMissing)) ?? []) {
    if (!name.endsWith(LOCK)) continue;
    const path = join(parent, name.slice(0, -LOCK.length));
    try {
      if (await sweep(path, endProcesses)) removed += 1;
    } catch (error) {
      left.push({ path, reason: messageOf(error) });
    }
  }
  return { removed, left };
}

async function sweep(path: string, endProcesses: (directory: string) => void): Promise<boolean> {
  const lock = await lockFile(path + LOCK, { signal, seconds: 0 });
  if (lock === undefined) return false;
  try {
    for (const name of (await readdir(path).catch(unlessMissing)) ?? [])
      endProcesses(join(path, name));
    await removeTree(path);
    await unlink(path + LOCK).catch(unlessMissing);
    return true;
  } finally {
    await lock.release();
  }
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}

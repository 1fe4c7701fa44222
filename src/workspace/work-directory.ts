// Where the work trees of sessions are. A spare one can only be renamed within a file system, so they are on that of the
// cache: in the directory for temporary files if it is there, and beside the cache if not, as in a container.
import { randomUUID } from 'node:crypto';
import { chmodSync, statSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rmdir, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { hasCode, messageOf } from '../lib/errors.ts';
import {
  makeDirectories,
  makerOf,
  TEMPORARY_PREFIX,
  shownSettingPath,
} from '../lib/directories.ts';
import { unlessMissing } from './git/engines/native/cache-room.ts';
import { lockFile } from './git/engines/native/file-lock.ts';
import { removeTree } from './remove-tree.ts';
import { reasonOf } from '../lib/reason.ts';

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

/** For others than its owner to pass through, and not to list. */
export function makePassable(path: string): void {
  makeDirectories(path);
  // Whatever the umask is.
  chmodSync(path, PASSABLE);
}

const { signal } = new AbortController();

/** The same for directories of `openWorkDirectory` as `sweepWorkspaces` for those of one process. */
export async function sweepWorkDirectories(
  endProcesses: (directory: string) => void,
  parent: string,
): Promise<SweepResult> {
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

const newDirectory = (parent: string): Promise<string> => mkdtemp(join(parent, TEMPORARY_PREFIX)); // mode 0700

/** Makes a directory that only this user can enter. The caller removes it. */
export async function makeTemporaryDirectory(parent = tmpdir()): Promise<string> {
  makeDirectories(parent);
  return newDirectory(parent);
}

/** Fails early, for the operator, where no run could work. */
export async function requireTemporaryDirectory(parent = tmpdir()): Promise<void> {
  // Commands and the sandbox start in other directories.
  if (!isAbsolute(parent))
    throw new Error(
      'The directory for temporary files must be an absolute path. Set TMPDIR to one, such as /tmp.',
    );
  try {
    await rmdir(await newDirectory(parent));
  } catch (error) {
    const path = shownSettingPath(parent);
    throw new Error(
      `The directory for temporary files${path === undefined ? '' : `, ${path},`} cannot be used: ${reasonOf(error)}. Set TMPDIR to a directory that exists and that the service can write to.`,
      { cause: error },
    );
  }
}

export interface SweepResult {
  readonly removed: number;
  /** Paths that could not be removed, and why. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Removes the workspaces of dead processes. Call it when the service starts, before it opens any. Safe
 * if other processes do the same concurrently, or end meanwhile.
 * @param endProcesses ends what still runs in the directory of a workspace
 */
export async function sweepWorkspaces(
  endProcesses: (directory: string) => void,
  parent = tmpdir(),
): Promise<SweepResult> {
  let removed = 0;
  const left: { path: string; reason: string }[] = [];
  for (const name of await readdir(parent)) {
    const owner = makerOf(name);
    const path = join(parent, name);
    if (owner === undefined || !(await isLeftover(path, owner))) continue;
    try {
      endProcesses(path);
      await removeTree(path);
      removed += 1;
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) left.push({ path, reason: messageOf(error) });
    }
  }
  return { removed, left };
}

async function isLeftover(path: string, owner: number): Promise<boolean> {
  const stats = await lstat(path).catch(unlessMissing);
  if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) return false;
  // In a container, every start of the service has the same process id.
  if (owner === process.pid) return stats.birthtimeMs < performance.timeOrigin;
  return !isAlive(owner);
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

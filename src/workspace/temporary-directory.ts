import { lstat, mkdtemp, readdir, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { hasCode, messageOf } from '../lib/errors.ts';
import { makeDirectories } from '../lib/make-directories.ts';
import { reasonOf } from '../lib/reason.ts';
import { makerOf, TEMPORARY_PREFIX } from '../lib/temporary-names.ts';
import { shownSettingPath } from '../lib/text/text.ts';
import { removeTree } from './remove-tree.ts';

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

export interface Swept {
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
): Promise<Swept> {
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
  const stats = await lstat(path).catch(unlessGone);
  if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) return false;
  // In a container, every start of the service has the same process id.
  if (owner === process.pid) return stats.birthtimeMs < performance.timeOrigin;
  return !isAlive(owner);
}

function unlessGone(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

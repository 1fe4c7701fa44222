import { execFile } from 'node:child_process';
import { chmod, lstat, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode, messageOf } from '../lib/errors.ts';

/** The owner's process id stands in the name, so that a later process knows what was left behind. */
const NAME = /^issuewright-(\d+)-\w{6}$/;

/** A directory that only we can enter; the caller removes it. */
export async function makeTemporaryDirectory(parent = tmpdir()): Promise<string> {
  await mkdir(parent, { recursive: true });
  return mkdtemp(join(parent, `issuewright-${process.pid}-`)); // mode 0700
}

interface Swept {
  readonly removed: number;
  /** Paths that stay, and why. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

/**
 * Removes the workspaces that dead processes of ours left behind. Called at the start of the service,
 * before it opens any. Others of its kind may do the same at the same time, or end just then.
 */
export async function sweepWorkspaces(parent = tmpdir()): Promise<Swept> {
  let removed = 0;
  const left: { path: string; reason: string }[] = [];
  for (const name of await readdir(parent)) {
    const [, owner] = NAME.exec(name) ?? [];
    const path = join(parent, name);
    if (owner === undefined || !(await isLeftover(path, Number(owner)))) continue;
    try {
      await removeTree(path);
      removed += 1;
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) left.push({ path, reason: messageOf(error) });
    }
  }
  return { removed, left };
}

/** Removes a directory in which a command may have taken away our permissions. Follows no link. */
export async function removeTree(directory: string): Promise<void> {
  try {
    await rm(directory, { recursive: true, force: true });
  } catch (error) {
    if (hasCode(error, 'ENAMETOOLONG')) return removeDeep(directory);
    if (!hasCode(error, 'EACCES', 'EPERM', 'ENOTEMPTY')) throw error;
    await openDirectories(directory);
    await rm(directory, { recursive: true, force: true });
  }
}

/** Node takes whole paths; the system's own program goes down name by name. */
async function removeDeep(directory: string): Promise<void> {
  await promisify(execFile)('chmod', ['-R', 'u+rwX', '--', directory]);
  await promisify(execFile)('rm', ['-rf', '--', directory]);
}

/** Directories may disappear meanwhile: an `rm` that failed still has deletions in flight. */
async function openDirectories(directory: string): Promise<void> {
  try {
    await chmod(directory, 0o700);
    for (const entry of await readdir(directory, { withFileTypes: true }))
      if (entry.isDirectory()) await openDirectories(join(directory, entry.name));
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

async function isLeftover(path: string, owner: number): Promise<boolean> {
  const stats = await lstat(path).catch(unlessGone);
  if (stats?.isDirectory() !== true || stats.uid !== process.getuid?.()) return false;
  // In a container every start has the same process id.
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

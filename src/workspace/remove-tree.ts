// Removes any tree that a command can leave. By the system's own programs: they go one step at a time, and
// down any depth. Node's `rm` is still deleting when it has already failed, and fails on paths that are too long.
import { execFile, execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, hasCode, TellPerson } from '../lib/errors.ts';
import { SYSTEM_PATH } from '../lib/directories.ts';

const run = promisify(execFile);

const REMOVE = ['-rf', '--'];
/** A command may have removed our permissions in directories, as Go does in its module cache. */
const OPEN = ['-R', 'u+rwX', '--'];
/** Not the service's own PATH: an entry of it that is empty or relative would find programs of the tree. */
const env = { PATH: SYSTEM_PATH.join(':'), LC_ALL: 'C' };

/** Follows no links, and deletes nothing if anything is mounted in the tree. */
export async function removeTree(path: string): Promise<void> {
  if (isGone(path)) return;
  requireNoMounts(path);
  try {
    await run('rm', [...REMOVE, path], { env });
  } catch {
    if (!isLink(path)) await run('chmod', [...OPEN, path], { env }).catch(() => undefined);
    await run('rm', [...REMOVE, path], { env }).catch((error: unknown) => {
      throw new Error(`${path} stays in part: ${reasonsIn(error)}`, { cause: error });
    });
  }
}

/** To start a program takes longer than all else here. What cannot be looked at is for that to explain. */
function isGone(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** `chmod` follows a link that it is given. */
const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;

const MOST_REASONS = 3;

/** What `rm` says, such as `rm: cannot remove 'x': Operation not permitted`. */
function reasonsIn(error: unknown): string {
  const { stderr } = Object(error) as { readonly stderr?: unknown };
  const lines = typeof stderr === 'string' ? stderr.split('\n').filter((line) => line !== '') : [];
  const more = lines.length - MOST_REASONS;
  const shown = lines.slice(0, MOST_REASONS).join('; ') || messageOf(error);
  return more > 0 ? `${shown}; and ${more} more` : shown;
}

/** The same, for a thread that does nothing else meanwhile. `path` may be below an open descriptor of ours. */
export function removeTreeSync(path: string): void {
  requireNoMounts(path);
  // A child process enters the directory before its own program replaces ours and closes our descriptors.
  const tree = `./${basename(path)}`;
  const runSync = (program: string, args: readonly string[]): void =>
    void execFileSync(program, [...args, tree], { cwd: dirname(path), env, stdio: 'ignore' });
  try {
    runSync('rm', REMOVE);
  } catch {
    try {
      if (!isLink(path)) runSync('chmod', OPEN);
    } catch {
      // It opened what it could. If that was not enough, `rm` fails again.
    }
    runSync('rm', REMOVE);
  }
}

/**
 * What is mounted at a path or below it: a command that runs as root without a sandbox can mount what is not ours. The
 * device of a file does not tell, as a directory can be mounted in a second place of its own file system. Empty on
 * systems without /proc.
 */
function mountPointsIn(path: string): string[] {
  const real = realPath(path);
  return mountPoints().filter((point) => point === real || point.startsWith(`${real}/`));
}

/** As the system names it; a path that is too long for that has nothing mounted below it. */
function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    if (hasCode(error, 'ENAMETOOLONG', 'ENOENT')) return path;
    throw error;
  }
}

/** The fifth field of each line, with octal codes for blanks and backslashes. */
function mountPoints(): string[] {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return lines.flatMap((line) => line.split(' ')[4] ?? []).map(decoded);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

const decoded = (field: string): string =>
  field.replaceAll(/\\([0-7]{3})/g, (_code, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );

/** @throws {Error} that says what is mounted, and stays */
function requireNoMounts(path: string): void {
  const points = mountPointsIn(path);
  if (points.length === 0) return;
  throw new Error(
    `${points.slice(0, 5).join(', ')} ${points.length === 1 ? 'is a mount' : 'are mounts'}: what is mounted is never deleted. Unmount it, then delete ${path}`,
  );
}

/** What is mounted is neither ours to commit nor to delete. A file system of another host may be among it. */
export function rejectMounts(root: string): void {
  const [point] = mountPointsIn(root);
  if (point === undefined) return;
  throw new TellPerson(
    `A command mounted something in the workspace, at "${relative(root, point)}", so the run was ended: what is mounted is neither committed nor deleted. The operator has to unmount it, and should set SANDBOX=bubblewrap.`,
  );
}

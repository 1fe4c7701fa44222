// Removes any tree that a command can leave. By the system's own programs: they go one step at a time, and
// down any depth. Node's `rm` is still deleting when it has already failed, and fails on paths that are too long.
import { execFile, execFileSync } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../lib/errors.ts';
import { SYSTEM_PATH } from '../lib/system-path.ts';
import { requireNoMounts } from './mount-points.ts';

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

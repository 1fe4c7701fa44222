// Removes any tree that a command can leave. By the system's own programs: they go one step at a time, and
// down any depth. Node's `rm` is still deleting when it has already failed, and fails on paths that are too long.
import { execFile, execFileSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../lib/errors.ts';
import { requireNoMounts } from './mount-points.ts';

const run = promisify(execFile);

const REMOVE = ['-rf', '--'];
/** A command may have removed our permissions in directories, as Go does in its module cache. */
const OPEN = ['-R', 'u+rwX', '--'];

/** Follows no links, and deletes nothing if anything is mounted in the tree. */
export async function removeTree(path: string): Promise<void> {
  requireNoMounts(path);
  try {
    await run('rm', [...REMOVE, path]);
  } catch {
    await run('chmod', [...OPEN, path]).catch(() => undefined);
    await run('rm', [...REMOVE, path]).catch((error: unknown) => {
      throw new Error(`${path} stays in part: ${reasonsIn(error)}`, { cause: error });
    });
  }
}

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
    void execFileSync(program, [...args, tree], { cwd: dirname(path), stdio: 'ignore' });
  try {
    runSync('rm', REMOVE);
  } catch {
    try {
      runSync('chmod', OPEN);
    } catch {
      // It opened what it could. If that was not enough, `rm` fails again.
    }
    runSync('rm', REMOVE);
  }
}

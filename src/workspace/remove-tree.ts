// Removes any tree that a command can leave. By the system's own programs: they go one step at a time, and
// down any depth. Node's `rm` is still deleting when it has already failed, and fails on paths that are too long.
import { execFile, execFileSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const REMOVE = ['-rf', '--'];
/** A command may have removed our permissions in directories, as Go does in its module cache. */
const OPEN = ['-R', 'u+rwX', '--'];

/** Follows no links. */
export async function removeTree(path: string): Promise<void> {
  try {
    await run('rm', [...REMOVE, path]);
  } catch {
    await run('chmod', [...OPEN, path]).catch(() => undefined);
    await run('rm', [...REMOVE, path]);
  }
}

/** The same, for a thread that does nothing else meanwhile. `path` may be below an open descriptor of ours. */
export function removeTreeSync(path: string): void {
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

import { readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { hasCode, TellPerson } from '../lib/errors.ts';

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
export function requireNoMounts(path: string): void {
  const points = mountPointsIn(path);
  if (points.length === 0) return;
  throw new Error(
    `${points.slice(0, 5).join(', ')} ${points.length === 1 ? 'is a mount' : 'are mounts'}: what is mounted is never deleted. Unmount it, then delete ${path}`,
  );
}

/** What is mounted is neither ours to commit nor to delete. A file system of another host may be among it. */
export function refuseMounts(root: string): void {
  const [point] = mountPointsIn(root);
  if (point === undefined) return;
  throw new TellPerson(
    `A command mounted something in the workspace, at "${relative(root, point)}", so the run was ended: what is mounted is neither committed nor deleted. The operator has to unmount it, and should set SANDBOX=bubblewrap.`,
  );
}

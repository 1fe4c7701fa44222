// Directories of a person's folder in the workspace: dependencies that git ignores, so no clone has them.
import { lstatSync, realpathSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { BorrowedDirectories } from '../../../../src/contracts/shell.ts';
import { unlessItFails } from '../../../../src/lib/unless-it-fails.ts';
import { INSIDE } from './environment.ts';
import { unreadablePaths } from './system-mounts.ts';

/** Those that can be mounted now: commands can read them, and the workspace has nothing in their place. */
export const mountable = (
  workspace: string,
  { root, paths }: BorrowedDirectories,
): readonly string[] => {
  const hidden = new Set(unreadablePaths(paths.map((path) => join(root, path))));
  return paths.filter((path) => !hidden.has(join(root, path)) && isFree(workspace, path));
};

/** bubblewrap follows links where it mounts, and a command may have made one. */
const isFree = (workspace: string, path: string): boolean =>
  unlessItFails(() => realpathSync(dirname(join(workspace, path)))) ===
    dirname(join(realpathSync(workspace), path)) &&
  lstatSync(join(workspace, path), { throwIfNoEntry: false }) === undefined;

/** Where the sandbox has directories of its own. */
const TAKEN = /^\/(?:usr|bin|s?bin|lib\w*|etc|dev|proc|sys|run|workspace|home\/agent|var)(?:\/|$)/;

/**
 * Arguments that mount directories. The folder's own path leads to the workspace: programs of a virtual environment, and
 * what was installed in place, are named by it.
 */
export function borrowedMounts(
  { root }: BorrowedDirectories,
  paths: readonly string[],
  readable: readonly string[],
): string[] {
  const isTaken =
    TAKEN.test(root) ||
    readable.some((path) => `${path}/`.startsWith(`${root}/`) || `${root}/`.startsWith(`${path}/`));
  return [
    ...(isTaken ? [] : ['--symlink', INSIDE.workspace, root]),
    ...paths.flatMap((path) => ['--ro-bind', join(root, path), join(INSIDE.workspace, path)]),
  ];
}

/** Call once no command runs: removes the directories that bubblewrap mounted them on, which are empty. */
export function removeMountPoints(workspace: string, paths: readonly string[]): void {
  for (const path of paths) unlessItFails(() => rmdirSync(join(workspace, path)));
}

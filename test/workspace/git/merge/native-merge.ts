import { spawnSync } from 'node:child_process';
import type { TreeMerge } from '../../../../src/workspace/git/merge/three-way-merge.ts';
import { nativeGit } from '../../../support/git-server.ts';

const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@example.test'];

/** `git merge` in a work tree: whether it was clean. */
export function merge(directory: string, theirs: string): boolean {
  const words = [...IDENTITY, 'merge', '-q', '--no-ff', '-m', 'merge', theirs];
  const env = {
    PATH: process.env['PATH'],
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
  const { status } = spawnSync('git', words, { cwd: directory, env, stdio: 'ignore' });
  return status === 0;
}

/** Mode, object and path of each side of what could not be merged. */
export const unmerged = (directory: string): string[] =>
  nativeGit(directory, 'ls-files', '-u', '-z')
    .split('\0')
    .filter((line) => line !== '')
    .toSorted();

/** The same of a merge of ours, and its tree if it is clean. */
export const unmergedIn = ({ tree, conflicts }: TreeMerge) => ({
  tree: conflicts.length === 0 ? tree : 'none',
  unmerged: conflicts
    .flatMap(({ path, ...sides }) =>
      (['base', 'ours', 'theirs'] as const).flatMap((name, index) => {
        const file = sides[name];
        return file === undefined ? [] : [`${file.mode} ${file.oid} ${index + 1}\t${path}`];
      }),
    )
    .toSorted(),
});

import { spawnSync } from 'node:child_process';

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

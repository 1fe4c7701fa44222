import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nativeGit } from './git-server.ts';

/**
 * What `git fsck --strict` says of a repository, a line for each kind of fault. Without names of objects: a tree that carries a
 * strange entry along is another one in each commit.
 */
export function faultsIn(gitdir: string): readonly string[] {
  const options = {
    cwd: gitdir,
    env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  };
  const { stdout, stderr } = spawnSync(
    'git',
    ['fsck', '--strict', '--full', '--no-dangling'],
    options,
  );
  const lines = `${stdout.toString('latin1')}\n${stderr.toString('latin1')}`.split('\n');
  const kinds = lines.map((line) => line.replaceAll(/[\da-f]{40}/g, 'OBJECT').trim());
  return [...new Set(kinds)]
    .filter((line) => line !== '' && !line.startsWith('notice:'))
    .toSorted();
}

/**
 * Fails if a repository lacks anything but files, or has a pack that is damaged: git reads all directories of all commits
 * that are named, and every pack.
 */
export function requireIntactPart(gitdir: string): void {
  nativeGit(gitdir, 'rev-list', '--objects', '--filter=blob:none', '--all');
  for (const name of readdirSync(join(gitdir, 'objects/pack')))
    if (name.endsWith('.idx')) nativeGit(gitdir, 'verify-pack', join('objects/pack', name));
}

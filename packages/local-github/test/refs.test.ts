import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { RepositoryGit } from '../src/github/git/repository.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const AUTHOR = { name: 'writer', email: 'writer@example.test' };

async function repository(): Promise<{ git: RepositoryGit; run: (...args: string[]) => string }> {
  const directory = temporaryDirectory();
  const git = new RepositoryGit(directory);
  await git.create('main', { 'README.md': '# Refs\n' }, AUTHOR);
  const run = (...args: string[]): string =>
    execFileSync('git', ['--git-dir', directory, ...args], { encoding: 'utf8' });
  return { git, run };
}

it('the local GitHub makes repositories that git finds whole', async () => {
  const { run } = await repository();
  expect(run('fsck', '--strict')).toBe('');
  expect(run('symbolic-ref', 'HEAD')).toBe('refs/heads/main\n');
});

it('the local GitHub sees the branches that git does, packed or not', async () => {
  const { git, run } = await repository();
  const first = await git.head('main');
  run('branch', 'one/two');
  run('branch', 'ümläut-1.2');
  run('pack-refs', '--all');
  run('branch', 'later');
  const files = { 'README.md': '# More\n' };
  await git.commitFiles({ branch: 'main', files, message: 'More', author: AUTHOR });
  const format = '--format=%(refname:lstrip=2) %(objectname)';
  const seen = run('for-each-ref', format, 'refs/heads').trim().split('\n');
  expect([...(await git.branches())].map((branch) => branch.join(' '))).toEqual(seen);
  expect(await git.head('one/two')).toBe(first);
  expect(await git.head('main')).not.toBe(first);
  expect(await git.head('one')).toBeUndefined();
  expect(await git.head('../../HEAD')).toBeUndefined();
});

import { execFileSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { diffText } from '../../src/tools/git/diffs.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import {
  nativeGit,
  startGitServer,
  type GitServer,
  type TestRepository,
} from '../support/git-server.ts';
import { AT, BRANCH, byCommand, open, text } from './support.ts';

let server: GitServer;
let repository: TestRepository;
let workspace: Workspace;
let count = 0;

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(async () => {
  count += 1;
  repository = server.createRepository(`octo/diff-${count}`, {
    'README.md': 'Sample\n',
    '.gitignore': 'dist/\n',
    'bin/run.sh': { content: '#!/bin/sh\n', mode: 'executable' },
    link: { content: 'README.md', mode: 'symlink' },
    'src/a.ts': Array.from({ length: 60 }, (_, index) => `line ${index}\n`).join(''),
    'src/b.ts': 'b\n',
    'image.bin': new Uint8Array([1, 0, 2]),
    'old name.txt': 'moved as it is\n',
  });
  await openAgain();
});
afterEach(async () => workspace.close());

async function openAgain(options: Parameters<typeof open>[2] = {}): Promise<void> {
  workspace = await open(server, repository, options);
}

const files = (commit: string): string => nativeGit(repository.checkout, 'ls-tree', '-r', commit);

describe('what the last pushed commit has', () => {
  it('is its text of a file, whatever the work tree has', async () => {
    await workspace.files.write('src/b.ts', text('changed\n'));
    await workspace.files.write('new.ts', text('new\n'));
    await expect(workspace.committed('src/b.ts')).resolves.toBe('b\n');
    for (const path of ['new.ts', 'link', 'src', '../git/config', ''])
      await expect(workspace.committed(path)).resolves.toBeUndefined();
    await workspace.git.commit({ message: 'Change', at: AT });
    await expect(workspace.committed('src/b.ts')).resolves.toBe('changed\n');
  });
});

describe('the diff of a workspace', () => {
  it('is what git applies: edits, new and deleted files, modes, links, renames, odd names', async () => {
    await workspace.files.write('src/a.ts', text('new first\nline 1\nline 2\nline 3'));
    await workspace.files.write('new/ümlaut "x".txt', text('no end'));
    await byCommand(workspace, (tree) => {
      rmSync(join(tree, 'src/b.ts'));
      chmodSync(join(tree, 'bin/run.sh'), 0o644);
      rmSync(join(tree, 'link'));
      symlinkSync('src/a.ts', join(tree, 'link'));
      renameSync(join(tree, 'old name.txt'), join(tree, 'new name.txt'));
    });
    const diffs = await workspace.git.diff('');
    const { checkout } = repository;
    const input = diffText(diffs);
    execFileSync('git', ['apply', '--index', '-'], { cwd: checkout, input, stdio: 'pipe' });
    const applied = nativeGit(checkout, 'write-tree');
    await workspace.git.commit({ message: 'Change', at: AT });
    nativeGit(checkout, 'fetch', '-q', 'origin', BRANCH);
    expect(files(applied)).toBe(files('FETCH_HEAD'));
    expect(input).toContain(
      'similarity index 100%\nrename from old name.txt\nrename to new name.txt',
    );
  });

  it('leaves out ignored files, names binary files, and can be limited to a path', async () => {
    await workspace.files.write('dist/made.js', text('x'));
    await byCommand(workspace, (tree) =>
      writeFileSync(join(tree, 'image.bin'), new Uint8Array([3, 0, 4])),
    );
    await workspace.files.write('src/b.ts', text('c\n'));
    const diffs = await workspace.git.diff('');
    expect(diffs.map(({ path }) => path)).toEqual(['image.bin', 'src/b.ts']);
    expect(diffs[0]).toMatchObject({ why: 'binary' });
    expect(await workspace.git.diff('src')).toMatchObject([{ path: 'src/b.ts' }]);
    expect(await workspace.git.diff('sr')).toEqual([]);
  });

  it('is bounded: what is too large has no hunks, and the rest is there', async () => {
    const large = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`).join('');
    await workspace.files.write('a-large.txt', text(large));
    await workspace.files.write('src/b.ts', text('c\n'));
    expect(await workspace.git.diff('')).toMatchObject([
      { path: 'a-large.txt', why: 'too much' },
      { path: 'src/b.ts', hunks: '@@ -1 +1 @@\n-b\n+c\n' },
    ]);
  });
});

describe('a commit of what was chosen', () => {
  const commit = (message: string, only?: readonly string[]) =>
    workspace.git.commit({ message, at: AT, only });
  const changed = (ref = BRANCH): string =>
    repository.git('show', '--format=', '--name-status', ref);

  it('holds that alone; files that were left out are still changed, tracked ones too', async () => {
    await workspace.files.write('README.md', text('Changed\n'));
    await workspace.files.write('src/b.ts', text('c\n'));
    await workspace.files.write('new.txt', text('new\n'));
    await commit('Only b', ['src/b.ts']);
    expect(changed()).toBe('M\tsrc/b.ts');
    await commit('The rest');
    expect(changed()).toBe('M\tREADME.md\nA\tnew.txt');
    expect(repository.git('fsck', '--full', '--strict')).toBe('');
  });

  it('can be repeated after a crash, and what it left out is there again', async () => {
    await workspace.files.write('README.md', text('Changed\n'));
    await workspace.files.write('src/b.ts', text('c\n'));
    const changes = await workspace.drain();
    const first = await commit('Only b', ['src/b.ts']);
    // Killed before the result was journaled: the same base, the same changes, the same choice.
    await workspace.close();
    await openAgain({ changes });
    expect(await commit('Only b', ['src/b.ts'])).toEqual(first);
    // Killed after it: the new base, and still all changes, as the commit was a partial one.
    await workspace.close();
    await openAgain({ changes, baseCommit: first?.sha ?? '' });
    expect(await workspace.git.changes()).toEqual([{ path: 'README.md', status: 'modified' }]);
    await commit('The rest');
    expect(changed()).toBe('M\tREADME.md');
  });

  it('goes to the branch that the session has at that moment', async () => {
    let branch = 'issuewright/issue-7-one';
    await workspace.close();
    await openAgain({ branch: () => branch });
    await workspace.files.write('src/b.ts', text('c\n'));
    branch = 'issuewright/issue-7-other';
    await commit('Change');
    expect(changed('issuewright/issue-7-other')).toBe('M\tsrc/b.ts');
    expect(repository.git('branch', '--list', 'issuewright/issue-7-one')).toBe('');
  });
});

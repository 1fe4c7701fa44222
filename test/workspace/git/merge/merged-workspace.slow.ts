import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Workspace, WorkspaceOptions } from '../../../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { AT, BRANCH, byCommand, open, text } from '../../support.ts';

const lines = (...changed: [number, string][]): string =>
  Array.from({ length: 12 }, (_, at) => `${new Map(changed).get(at) ?? `line ${at}`}\n`).join('');

let server: GitServer;
let repository: TestRepository;
let workspace: Workspace | undefined;
let count = 0;

beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  repository = server.createRepository(`octo/merged-${count}`, {
    'a.txt': lines(),
    'b.txt': lines(),
    '.gitignore': 'dist/\n',
    'old/name.txt': lines([0, 'name']),
  });
  nativeGit(repository.checkout, 'branch', BRANCH);
});
afterEach(async () => {
  await workspace?.close();
  workspace = undefined;
});

async function merging(options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  const merge = { theirs: repository.head(), branch: 'main' };
  workspace = await open(server, repository, {
    baseCommit: repository.head(BRANCH),
    merge,
    ...options,
  });
  return workspace;
}

const ours = (files: Parameters<TestRepository['commit']>[0]) => repository.commit(files, BRANCH);
const theirs = (files: Parameters<TestRepository['commit']>[0]) => repository.commit(files, 'main');
const read = async ({ files }: Workspace, path: string) =>
  Buffer.from(await files.read(path)).toString();
const parents = (sha: string) => repository.git('log', '-1', '--format=%P', sha).split(' ');

describe('a workspace that opens with a merge', () => {
  it('commits what merges cleanly with two parents, and the tree that `git merge` makes', async () => {
    const our = ours({ 'a.txt': lines([2, 'ours']), 'dist/kept.js': 'ours' });
    const their = theirs({ 'a.txt': lines([9, 'theirs']), 'dist/new.js': 'new', 'ü.md': 'ü' });
    const { git, merge, files } = await merging();
    expect(merge).toMatchObject({ result: 'clean', theirs: their, paths: [] });
    expect(await git.changes()).toEqual([]);
    await files.write('left.txt', text('left by a test'));
    const done = await git.commit({ message: 'Merge', at: AT, mergeAlone: true });
    expect(done).toMatchObject({ merges: their, files: [], left: ['left.txt'] });
    expect(parents(BRANCH)).toEqual([our, their]);
    const tree = repository.git('merge-tree', '--write-tree', our, their);
    expect(repository.git('rev-parse', `${BRANCH}^{tree}`)).toBe(tree);
    expect(repository.git('fsck', '--full', '--strict')).toBe('');
    expect(await git.commit({ message: 'Next', at: AT })).toMatchObject({ files: [{}] });
    expect(parents(BRANCH)).toHaveLength(1);
  });

  it('takes what the base branch did to protected files, and nothing that was uncovered on top of it', async () => {
    ours({ 'a.txt': lines([2, 'ours']) });
    const their = theirs({ 'AGENTS.md': 'theirs', 'docs/rules.md': 'theirs' });
    const paths = { deny: ['.env'], readOnly: ['AGENTS.md'] };
    const opened = await merging({ paths });
    const { files, git } = opened;
    await files.write('.gitignore', text('.env\nCODEOWNERS\nnotes\n'));
    await byCommand(opened, (tree) => {
      for (const name of ['.env', 'CODEOWNERS', 'notes']) writeFileSync(join(tree, name), 'made');
    });
    await files.write('.gitignore', text('dist/\nmore/\n'));
    const done = await git.commit({ message: 'Merge', at: AT });
    expect(done).toMatchObject({ merges: their, files: [{ path: '.gitignore' }] });
    expect(done?.withheld?.toSorted()).toEqual(['.env', 'CODEOWNERS', 'notes']);
    expect(repository.git('ls-tree', '-r', '--name-only', BRANCH)).toBe(
      '.gitignore\nAGENTS.md\na.txt\nb.txt\ndocs/rules.md\nold/name.txt',
    );
  });

  it('fetches as much of the history as tells what the branches have in common', async () => {
    ours({ 'a.txt': lines([2, 'ours']) });
    addCommits('main', 55);
    const { merge } = await merging();
    expect(merge?.result).toBe('clean');
  });

  it('fetches no more of a long history than that', async () => {
    addCommits('main', 200);
    repository.git('update-ref', `refs/heads/${BRANCH}`, repository.head());
    addCommits(BRANCH, 1);
    addCommits('main', 5);
    const { merge, commands } = await merging();
    expect(merge?.result).toBe('clean');
    const sides = [repository.head(BRANCH), repository.head()] as const;
    const gitdir = join(commands.directory, '../git');
    expect(Number(nativeGit(gitdir, 'rev-list', '--count', ...sides))).toBeLessThan(60);
  });

  it('has nothing to merge if the branch contains it', async () => {
    ours({ 'a.txt': lines([2, 'ours']) });
    const { merge, git } = await merging({
      merge: { theirs: repository.git('rev-parse', `${BRANCH}~1`), branch: 'main' },
    });
    expect(merge?.result).toBe('contained');
    expect(await git.commit({ message: 'Nothing', at: AT })).toBeUndefined();
  });

  it('has markers where both sides changed a line, and says who changed it', async () => {
    ours({ 'a.txt': lines([2, 'ours']) });
    theirs({ 'a.txt': lines([2, 'theirs']), 'b.txt': lines([1, 'more']) });
    const opened = await merging();
    expect(await read(opened, 'a.txt')).toContain(
      'line 1\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> main\nline 3',
    );
    expect(await read(opened, 'b.txt')).toBe(lines([1, 'more']));
    expect(opened.merge).toMatchObject({
      result: 'conflicts',
      paths: ['a.txt'],
      messages: ['CONFLICT (content): Merge conflict in a.txt'],
      conflicts: [
        {
          path: 'a.txt',
          hasMarkers: true,
          ours: {
            did: 'changed',
            hunks: expect.stringContaining('-line 2\n+ours'),
            commits: [
              { sha: repository.head(BRANCH), author: 'maintainer', subject: 'Change files' },
            ],
          },
          theirs: { did: 'changed', hunks: expect.stringContaining('-line 2\n+theirs') },
        },
      ],
    });
  });

  it('commits no markers, wherever they went, and takes the whole merge once they are gone', async () => {
    const our = ours({ 'a.txt': lines([2, 'ours']), 'old/name.txt': lines([0, 'our name']) });
    const their = theirs({
      'a.txt': lines([2, 'theirs']),
      'old/name.txt': lines([0, 'their name']),
    });
    const { git, files } = await merging();
    const commit = (only?: string[]) => git.commit({ message: 'Merge', at: AT, only });
    await expect(commit()).rejects.toThrow(/still have conflict markers: "a.txt", "old\/name.txt"/);
    await files.write('a.txt', text(lines([2, 'both'])));
    await expect(commit(['a.txt'])).rejects.toThrow(/markers: "old\/name.txt"/);
    await files.rename([{ from: 'old/name.txt', to: 'new/name.txt' }]);
    await expect(commit()).rejects.toThrow(/markers: "new\/name.txt"/);
    expect(await git.commit({ message: 'Merge', at: AT, unlessUnresolved: true })).toBeUndefined();
    await files.write('new/name.txt', text(lines([0, 'both'])));
    await commit(['a.txt']);
    expect(parents(BRANCH)).toEqual([our, their]);
    expect(repository.git('show', `${BRANCH}:a.txt`)).toContain('both');
    expect(repository.git('ls-tree', '--name-only', `${BRANCH}`, 'old/', 'new/')).toBe(
      'new/name.txt',
    );
  });

  it('asks for a decision where there are no markers', async () => {
    remove('b.txt', 'main');
    ours({ 'b.txt': lines([3, 'kept']) });
    const { git, merge } = await merging();
    expect(merge?.conflicts).toMatchObject([
      { path: 'b.txt', hasMarkers: false, ours: { did: 'changed' }, theirs: { did: 'deleted' } },
    ]);
    const request = { message: 'Merge', at: AT };
    await expect(git.commit(request)).rejects.toThrow(/Nothing was decided about .*"b.txt"/);
    await git.commit({ ...request, decided: ['b.txt'] });
    expect(repository.git('show', `${BRANCH}:b.txt`)).toContain('kept');
  });

  it('gives the same merge to what was stored of its resolution, and the same commit', async () => {
    ours({ 'a.txt': lines([2, 'ours']) });
    theirs({ 'a.txt': lines([2, 'theirs']) });
    const first = await merging();
    await first.files.write('a.txt', text(lines([2, 'both'])));
    const changes = await first.drain();
    const options = { baseCommit: repository.head(BRANCH) };
    const done = await first.git.commit({ message: 'Merge', at: AT });
    await first.close();
    const again = await merging({ ...options, changes });
    expect(await again.git.commit({ message: 'Merge', at: AT })).toMatchObject({ sha: done?.sha });
  });
});

/** Adds commits without changes to a branch. */
function addCommits(branch: string, count: number): void {
  const tree = repository.git('rev-parse', `${branch}^{tree}`);
  let head = repository.head(branch);
  for (let at = 0; at < count; at += 1)
    head = repository.git('commit-tree', tree, '-p', head, '-m', `${branch} ${at}`);
  repository.git('update-ref', `refs/heads/${branch}`, head);
}

function remove(path: string, branch: string): void {
  const git = (...words: string[]) => nativeGit(repository.checkout, ...words);
  git('checkout', '-q', branch);
  git('rm', '-q', path);
  git('commit', '-q', '-m', `Remove ${path}`);
  git('push', '-q', 'origin', branch);
}

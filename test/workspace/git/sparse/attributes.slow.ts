// Attributes that hold in directories which no work tree has.
import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { mergeSparse } from '../../../../src/workspace/git/sparse/sparse-merge.ts';
import { nativeGit } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const { signal } = new AbortController();

const lines = (...changed: [number, string][]): string =>
  Array.from({ length: 12 }, (_, at) => `${new Map(changed).get(at) ?? `line ${at}`}\n`).join('');

/** Merges two commits that change a file of this directory, in a repository that has everything. */
async function mergedIn(directory: string, base: Readonly<Record<string, string>> = {}) {
  const gitdir = temporaryDirectory();
  nativeGit(gitdir, 'init', '-q', '--bare', '--template=', '.');
  const commitOf = (branch: string, from: string, files: Readonly<Record<string, string>>) =>
    `commit refs/heads/${branch}\ncommitter t <t@example.test> 0 +0000\ndata 1\nm\n${from}` +
    Object.entries(files)
      .map(
        ([name, content]) =>
          `M 100644 inline ${directory}/${name}\ndata ${content.length}\n${content}\n`,
      )
      .join('');
  const input = [
    commitOf('base', '', { ...base, 'f.txt': lines() }),
    commitOf('ours', 'from refs/heads/base\n', { 'f.txt': lines([2, 'ours']) }),
    commitOf('theirs', 'from refs/heads/base\n', { 'f.txt': lines([9, 'theirs']) }),
  ].join('');
  execFileSync('git', ['fast-import', '--quiet'], { cwd: gitdir, input });
  const [ours = '', theirs = ''] = ['ours', 'theirs'].map((one) =>
    nativeGit(gitdir, 'rev-parse', one),
  );
  const place = { gitdir, tree: temporaryDirectory(), signal };
  const request = { ours, theirs, branch: 'theirs', sparse: ['billing'] };
  const { tree, conflicts } = await mergeSparse(place, request, async () => {});
  expect(conflicts).toEqual([]);
  expect(nativeGit(gitdir, 'show', `${tree}:${directory}/f.txt`)).toBe(
    lines([2, 'ours'], [9, 'theirs']).trim(),
  );
}

it('a merge without files reads attributes in deep directories, whatever their names are', () =>
  mergedIn(`:_x${'/d'.repeat(1_900)}`));

it.each([
  ['has a name that is too long for the system', 'd'.repeat(256)],
  ['has such a name in fewer characters', `web/${'é'.repeat(128)}/inner`],
  ['is too deep for the system', `web${'/directory'.repeat(500)}`],
])('reads none where a directory %s: no checkout has them', async (_what, directory) => {
  await mergedIn(directory, { '.gitattributes': '*.txt -merge\n' });
});

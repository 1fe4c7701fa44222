import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { canMerge } from '../../../../src/workspace/git/engines/native/native-git.ts';
import { mergeTrees, relationOf } from '../../../../src/workspace/git/merge/three-way-merge.ts';
import { nativeGit } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { merge } from './native-merge.ts';

const { signal } = new AbortController();

describe('a merge of longer histories', () => {
  let checkout: string;
  const git = (...words: string[]) => nativeGit(checkout, ...words);
  const write = (name: string, content: string, message = name) => {
    writeFileSync(join(checkout, name), content);
    git('add', '.');
    git('commit', '-q', '-m', message);
    return git('rev-parse', 'HEAD');
  };
  const lines = (...changed: [number, string][]) =>
    Array.from({ length: 20 }, (_, at) => new Map(changed).get(at) ?? `line ${at}`).join('\n');
  const place = () => ({ gitdir: bare(), tree: checkout, signal });
  const bare = () => {
    const gitdir = join(temporaryDirectory(), 'bare');
    git('clone', '-q', '--bare', '--shared', '.', gitdir);
    return gitdir;
  };

  beforeAll(() => {
    checkout = join(temporaryDirectory(), 'long');
    nativeGit(temporaryDirectory(), 'init', '-q', '-b', 'main', '--template=', checkout);
  });

  it('with several merge bases ends as `git merge` ends', async () => {
    write('criss.txt', lines());
    git('branch', 'side');
    const one = write('criss.txt', lines([2, 'ours']));
    git('checkout', '-q', 'side');
    const other = write('criss.txt', lines([10, 'theirs']));
    expect(merge(checkout, one)).toBe(true);
    git('checkout', '-q', 'main');
    expect(merge(checkout, other)).toBe(true);
    const ours = write('criss.txt', lines([2, 'ours'], [10, 'theirs'], [15, 'ours again']));
    git('checkout', '-q', 'side');
    const theirs = write('criss.txt', lines([2, 'ours, changed'], [10, 'theirs']));
    git('checkout', '-q', 'main');
    const merged = await mergeTrees(place(), { ours, theirs }, 'side');
    expect(merged.bases).toHaveLength(2);
    expect(merge(checkout, 'side')).toBe(true);
    expect(merged.conflicts).toEqual([]);
    expect(merged.tree).toBe(git('rev-parse', 'HEAD^{tree}'));
  });

  it('follows `merge=union` of the attributes, and runs no driver', async () => {
    write('.gitattributes', 'list.txt merge=union\ncode.txt merge=mine\n', 'attributes');
    write('list.txt', 'a\nb\n');
    write('code.txt', 'a\nb\n');
    git('branch', 'attributes');
    write('list.txt', 'a\nours\n');
    const ours = write('code.txt', 'a\nours\n');
    git('checkout', '-q', 'attributes');
    write('list.txt', 'a\ntheirs\n');
    const theirs = write('code.txt', 'a\ntheirs\n');
    git('checkout', '-q', 'main');
    const at = place();
    const ran = join(temporaryDirectory(), 'ran');
    nativeGit(at.gitdir, 'config', 'merge.other.driver', `touch ${ran}`);
    const merged = await mergeTrees(at, { ours, theirs }, 'attributes');
    expect(merged.conflicts.map(({ path }) => path)).toEqual(['code.txt']);
    expect(nativeGit(at.gitdir, 'show', `${merged.tree}:list.txt`)).toBe('a\nours\ntheirs');
    expect(nativeGit(at.gitdir, 'show', `${merged.tree}:code.txt`)).toBe(
      'a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> attributes',
    );
  });

  it('is told apart from nothing to merge, and from a history that does not tell', async () => {
    git('checkout', '-q', '-B', 'deep', 'main');
    for (let at = 0; at < 6; at += 1) write('deep.txt', `deep ${at}`);
    const theirs = git('rev-parse', 'HEAD');
    git('checkout', '-q', 'main');
    const ours = write('ours.txt', 'ours');
    expect(await relationOf(place(), { ours: theirs, theirs: git('rev-parse', 'deep~3') })).toBe(
      'contained',
    );
    expect(await relationOf(place(), { ours, theirs })).toBe('diverged');
    const gitdir = join(temporaryDirectory(), 'shallow');
    const url = `file://${checkout}`;
    nativeGit(checkout, 'clone', '-q', '--bare', '--depth=3', '--no-single-branch', url, gitdir);
    const shallow = { ...place(), gitdir };
    expect(await relationOf(shallow, { ours, theirs })).toBe('deeper');
    nativeGit(gitdir, 'fetch', '-q', '--depth=8', url, '+refs/heads/*:refs/heads/*');
    expect(await relationOf(shallow, { ours, theirs })).toBe('diverged');
  });
});

it('needs git 2.38', () => {
  expect(['2.38', '2.39.5', '2.50.1', '3.0'].map(canMerge)).toEqual([true, true, true, true]);
  expect(['2.37.9', '1.99', undefined].map(canMerge)).toEqual([false, false, false]);
});

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

type Seed = Readonly<Record<string, string>>;

/** A directory with these files. */
function scene(seed: Seed): { root: string; files: WorkspaceFiles } {
  const root = temporaryDirectory();
  for (const [path, content] of Object.entries(seed)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return { root, files: new WorkspaceFiles(root) };
}

/** All files below a directory, with their content; a link with its target. */
function look(root: string, below = ''): Seed {
  return Object.assign(
    {},
    ...readdirSync(join(root, below)).map((name): Seed => {
      const path = join(below, name);
      const stats = lstatSync(join(root, path));
      if (stats.isDirectory()) return look(root, path);
      if (stats.isSymbolicLink()) return { [path]: `-> ${readlinkSync(join(root, path))}` };
      return { [path]: readFileSync(join(root, path), 'utf8') };
    }),
  ) as Seed;
}

/** Moves written as `a > b`. */
const moves = (...words: string[]): { from: string; to: string }[] =>
  words.map((move) => {
    const [from = '', to = ''] = move.split(' > ');
    return { from, to };
  });

const SEED = { a: '1', b: '2', 'dir/c': '3', 'dir/deep/d': '4' };

describe('moved files', () => {
  it.each<[name: string, moves: string[], after: Seed]>([
    ['one', ['a > x/y/z'], { b: '2', 'dir/c': '3', 'dir/deep/d': '4', 'x/y/z': '1' }],
    ['a chain', ['a > b', 'b > e'], { b: '1', e: '2', 'dir/c': '3', 'dir/deep/d': '4' }],
    ['an exchange', ['a > b', 'b > a'], { ...SEED, a: '2', b: '1' }],
    ['a ring', ['a > b', 'b > dir/c', 'dir/c > a'], { ...SEED, a: '3', b: '1', 'dir/c': '2' }],
    ['a directory', ['dir > lib/new'], { a: '1', b: '2', 'lib/new/c': '3', 'lib/new/deep/d': '4' }],
    [
      'a directory into itself',
      ['dir > dir/deep'],
      { a: '1', b: '2', 'dir/deep/c': '3', 'dir/deep/deep/d': '4' },
    ],
    [
      'a file in place of its directory',
      ['dir/deep/d > dir/deep'],
      { a: '1', b: '2', 'dir/c': '3', 'dir/deep': '4' },
    ],
    [
      'a file into a directory of its name',
      ['a > a/a'],
      { b: '2', 'a/a': '1', 'dir/c': '3', 'dir/deep/d': '4' },
    ],
    [
      'directories that change places',
      ['dir > b', 'b > dir'],
      { a: '1', 'b/c': '3', 'b/deep/d': '4', dir: '2' },
    ],
    ['another case', ['a > A'], { A: '1', b: '2', 'dir/c': '3', 'dir/deep/d': '4' }],
  ])('can be %s', async (_name, words, after) => {
    const { root, files } = scene(SEED);
    await files.rename(moves(...words));
    expect(look(root)).toEqual(after);
  });

  it.each<[name: string, moves: string[], reason: string]>([
    ['what is there is not replaced', ['a > x', 'a > b'], '"a" is listed twice'],
    ['a place is taken', ['a > x', 'b > dir/c'], '"dir/c" already exists'],
    ['a place is taken by a directory', ['a > x', 'b > dir'], '"dir" already exists'],
    ['two go to one place', ['a > x', 'b > x'], '"x" is listed twice'],
    ['one is not there', ['a > x', 'none > y'], '"none" does not exist'],
    ['one is moved with its directory too', ['dir > x', 'dir/c > y'], '"dir/c" is listed twice'],
    [
      'a place is below a file',
      ['a > x', 'b > x/y'],
      '"x/y" is not a valid path: one of its parents is a file',
    ],
    ['one stays where it is', ['a > x', 'b > ./b'], '"b" is already at that path'],
    ['one is closed', ['a > x', 'b > .git/b'], 'belongs to git, and cannot'],
    ['one is protected', ['a > x', 'b > CODEOWNERS'], 'it decides who reviews'],
    ['one has no name', ['a > x', 'b > .'], 'is not a file'],
    ['the way leads through a link', ['a > x', 'b > link/b'], 'leads through a symbolic link'],
    ['a link is in its place', ['a > x', 'b > link'], '"link" already exists'],
  ])('are all where they were when %s', async (_name, words, reason) => {
    const { root, files } = scene(SEED);
    symlinkSync('dir', join(root, 'link'));
    const before = look(root);
    await expect(files.rename(moves(...words))).rejects.toThrow(reason);
    await expect(files.rename(moves(...words))).rejects.toBeInstanceOf(TellModel);
    expect(look(root)).toEqual(before);
    expect(files.changes.drain()).toEqual([]);
  });

  it('keep their executable bit, and links stay links to what they named', async () => {
    const { root, files } = scene({ 'bin/run.sh': 'x' });
    chmodSync(join(root, 'bin/run.sh'), 0o755);
    symlinkSync('/etc/passwd', join(root, 'bin/link'));
    expect(await files.rename(moves('bin > tools'))).toEqual({ files: 2 });
    expect(statSync(join(root, 'tools/run.sh')).mode & 0o777).toBe(0o755);
    expect(look(root)).toEqual({ 'tools/link': '-> /etc/passwd', 'tools/run.sh': 'x' });
  });

  it('may be ignored ones of their directory, but not those of a repository in it', async () => {
    const { root, files } = scene({
      '.gitignore': '*.log',
      'dir/a.log': '1',
      'dir/inner/.git/config': '2',
      'dir/inner/file': '3',
    });
    expect(await files.rename(moves('dir > new'))).toEqual({
      files: 1,
      uncommitted: 'No commit includes "new/a.log": .gitignore ignores it.',
    });
    expect(look(root)).toEqual({
      '.gitignore': '*.log',
      'dir/inner/.git/config': '2',
      'dir/inner/file': '3',
      'new/a.log': '1',
    });
  });

  it('must exist: a directory without files does not count', async () => {
    const { root, files } = scene({});
    mkdirSync(join(root, 'empty'));
    await expect(files.rename(moves('empty > x'))).rejects.toThrow('contains no files to move');
  });

  it('are at most 1000, of 16 MiB together', async () => {
    const { root, files } = scene({ 'large/a': '', 'large/b': '' });
    for (const name of ['a', 'b']) truncateSync(join(root, 'large', name), 9 * 2 ** 20);
    await expect(files.rename(moves('large > x'))).rejects.toThrow(
      'At most 16777216 bytes can be moved at once. Split the move.',
    );
    mkdirSync(join(root, 'many'));
    for (let index = 0; index <= 1000; index += 1)
      writeFileSync(join(root, 'many', `${index}`), '');
    await expect(files.rename(moves('many > x'))).rejects.toThrow('At most 1000 files');
    expect(readdirSync(join(root, 'many'))).toHaveLength(1001);
  });
});

describe('a deleted file', () => {
  it('is gone with the directories that it leaves empty', async () => {
    const { root, files } = scene(SEED);
    await files.delete('dir/deep/d');
    expect(readdirSync(join(root, 'dir'))).toEqual(['c']);
    await files.delete('dir/c');
    expect(look(root)).toEqual({ a: '1', b: '2' });
    expect(readdirSync(root)).toEqual(['a', 'b']);
  });

  it('may be a link, of which nothing else is touched', async () => {
    const { root, files } = scene(SEED);
    symlinkSync('dir', join(root, 'link'));
    symlinkSync('nowhere', join(root, 'dangling'));
    await files.delete('link');
    await files.delete('dangling');
    expect(look(root)).toEqual(SEED);
  });

  it('has to be there, and no directory', async () => {
    const { root, files } = scene(SEED);
    await expect(files.delete('none')).rejects.toThrow('"none" does not exist');
    await expect(files.delete('dir')).rejects.toThrow('Delete its files one by one');
    await expect(files.delete('a/b')).rejects.toThrow('one of its parents is a file');
    expect(look(root)).toEqual(SEED);
    expect(files.changes.drain()).toEqual([]);
  });
});

describe('moves and deletions that were drained', () => {
  it.each([
    [['dir > a', 'a > dir']],
    [['dir > b', 'b > dir']],
    [['a > b', 'b > a']],
    [['dir/deep/d > dir/deep']],
    [['dir > lib', 'a > dir/c']],
    [['a > x/y', 'b > x/z']],
  ])('give the same files on a fresh copy: %j', async (words) => {
    const { root, files } = scene(SEED);
    chmodSync(join(root, 'a'), 0o755);
    await files.write('e', Buffer.from('5'));
    const first = files.changes.drain();
    await files.rename(moves(...words));
    await files.delete('e');
    const second = files.changes.drain();
    const fresh = scene(SEED);
    chmodSync(join(fresh.root, 'a'), 0o755);
    fresh.files.restore([...first, ...second]);
    expect(look(fresh.root)).toEqual(look(root));
    for (const path of Object.keys(look(root)))
      expect(statSync(join(fresh.root, path)).mode).toBe(statSync(join(root, path)).mode);
  });

  it('may have made a file of a directory for a while', async () => {
    const { root, files } = scene(SEED);
    await files.rename(moves('dir > lib', 'a > dir'));
    const first = files.changes.drain();
    await files.rename(moves('dir > a', 'lib > dir'));
    const fresh = scene(SEED);
    fresh.files.restore([...first, ...files.changes.drain()]);
    expect(look(fresh.root)).toEqual(look(root));
    expect(look(root)).toEqual(SEED);
  });
});

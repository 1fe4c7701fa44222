import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { searchIn, write } from './support.ts';

const SEED = {
  '.gitignore': 'dist/*\n*.log\n!keep.log\n',
  'a.ts': 'token',
  'keep.log': 'token',
  'noise.log': 'token',
  'dist/out.js': 'token',
  'dist/kept.js': 'token',
  'src/.gitignore': '/generated\n',
  'src/b.ts': 'token',
  'src/noise.log': 'token',
  'src/generated/c.ts': 'token',
  'src/generated/deep/d.ts': 'token',
  'src/deep/generated/e.ts': 'token',
  'other/.git/config': 'token',
  'other/file.ts': 'token',
  '.git/config': 'token',
  'sub/.GIT/config': 'token',
  'git~1/config': 'token',
  'new\nline.ts': 'token',
  'ünïcode 漢.ts': 'token',
  'secrets/key.pem': 'token',
  'Secrets.env': 'token',
};
const TRACKED = ['a.ts', 'dist/kept.js', 'src/b.ts'];
const PATHS = { deny: ['secrets', '*.env'] };

function scene() {
  const outside = temporaryDirectory();
  write(outside, { 'file.ts': 'token', 'directory/file.ts': 'token' });
  const world = searchIn(SEED, { tracked: TRACKED, paths: PATHS });
  symlinkSync(join(outside, 'file.ts'), join(world.root, 'link.ts'));
  symlinkSync(join(outside, 'directory'), join(world.root, 'linked'));
  symlinkSync('.', join(world.root, 'loop'));
  execFileSync('mkfifo', [join(world.root, 'pipe.ts')]);
  return world;
}

describe('what a search sees', () => {
  it('is every file that is not ignored, closed, or of another repository', async () => {
    const { find, grep, ask } = scene();
    const found = await find();
    expect(found).toEqual([
      '.gitignore', 'a.ts', 'dist/kept.js', 'keep.log', 'new\nline.ts', 'src/.gitignore', 'src/b.ts',
      'src/deep/generated/e.ts', 'ünïcode 漢.ts',
    ]); // prettier-ignore
    const withToken = found.filter((path) => !path.endsWith('.gitignore'));
    const matched = (await grep('token')).found.map(({ path }) => path);
    expect(matched.toSorted()).toEqual(withToken);
    expect((await ask('token')).toSorted()).toEqual(withToken);
  });

  it('ends at links, at devices and at what the settings close, with the reason', async () => {
    const { grep } = scene();
    const begin = async (path: string) => grep('token', { path });
    await expect(begin('linked')).rejects.toThrow('symbolic link');
    await expect(begin('linked/file.ts')).rejects.toThrow('symbolic link');
    await expect(begin('pipe.ts')).rejects.toThrow('not a regular file');
    await expect(begin('secrets')).rejects.toThrow('repository settings deny access');
    await expect(begin('.git')).rejects.toThrow('belongs to git, and cannot');
    await expect(begin('../x')).rejects.toThrow('".."');
  });

  it('follows the rules of the parent directories of its start', async () => {
    const { find } = scene();
    expect(await find('**', 'src')).toEqual([
      'src/.gitignore',
      'src/b.ts',
      'src/deep/generated/e.ts',
    ]);
  });
});

it('in an ignored directory, a search sees only tracked files, unless it begins there', async () => {
  const tracked = ['.gitignore', 'build/kept.ts', 'build/in/kept.ts'];
  const untracked = [
    'build/out.ts',
    'build/in/out.ts',
    'build/in/more/out.ts',
    'build/other/out.ts',
  ];
  const files = [...tracked, ...untracked].map((path): [string, string] => [path, 'token']);
  const { find, grep, ask } = searchIn(
    { ...Object.fromEntries(files), '.gitignore': 'build/\n# token' },
    { tracked },
  );
  expect(await find()).toEqual(tracked.toSorted());
  expect((await grep('token')).found.map(({ path }) => path).toSorted()).toEqual(
    tracked.toSorted(),
  );
  expect((await ask('token')).toSorted()).not.toContain('build/out.ts');
  expect(await find('**', 'build')).toEqual([...tracked.slice(1), ...untracked].toSorted());
});

it('a search sees files as deep as the tools reach, and none deeper', async () => {
  const deep = `${'in/'.repeat(63)}deep.ts`;
  const { find, grep, ask } = searchIn({ [deep]: 'token', [`in/${deep}`]: 'token' });
  expect(await find()).toEqual([deep]);
  expect((await grep('token')).found.map(({ path }) => path)).toEqual([deep]);
  expect(await ask('token')).toEqual([deep]);
});

describe('a file that is not text', () => {
  it('is found by its name and not in its content', async () => {
    const { grep, find, ask } = searchIn({
      'binary.ts': Uint8Array.from([0x74, 0x6f, 0x6b, 0x65, 0x6e, 0]),
      'latin1.ts': Uint8Array.from([0xe9, 0x0a, ...Buffer.from('token')]),
    });
    expect((await grep('token')).found.map(({ path }) => path)).toEqual(['latin1.ts']);
    expect(await find('*.ts')).toEqual(['binary.ts', 'latin1.ts']);
    expect(await ask('binary')).toEqual(['binary.ts']);
  });

  it('is reported if it is too large', async () => {
    const { grep } = searchIn({ 'huge.txt': Buffer.alloc(16 * 1024 * 1024 + 1, 'a\n') });
    expect(await grep('a')).toEqual({
      found: [],
      ended: 'complete',
      files: 1,
      tooLarge: ['huge.txt'],
      notText: [],
    });
  });
});

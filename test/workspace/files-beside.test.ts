import { describe, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const failureOf = async (paths: readonly string[], path: string, deny: readonly string[] = []) => {
  const root = temporaryDirectory();
  for (const each of paths) {
    mkdirSync(dirname(join(root, each)), { recursive: true });
    writeFileSync(join(root, each), '');
  }
  const files = new WorkspaceFiles(root, undefined, { deny });
  return files.read(path).then(
    () => 'read',
    (error: unknown) => (error as Error).message,
  );
};

describe('a path that does not exist', () => {
  it.each([
    [
      'the directory, names like it first',
      ['lib/a.js', 'lib/slug.js', 'lib/slug/b.js'],
      'lib/slugs.js',
      '"lib/slugs.js" does not exist. Beside it: slug/, slug.js, a.js.',
    ],
    [
      'the root',
      ['readme.txt', 'src/a.js'],
      'index.js',
      '"index.js" does not exist. Beside it: readme.txt, src/.',
    ],
    [
      'the nearest directory that exists',
      ['lib/a.js', 'lib/b.js'],
      'lib/deep/er/c.js',
      '"lib/deep/er/c.js" does not exist: there is no "lib/deep". Beside that: a.js, b.js.',
    ],
    [
      'what differs in case only',
      ['lib/A.js', 'lib/b.js'],
      'lib/a.js',
      '"lib/a.js" does not exist. There is "lib/A.js".',
    ],
  ])('names what is beside it: %s', async (_, paths, path, expected) => {
    expect(await failureOf(paths, path)).toBe(expected);
  });

  it('names the ten nearest of many', async () => {
    const many = Array.from({ length: 30 }, (_, number) => `lib/part-${number}.js`);
    expect(await failureOf([...many, 'lib/xyz.js'], 'lib/xy.js')).toMatch(
      /Beside it: xyz\.js, (?:part-\d+\.js, ){9}and 21 more\.$/,
    );
  });

  it('names nothing of git, and nothing that the settings deny', async () => {
    const paths = ['.git/config', 'secret.txt', 'private/key', 'open.txt'];
    expect(await failureOf(paths, 'a.txt', ['secret.txt', 'private'])).toBe(
      '"a.txt" does not exist. Beside it: open.txt.',
    );
  });

  it('says so of an empty directory', async () => {
    expect(await failureOf([], 'a.txt')).toBe('"a.txt" does not exist: its directory is empty.');
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileGlob } from '../../src/lib/glob.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { nativeGit } from '../support/git-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { stopwatch } from '../support/computing.ts';
import { filesBelow } from '../support/files-below.ts';

const PATHS = [
  'a', 'b', 'ab', 'a.b', 'b.a', 'a b', '#a', '!a', 'a*', 'A',
  'd/a', 'd/b', 'd/e/a', 'd/e/ab', 'd/e/a.b', 'e/a', 'e/d/b', 'e/d/a/b', 'f/a/x', 'f/b',
]; // prettier-ignore
const root = temporaryDirectory();
nativeGit(root, 'init', '-q');
for (const path of PATHS) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '');
}
const files = new WorkspaceFiles(root);

/** What git itself takes for untracked and not ignored. */
const nativeFind = (): string[] =>
  execFileSync('git', ['ls-files', '-z', '--others', '--exclude-per-directory=.gitignore'], {
    cwd: root,
  })
    .toString()
    .split('\0')
    .filter((path) => path !== '')
    .toSorted();

const compare = async (atRoot: string, inDirectory: string): Promise<void> => {
  writeFileSync(join(root, '.gitignore'), atRoot);
  writeFileSync(join(root, 'd', '.gitignore'), inDirectory);
  expect(await filesBelow(files)).toEqual(nativeFind());
};

describe('.gitignore, as git itself reads it', () => {
  it.each([
    'a', '/a', 'a/', 'd/', '/d/e', 'd/e/', 'd/**', '**/a', '**/e/a', 'd/**/a', 'e/**/b', 'a*', '*.b', '?',
    '[ab]', '[!a]', '[a-b].*', '\\#a', '\\!a', '#a', 'a\\ b', 'a b  ', 'a\\*', '*\n!a', '*\n!*/\n!a',
    'd\n!d/a', 'd/*\n!d/e\nd/e/*\n!d/e/a', '', '\n\n', ' ', '/', '!', '**', 'a**', '/**/b', '*/a', 'e/d',
    'a\r\nb', '[', 'a[', '\\', 'A', '**/d/**', 'f/*/x',
  ])('%j', async (text) => compare(text, '')); // prettier-ignore

  it('with another one deeper down', async () => {
    await compare('*.b\na', '!a\n/b\ne/ab\n');
    await compare('d/e/a', '!e/a');
    await compare('', '*\n!.gitignore');
    await compare('', '***/a');
  });

  it('with patterns made at random', async () => {
    const line = fc
      .array(fc.constantFrom('a', 'b', 'd', 'e', '/', '*', '**', '?', '!', '.', '[ab]'), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.join(''))
      // What git makes of `**` beside other signs depends on how it splits off a literal prefix.
      .filter((pattern) => !/[^/!]\*\*|\*\*[^/]/.test(pattern));
    const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
    await fc.assert(fc.asyncProperty(text, text, compare), { numRuns: 100 });
  });
});

describe('a glob', () => {
  it('takes linear time, however it is written', () => {
    const matches = compileGlob(`${'*a'.repeat(40)}*b`);
    const taken = stopwatch();
    expect(matches('a'.repeat(5000))).toBe(false);
    expect(taken()).toBeLessThan(5000);
  });
});

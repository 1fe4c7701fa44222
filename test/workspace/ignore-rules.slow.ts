import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compileGlob } from '../../src/lib/glob.ts';
import { ContainedTree } from '../../src/workspace/files/contained-tree.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { notIgnored, trackedPaths, walkTree } from '../../src/workspace/files/walk-tree.ts';
import { IgnoreRules } from '../../src/workspace/files/git-rules.ts';
import { nativeGit } from '../support/git-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { expectLinear } from '../support/growth.ts';

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
// Some are tracked, also if they are ignored: what is beside them is not.
const TRACKED = ['d/e/a', 'f/a/x'];
nativeGit(root, 'add', '--', ...TRACKED);
const isTracked = trackedPaths(TRACKED);
const files = new WorkspaceFiles(root, isTracked);

/** What git itself takes for tracked, or for new and not ignored. */
const nativeFind = (): string[] =>
  execFileSync('git', ['ls-files', '-zco', '--exclude-per-directory=.gitignore'], { cwd: root })
    .toString()
    .split('\0')
    .filter((path) => path !== '')
    .toSorted();

const compare = (atRoot: string, inDirectory: string): void => {
  writeFileSync(join(root, '.gitignore'), atRoot);
  writeFileSync(join(root, 'd', '.gitignore'), inDirectory);
  const tree = new ContainedTree(root);
  const walked = [...walkTree(tree, [], { isWanted: notIgnored(tree, isTracked), isTracked })];
  expect(walked.map(({ path }) => path).toSorted()).toEqual(nativeFind());
};

describe('.gitignore, as git itself reads it', () => {
  it.each([
    'a', '/a', 'a/', 'd/', '/d/e', 'd/e/', 'd/**', '**/a', '**/e/a', 'd/**/a', 'e/**/b', 'a*', '*.b', '?',
    '[ab]', '[!a]', '[a-b].*', '\\#a', '\\!a', '#a', 'a\\ b', 'a b  ', 'a\\*', '*\n!a', '*\n!*/\n!a',
    'd\n!d/a', 'd/*\n!d/e\nd/e/*\n!d/e/a', '', '\n\n', ' ', '/', '!', '**', 'a**', '/**/b', '*/a', 'e/d',
    'a\r\nb', '[', 'a[', '\\', 'A', '**/d/**', 'f/*/x',
  ])('%j', (text) => compare(text, '')); // prettier-ignore

  it('with another one deeper down', () => {
    compare('*.b\na', '!a\n/b\ne/ab\n');
    compare('d/e/a', '!e/a');
    compare('', '*\n!.gitignore');
    compare('', '***/a');
  });

  it('as does the answer to a write', async () => {
    writeFileSync(join(root, '.gitignore'), '/f/\n!/f/b\n/d/e/*\n');
    writeFileSync(join(root, 'd', '.gitignore'), '');
    for (const path of [...PATHS, 'f/a/y', 'f/new', 'd/e/new/x']) {
      const { uncommitted } = await files.write(path, Buffer.from(''));
      expect({ path, isTaken: uncommitted === undefined }).toEqual({
        path,
        isTaken: nativeFind().includes(path),
      });
    }
    for (const path of ['f/a/y', 'f/new', 'd/e/new']) rmSync(join(root, path), { recursive: true });
  });

  it('but a directory that is ignored shows its files if it is listed by name', async () => {
    writeFileSync(join(root, '.gitignore'), '/d/\n');
    const shown = (await files.list('d/e')).filter(({ isIgnored }) => !isIgnored);
    expect(shown.map(({ name }) => name)).toEqual(['a', 'a.b', 'ab']);
  });

  it('with patterns made at random', () => {
    const line = fc
      .array(fc.constantFrom('a', 'b', 'd', 'e', '/', '*', '**', '?', '!', '.', '[ab]'), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.join(''))
      // What git makes of `**` beside other signs depends on how it splits off a literal prefix.
      .filter((pattern) => !/[^/!]\*\*|\*\*[^/]/.test(pattern));
    const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
    fc.assert(fc.property(text, text, compare), { numRuns: 100 });
  });
});

describe('the rules for directories in one another', () => {
  it('cost each directory the same, however deep it is', () => {
    expectLinear((depth) => {
      const rules = new IgnoreRules((directory) => (directory === '' ? '*.log\n' : undefined));
      for (let at = 1; at <= depth; at += 1)
        expect(rules.isIgnored(`${'d/'.repeat(at)}file`, false)).toBe(false);
    }, 1_600);
  });
});

describe('a glob', () => {
  it('takes linear time, however it is written', () => {
    const matches = compileGlob(`${'*a'.repeat(40)}*b`);
    expectLinear((length) => expect(matches('a'.repeat(length))).toBe(false), 40_000);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AttributeRules } from '../../src/workspace/files/git-rules.ts';
import { ContainedTree } from '../../src/workspace/files/contained-tree.ts';
import { nativeGit } from '../support/git-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const PATHS = [
  'a',
  'b',
  'ab',
  'a.b',
  'b.a',
  'a b',
  '#a',
  '!a',
  'd/a',
  'd/ab',
  'd/e/a',
  'd/e/a.b',
  'e/d/a',
];
const NAMES = ['text', 'eol', 'filter', 'diff', 'merge', 'mine', 'binary', 'crlf'];
const root = temporaryDirectory();
nativeGit(root, 'init', '-q');

/** What git says of each path: `path name value` for each attribute that is specified. */
function byGit(): readonly string[] {
  const input = PATHS.map((path) => `${path}\0`).join('');
  const output = execFileSync('git', ['check-attr', '-z', '--stdin', ...NAMES], {
    cwd: root,
    input,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
    .toString()
    .split('\0');
  const rows: string[] = [];
  for (let at = 0; at + 2 < output.length; at += 3)
    if (output[at + 2] !== 'unspecified') rows.push(output.slice(at, at + 3).join(' '));
  return rows.toSorted();
}

function byRules(): readonly string[] {
  const rules = new AttributeRules(new ContainedTree(root));
  const word = (value: string | boolean): string =>
    value === true ? 'set' : value === false ? 'unset' : value;
  return PATHS.flatMap((path) =>
    [...rules.of(path)].map(([name, value]) => `${path} ${name} ${word(value)}`),
  )
    .filter((row) => NAMES.includes(row.split(' ').at(-2) ?? ''))
    .toSorted();
}

function compare(atRoot: string, inDirectory = ''): void {
  for (const [directory, text] of [
    ['.', atRoot],
    ['d', inDirectory],
  ] as const) {
    mkdirSync(join(root, directory), { recursive: true });
    writeFileSync(join(root, directory, '.gitattributes'), text);
  }
  expect(byRules()).toEqual(byGit());
}

describe('attributes', () => {
  it.each([
    '*.b filter=lfs diff=lfs merge=lfs -text',
    '* text=auto\n*.b eol=crlf\n',
    '* text\r\na -text\r\n',
    '[attr]mine filter=lfs -text\n*.b mine\na -mine\nd/a !mine',
    '[attr] mine filter=lfs\n*.b mine',
    'a mine\n[attr]mine text',
    '* binary\na text\nb -binary\nab !binary',
    '"a b" text\n"\\303\\244" text\n"a.b',
    '/a text\nd/a eol=lf\n**/a filter=x\nd/** mine\ne/*/a crlf=input',
    '!a text\nd/ text\n\\!a text\n#a text\n\\#a mine',
    'a text eol=crlf text=auto -text',
    'a text eol=crlf !text\n* text',
    'a -text=auto\nb !eol=lf\nab = \na.b te$xt mine',
    '\ufeffa text',
    `a ${'text '.repeat(600)}\nb text`,
    'a text=\nb filter==x',
    'a',
    '[ab] text\n[!a] mine\n? eol=lf\na* filter=lfs\n\\a merge',
  ])('are read as git reads them: %j', (text) => compare(text));

  it('in a deeper directory come before those above', () => {
    compare(
      '*.b filter=lfs\na text\nd/e/a mine',
      '*.b !filter\n/a -text\ne/a eol=crlf\n[attr]mine text\nab mine',
    );
  });

  it('are read as git reads them, with lines made at random', () => {
    const pattern = fc
      .array(fc.constantFrom('a', 'b', 'd', 'e', '/', '*', '**', '?', '.', '[ab]'), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.join(''))
      // What git makes of `**` beside other signs depends on how it splits off a literal prefix.
      .filter((each) => !/[^/]\*\*|\*\*[^/]/.test(each));
    const setting = fc
      .tuple(
        fc.constantFrom('', '', '-', '!'),
        fc.constantFrom(...NAMES),
        fc.constantFrom('', '', '=lfs', '=auto', '=crlf', '=x'),
      )
      .map((parts) => parts.join(''));
    const settings = fc.array(setting, { minLength: 1, maxLength: 3 }).map((all) => all.join(' '));
    const line = fc
      .tuple(fc.oneof({ weight: 6, arbitrary: pattern }, fc.constant('[attr]mine')), settings)
      .map((parts) => parts.join(' '));
    const text = fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
    fc.assert(fc.property(text, text, compare), { numRuns: 150 });
  });

  it('of a link are none', () => {
    rmSync(join(root, 'd'), { recursive: true });
    writeFileSync(join(root, '.gitattributes'), '');
    writeFileSync(join(root, 'rules'), '* text\n');
    mkdirSync(dirname(join(root, 'd/x')), { recursive: true });
    symlinkSync('../rules', join(root, 'd/.gitattributes'));
    expect(byRules()).toEqual([]);
    expect(byGit()).toEqual([]);
    rmSync(join(root, 'd'), { recursive: true });
  });
});

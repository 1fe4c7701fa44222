import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { contentOf } from '../../../src/workspace/files/recorded-changes.ts';
import type { BaseTree } from '../../../src/workspace/git/base-tree.ts';
import { KnownTree } from '../../../src/workspace/git/known-tree.ts';
import { findChanges } from '../../../src/workspace/git/work-tree-changes.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const mode = '100644';
const NAMES = ['a', 'b', 'c'];
const PATHS = NAMES.flatMap((one) =>
  NAMES.flatMap((two) => NAMES.map((x) => `${one}/${two}/${x}`)),
);

let root: string;
let base: BaseTree;
let tree: KnownTree;
let recorded: Map<string, string>;
beforeEach(() => {
  root = temporaryDirectory();
  recorded = new Map();
  const files = new Map(
    PATHS.map((path) => {
      write(path, `${path}\n`);
      const [, oid = ''] = contentOf({ mode, content: Buffer.from(`${path}\n`) }).split(' ');
      return [path, { mode, oid }] as const;
    }),
  );
  const nothing = {
    submodules: new Set<string>(),
    undecodable: new Set<string>(),
    outside: new Set<string>(),
  };
  base = { commit: '', tree: '', files, ...nothing, isWhole: true };
  tree = new KnownTree(root);
  tree.noteCloned(base);
});

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** As a tool does. */
function change(path: string, text: string | null): void {
  const content = text === null ? null : Buffer.from(text);
  if (text === null) rmSync(join(root, path), { force: true });
  else write(path, text);
  recorded.set(path, contentOf({ mode, content }));
}

const look = async (except: readonly string[] = []) => {
  const considered = { recorded, except };
  const found = await tree.changes(base, considered);
  const afresh = await findChanges(
    root,
    base,
    { fingerprints: new Map(), read: new Map() },
    considered,
  );
  expect({ ...found, differing: undefined }).toEqual({ ...afresh, differing: undefined });
  return found.changes.map(({ path, status }) => `${status} ${path}`);
};

it('finds what tools changed, and what they change next', async () => {
  expect(await look()).toEqual([]);
  change('a/b/c', 'other\n');
  change('a/d/new', 'new\n');
  change('b/a/a', null);
  expect(await look()).toEqual(['modified a/b/c', 'added a/d/new', 'deleted b/a/a']);
  change('a/b/c', 'a/b/c\n');
  change('a/d/new', null);
  expect(await look()).toEqual(['deleted b/a/a']);
});

it('reads a file that differs once, until it changes again', async () => {
  change('a/b/c', 'other\n');
  change('b/b/b', 'other\n');
  // What changed just now is read again at the next look.
  while (tree.known.read.size < 2) await look();
  const [one, other] = [tree.known.read.get('a/b/c'), tree.known.read.get('b/b/b')];
  change('b/b/b', 'and another\n');
  while (!tree.known.read.has('b/b/b') || tree.known.read.get('b/b/b') === other) await look();
  expect(tree.known.read.get('a/b/c')).toBe(one);
});

it('takes in what is no longer excepted', async () => {
  change('a/a/a', 'other\n');
  expect(await look(['a/a/a'])).toEqual([]);
  recorded.clear();
  expect(await look()).toEqual([]);
  change('a/a/a', 'other\n');
  expect(await look()).toEqual(['modified a/a/a']);
});

it('passes by what no tool has changed, until a command runs', async () => {
  write('c/c/c', 'by nobody\n');
  write('c/new', 'by nobody\n');
  const considered = { recorded, except: [] };
  expect((await tree.changes(base, considered)).unrecorded).toEqual([]);
  tree.noteCommand();
  expect((await tree.changes(base, considered)).unrecorded).toEqual(['c/c/c', 'c/new']);
  rmSync(join(root, 'c/new'));
  expect((await tree.changes(base, considered)).unrecorded).toEqual(['c/c/c']);
});

it.each(['.gitignore', 'c/HEAD', 'refs/x'])(
  'looks at all files if a tool wrote %s',
  async (path) => {
    write('c/new', 'by nobody\n');
    change(path, 'x\n');
    const { unrecorded } = await tree.changes(base, { recorded, except: [] });
    expect(unrecorded).toEqual(['c/new']);
  },
);

it('sees a repository that a command left until it is gone', async () => {
  mkdirSync(join(root, 'b/inner/.git'), { recursive: true });
  tree.noteCommand();
  const considered = { recorded, except: [] };
  expect((await tree.changes(base, considered)).withheld).toEqual(['b/inner']);
  change('a/a/a', 'other\n');
  expect((await tree.changes(base, considered)).withheld).toEqual(['b/inner']);
  rmSync(join(root, 'b/inner'), { recursive: true });
  expect((await tree.changes(base, considered)).withheld).toEqual([]);
});

it('finds after any changes what a look at the whole tree finds', async () => {
  const ofAll = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
  const paths = [...PATHS, 'a/new', 'd/e/new', 'b/c/new'];
  for (let turn = 0; turn < 60; turn += 1) {
    const path = ofAll(paths);
    change(path, ofAll([null, `${path}\n`, `turn ${turn}\n`]));
    if (turn % 9 === 0) {
      write(ofAll(paths), 'by a command\n');
      tree.noteCommand();
    }
    await look(turn % 5 === 0 ? [ofAll(paths)] : []);
  }
});

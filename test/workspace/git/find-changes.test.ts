import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { contentOf } from '../../../src/workspace/files/recorded-changes.ts';
import type { BaseTree } from '../../../src/workspace/git/base-tree.ts';
import { findChanges } from '../../../src/workspace/git/commit.ts';
import { WorkTree } from '../../../src/workspace/git/work-tree.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const mode = '100644';
const NAMES = ['a', 'b', 'c'];
const PATHS = NAMES.flatMap((one) =>
  NAMES.flatMap((two) => NAMES.map((x) => `${one}/${two}/${x}`)),
);

const COMMITS = { read: async () => undefined };

let root: string;
let base: BaseTree;
let workTree: WorkTree;
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
  workTree = openWorkTree();
  workTree.isAt(base);
});

/** Nothing is known of its files. */
const openWorkTree = (): WorkTree => new WorkTree(root);

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
  const found = await findChanges(workTree, base, considered, COMMITS);
  expect(found).toEqual(await findChanges(openWorkTree(), base, considered, COMMITS));
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

it('takes in what is no longer excepted', async () => {
  change('a/a/a', 'other\n');
  expect(await look(['a/a/a'])).toEqual([]);
  recorded.clear();
  expect(await look()).toEqual([]);
  change('a/a/a', 'other\n');
  expect(await look()).toEqual(['modified a/a/a']);
});

it('sees a repository that a command left until it is gone', async () => {
  mkdirSync(join(root, 'b/inner/.git'), { recursive: true });
  const withheld = async () =>
    (await findChanges(workTree, base, { recorded, except: [] }, COMMITS)).withheld;
  expect(await withheld()).toEqual(['b/inner']);
  change('a/a/a', 'other\n');
  expect(await withheld()).toEqual(['b/inner']);
  rmSync(join(root, 'b/inner'), { recursive: true });
  expect(await withheld()).toEqual([]);
});

it('leaves to the end of a command what the command changed', async () => {
  change('a/a/a', 'other\n');
  workTree.remember(base, { recorded, except: [] });
  write('a/a/a', 'a/a/a\n');
  write('a/a/b', 'by a command\n');
  await look();
  const limits = { files: 10, bytes: 1000 };
  const done = workTree.look(base, { ...limits, recorded });
  expect(done).toMatchObject({ touched: ['a/a/a', 'a/a/b'] });
  expect(workTree.look(base, { ...limits, recorded })).toMatchObject({ touched: [] });
});

it('finds after any changes what a look that knows nothing finds', async () => {
  const ofAll = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)] as T;
  const paths = [...PATHS, 'a/new', 'd/e/new', 'b/c/new'];
  for (let turn = 0; turn < 60; turn += 1) {
    const path = ofAll(paths);
    change(path, ofAll([null, `${path}\n`, `turn ${turn}\n`]));
    if (turn % 9 === 0) write(ofAll(paths), 'by a command\n');
    await look(turn % 5 === 0 ? [ofAll(paths)] : []);
  }
});

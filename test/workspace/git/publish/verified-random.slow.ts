// Random changes, committed by GitHub's API and by a push: the same trees, and nothing that git finds wrong.
import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Repository } from '../../../../packages/local-github/src/github/state.ts';
import { unlessItFails } from '../../../../src/lib/errors.ts';
import type { Workspace } from '../../../../src/workspace/workspace.ts';
import { cases } from '../../../support/cases.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { AT, byCommand } from '../../support.ts';
import { bare, isVerified, VerifiedScene } from './verified-scene.ts';

const CHANGES = 200;
const IN_A_ROW = 20;

let scene: VerifiedScene;
beforeAll(async () => (scene = await VerifiedScene.open()));
afterAll(() => scene.close());

const NAMES = [
  'a',
  'b',
  'src',
  'ü',
  '名前',
  '😀',
  'x y',
  'a.b',
  'a-b',
  '\u00C9',
  'E\u0301',
  '"q"',
  '#',
];
// No tool or command can make such a file. Commits carry it along.
const INHERITED = { 'README.md': '# Words\n', 'a/b/c': 'c\n', 'l\ni/l\ni': 'inherited\n' };
const path = fc
  .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'));
const content = fc.oneof(
  fc.constantFrom('', '\n', 'one\r\ntwo\r\n', '\uFEFFbom', 'no end', 'é\u0000'),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.uint8Array({ maxLength: 60 }),
  fc.constant('x'.repeat(120_000)),
);

type Step = (tree: string) => void;

/** Takes the place of whatever is there, also of a file that a directory is to be in. */
function cleared(tree: string, place: string): string {
  const names = place.split('/');
  for (let length = 1; length < names.length; length += 1) {
    const parent = join(tree, ...names.slice(0, length));
    if (kindOf(parent)?.isDirectory() === false) rmSync(parent);
  }
  const full = join(tree, place);
  rmSync(full, { recursive: true, force: true });
  mkdirSync(dirname(full), { recursive: true });
  return full;
}

/** A file may be in the place of a parent. */
const kindOf = (full: string) => unlessItFails(() => lstatSync(full));

const write = fc
  .tuple(path, content, fc.boolean())
  .map(([place, what, isExecutable]): Step => (tree) => {
    const full = cleared(tree, place);
    writeFileSync(full, what);
    chmodSync(full, isExecutable ? 0o755 : 0o644);
  });
const link = fc.tuple(path, fc.constantFrom('README.md', 'nowhere', 'ü')).map(
  ([place, target]): Step =>
    (tree) =>
      symlinkSync(target, cleared(tree, place)),
);
const remove = path.map(
  (place): Step =>
    (tree) =>
      void cleared(tree, place),
);
const flip = path.map((place): Step => (tree) => {
  const full = join(tree, place);
  const kind = kindOf(full);
  if (kind?.isFile() === true) chmodSync(full, kind.mode ^ 0o111);
});
const hundred = path.map((place): Step => (tree) => {
  const full = cleared(tree, place);
  mkdirSync(full);
  for (let n = 0; n < 100; n += 1) writeFileSync(join(full, `${n}`), `${n}\n`);
});
const step = fc.oneof(
  { weight: 8, arbitrary: write },
  { weight: 3, arbitrary: link },
  { weight: 4, arbitrary: remove },
  { weight: 3, arbitrary: flip },
  { weight: 1, arbitrary: hundred },
);
const change = fc.array(step, { minLength: 1, maxLength: 6 });

const apply = (steps: readonly Step[], workspace: Workspace): Promise<void> =>
  byCommand(workspace, (tree) => {
    for (const each of steps) each(tree);
  });

const BLOCKS = Array.from({ length: cases(1, 10) }, (_none, at) => at + 1);

describe.each(BLOCKS)('block %d of what is tried', () => {
  it('200 random changes are signed, have the tree that git makes of the files, and end as pushes end', async () => {
    const count = { commits: 0, verified: 0 };
    const rows = fc.array(change, { minLength: IN_A_ROW, maxLength: IN_A_ROW });
    await fc.assert(
      fc.asyncProperty(rows, async (changes) => {
        const repository = await scene.repository(INHERITED);
        const made = await scene.workspace(repository, 'made');
        const pushed = await scene.workspace(repository, 'pushed', { strategy: 'push' });
        try {
          for (const steps of changes) {
            for (const workspace of [made, pushed]) await apply(steps, workspace);
            const done = await made.git.commit({ message: 'Change', at: AT });
            if (done === undefined) continue;
            count.commits += 1;
            if (isVerified(repository, done.sha)) count.verified += 1;
            expect(treeOf(repository, 'made')).toBe(treeByGit(repository, made));
          }
          await pushed.git.commit({ message: 'Change', at: AT });
          expect(treeOf(repository, 'made')).toBe(treeOf(repository, 'pushed'));
          expect(bare(repository, 'fsck', '--strict', '--no-dangling')).toBe('');
        } finally {
          await made.close();
          await pushed.close();
        }
      }),
      { numRuns: CHANGES / IN_A_ROW, endOnFailure: true },
    );
    // All that leave a file.
    expect(count.verified).toBeGreaterThan(count.commits * 0.95);
    expect(count.commits).toBeGreaterThan(CHANGES * 0.75);
  }, 900_000);
});

const treeOf = (repository: Repository, branch: string): string =>
  bare(repository, 'rev-parse', `${branch}^{tree}`);

/** What native git makes of the work tree, in the server's repository and with an index of its own. */
function treeByGit({ git }: Repository, { commands }: Workspace): string {
  const index = join(temporaryDirectory(), 'index');
  const run = (...args: string[]): string =>
    execFileSync('git', ['--git-dir', git.directory, '--work-tree', commands.directory, ...args], {
      env: { PATH: process.env['PATH'], GIT_INDEX_FILE: index, GIT_CONFIG_GLOBAL: '/dev/null' },
    })
      .toString()
      .trim();
  run('-c', 'core.bare=false', 'add', '--all', '--force');
  return run('write-tree');
}

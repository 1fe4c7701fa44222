// The base branch, merged into a branch of which a workspace has a part.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TellPerson } from '../../../../src/lib/errors.ts';
import { missingObjects } from '../../../../src/workspace/git/engines/native/fetch-pack.ts';
import { coneOf } from '../../../../src/workspace/git/base-tree.ts';
import { mergeSparse } from '../../../../src/workspace/git/sparse/sparse-merge.ts';
import type { Workspace, WorkspaceOptions } from '../../../../src/workspace/workspace.ts';
import { faultsIn } from '../../../support/fsck.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { AT, BRANCH, open, text } from '../../support.ts';
import { refusalOf } from '../engines.ts';
import { divergences, writeDivergences } from '../merge/generated-merges.ts';
import { merge, unmerged, unmergedIn } from '../merge/native-merge.ts';

const { signal } = new AbortController();

describe('a merge without most of the files', () => {
  const CASES = divergences(60);
  const PARTS = [['src/deep'], ['src'], ['lib', 'moved'], ['nowhere']];
  let checkout: string;
  let place: { gitdir: string; tree: string; signal: AbortSignal };

  beforeAll(() => {
    checkout = join(temporaryDirectory(), 'checkout');
    writeDivergences(checkout, CASES);
    const gitdir = join(temporaryDirectory(), 'part');
    const { href } = pathToFileURL(checkout);
    nativeGit(checkout, 'config', 'uploadpack.allowFilter', 'true');
    nativeGit(checkout, 'clone', '-q', '--bare', '--filter=blob:none', href, gitdir);
    nativeGit(gitdir, 'remote', 'remove', 'origin');
    for (const name of readdirSync(join(gitdir, 'objects/pack')))
      if (name.endsWith('.promisor')) rmSync(join(gitdir, 'objects/pack', name));
    place = { gitdir, tree: temporaryDirectory(), signal };
  });

  /** Objects that were fetched, or made by a merge, are in files of their own. */
  const forgetFiles = (): void => {
    const objects = join(place.gitdir, 'objects');
    for (const name of readdirSync(objects))
      if (/^[\da-f]{2}$/.test(name)) rmSync(join(objects, name), { recursive: true });
  };
  const fetchFrom = (origin: string, oids: readonly string[]): void => {
    const asked = { cwd: origin, input: `${oids.join('\n')}\n` };
    const pack = execFileSync('git', ['pack-objects', '-q', '--stdout'], asked);
    execFileSync('git', ['unpack-objects', '-q'], { cwd: place.gitdir, input: pack });
  };

  it('ends as `git merge` ends, and is refused only for conflicts that are outside', async () => {
    const ends = { clean: 0, conflicts: 0, refused: 0 };
    for (const at of CASES.keys()) {
      nativeGit(checkout, 'checkout', '-q', '-f', '--detach', `ours-${at}`);
      const isClean = merge(checkout, `theirs-${at}`);
      const tree = isClean ? nativeGit(checkout, 'rev-parse', 'HEAD^{tree}') : 'none';
      const expected = { tree, unmerged: unmerged(checkout) };
      nativeGit(checkout, 'reset', '-q', '--hard');
      nativeGit(checkout, 'clean', '-qfd');
      const sparse = PARTS[at % PARTS.length] ?? [];
      const partOf = coneOf(sparse);
      const outside = expected.unmerged
        .map((line) => line.replace(/^.*\t/, ''))
        .filter((path) => partOf(directoryOf(path)) === 'outside');
      const sides = { ours: revision(`ours-${at}`), theirs: revision(`theirs-${at}`) };
      forgetFiles();
      let requests = 0;
      const request = { ...sides, branch: `theirs-${at}`, sparse };
      const merged = await mergeSparse(place, request, async (oids) => {
        requests += 1;
        fetchFrom(checkout, oids);
      }).catch((error: unknown) => {
        if (error instanceof TellPerson) return undefined;
        throw error;
      });
      const found = merged === undefined ? 'refused' : unmergedIn(merged);
      expect({ at, found }).toEqual({ at, found: outside.length > 0 ? 'refused' : expected });
      if (merged === undefined) ends.refused += 1;
      else ends[isClean ? 'clean' : 'conflicts'] += 1;
      // What git reads, and what the work tree gets.
      expect(requests).toBeLessThanOrEqual(2);
      const written = merged === undefined ? [] : changedFiles(sides.ours, merged.tree);
      const inside = written.filter(({ path }) => partOf(directoryOf(path)) !== 'outside');
      const missing = await missingObjects(
        place,
        inside.map(({ oid }) => oid),
      );
      expect({ at, missing }).toEqual({ at, missing: [] });
    }
    expect(ends.clean).toBeGreaterThan(15);
    expect(ends.conflicts).toBeGreaterThan(5);
    expect(ends.refused).toBeGreaterThan(5);
  });

  const revision = (branch: string): string => nativeGit(checkout, 'rev-parse', branch);
  const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const changedFiles = (from: string, to: string) =>
    nativeGit(place.gitdir, 'diff-tree', '-r', '--raw', '--no-abbrev', '-z', from, to)
      .split(/\0(?=:|$)/)
      .flatMap((line) => {
        const [, mode = '', oid = '', path = ''] =
          /^:\d+ (\d+) \w+ (\w+) \w\0(.*)$/.exec(line) ?? [];
        return /^1[02]0/.test(mode) ? [{ oid, path }] : [];
      });
});

const lines = (...changed: [number, string][]): string =>
  Array.from({ length: 12 }, (_, at) => `${new Map(changed).get(at) ?? `line ${at}`}\n`).join('');
const LARGE = 200_000;

let server: GitServer;
let repository: TestRepository;
let workspace: Workspace | undefined;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  repository = server.createRepository(`octo/sparse-merge-${count}`, {
    'README.md': lines(),
    'billing/a.txt': lines(),
    'billing/b.txt': lines(),
    'web/c.txt': lines(),
    'web/old/d.txt': lines([0, 'name']),
    'web/large.bin': randomBytes(LARGE),
  });
  nativeGit(repository.checkout, 'branch', BRANCH);
});
afterEach(async () => {
  await workspace?.close();
  workspace = undefined;
  expect(faultsIn(repository.directory)).toEqual([]);
});

async function merging(options: Partial<WorkspaceOptions> = {}): Promise<Workspace> {
  const theirs = { theirs: repository.head(), branch: 'main' };
  const baseCommit = repository.head(BRANCH);
  workspace = await open(server, repository, {
    baseCommit,
    merge: theirs,
    sparse: ['billing'],
    ...options,
  });
  return workspace;
}

const ours = (files: Parameters<TestRepository['commit']>[0]) => repository.commit(files, BRANCH);
const theirs = (files: Parameters<TestRepository['commit']>[0]) => repository.commit(files, 'main');
const move = (branch: string, from: string, to: string): void => {
  nativeGit(repository.checkout, 'checkout', '-q', branch);
  nativeGit(repository.checkout, 'mv', from, to);
};
const read = async ({ files }: Workspace, path: string) =>
  Buffer.from(await files.read(path)).toString();
const parents = (sha: string) => repository.git('log', '-1', '--format=%P', sha).split(' ');
const commit = ({ git }: Workspace) => git.commit({ message: 'Merge', at: AT });

/** Commits the merge, and expects what git makes of the two commits. */
async function expectSameAsGit(opened: Workspace): Promise<void> {
  const sides = [repository.head(BRANCH), repository.head()] as const;
  expect(opened.merge).toMatchObject({ result: 'clean' });
  expect(await opened.git.changes()).toEqual([]);
  await commit(opened);
  expect(parents(BRANCH)).toEqual(sides);
  const { checkout } = repository;
  nativeGit(checkout, 'checkout', '-q', '-f', '--detach', sides[0]);
  expect(merge(checkout, sides[1])).toBe(true);
  const tree = nativeGit(checkout, 'rev-parse', 'HEAD^{tree}');
  expect(repository.git('rev-parse', `${BRANCH}^{tree}`)).toBe(tree);
}

const bytesBelow = (directory: string): number =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);

describe('a workspace with a part, that opens with a merge', () => {
  it('commits what merges cleanly, inside and outside, and downloads no file for nothing', async () => {
    ours({ 'billing/a.txt': lines([2, 'ours']), 'web/c.txt': lines([2, 'ours']) });
    theirs({
      'billing/a.txt': lines([9, 'theirs']),
      'billing/new.txt': 'new\n',
      'web/c.txt': lines([9, 'theirs']),
      'web/large.bin': randomBytes(LARGE),
    });
    const opened = await merging();
    expect(await read(opened, 'billing/a.txt')).toBe(lines([2, 'ours'], [9, 'theirs']));
    expect(await read(opened, 'billing/new.txt')).toBe('new\n');
    expect(bytesBelow(join(dirname(opened.commands.directory), 'git'))).toBeLessThan(LARGE / 2);
    await expectSameAsGit(opened);
    await opened.files.write('billing/a.txt', text('next\n'));
    await opened.git.commit({ message: 'Next', at: AT });
    expect(repository.git('diff', '--name-only', `${BRANCH}^`, BRANCH)).toBe('billing/a.txt');
  });

  it('follows what was renamed outside', async () => {
    move(BRANCH, 'web/c.txt', 'web/e.txt');
    ours({ 'web/old/d.txt': lines([0, 'name'], [5, 'ours']) });
    move('main', 'web/old', 'web/moved');
    theirs({
      'web/c.txt': lines([9, 'theirs']),
      'web/moved/d.txt': lines([0, 'name'], [9, 'theirs']),
    });
    const opened = await merging();
    await expectSameAsGit(opened);
    expect(repository.git('show', `${BRANCH}:web/moved/d.txt`)).toBe(
      lines([0, 'name'], [5, 'ours'], [9, 'theirs']).trim(),
    );
    // Only theirs has this content, at another path.
    expect(repository.git('show', `${BRANCH}:web/e.txt`)).toBe(lines([9, 'theirs']).trim());
  });

  it('merges as the attributes of files outside say', async () => {
    for (const change of [ours, theirs]) change({ 'web/.gitattributes': '*.txt merge=union\n' });
    nativeGit(repository.checkout, 'checkout', '-q', 'main');
    ours({ 'web/c.txt': lines([2, 'ours']) });
    theirs({ 'web/c.txt': lines([2, 'theirs']) });
    await expectSameAsGit(await merging());
    expect(repository.git('show', `${BRANCH}:web/c.txt`)).toContain('ours\ntheirs\n');
  });

  it('merges branches that have merged one another, outside too', async () => {
    ours({ 'web/c.txt': lines([1, 'ours']) });
    theirs({ 'web/c.txt': lines([10, 'theirs']), 'billing/b.txt': lines([3, 'theirs']) });
    const [our, their] = [repository.head(BRANCH), repository.head()];
    for (const [branch, other] of [
      [BRANCH, their],
      ['main', our],
    ] as const) {
      nativeGit(repository.checkout, 'checkout', '-q', branch);
      expect(merge(repository.checkout, other)).toBe(true);
      nativeGit(repository.checkout, 'push', '-q', 'origin', branch);
    }
    ours({ 'web/c.txt': lines([1, 'ours'], [5, 'ours'], [10, 'theirs']) });
    theirs({ 'web/c.txt': lines([1, 'ours'], [7, 'theirs'], [10, 'theirs']) });
    await expectSameAsGit(await merging());
  });

  it('merges as attributes outside say that count for one of several bases alone', async () => {
    const attributes = '*.txt merge=union\n';
    const paths = ['one/.gitattributes', 'two/.gitattributes'];
    const base = theirs({
      ...Object.fromEntries(paths.map((path) => [path, attributes])),
      'one/f.txt': lines(),
      'two/f.txt': lines(),
    });
    nativeGit(repository.checkout, 'branch', '-f', BRANCH, base);
    const both = (line: string) => ({
      'one/f.txt': lines([2, line]),
      'two/f.txt': lines([2, line]),
    });
    const [our, their] = [ours(both('ours')), theirs(both('theirs'))];
    for (const [branch, other] of [
      [BRANCH, their],
      ['main', our],
    ] as const) {
      nativeGit(repository.checkout, 'checkout', '-q', branch);
      expect(merge(repository.checkout, other)).toBe(true);
    }
    // Of each base, one of the two files seems to be changed by one side alone.
    ours({ 'one/f.txt': lines([2, 'ours']), 'two/f.txt': lines([2, 'later']) });
    theirs({ 'one/f.txt': lines([2, 'later']), 'two/f.txt': lines([2, 'theirs']) });
    await expectSameAsGit(await merging());
  });

  it('fetches as much of the history as tells what the branches have in common', async () => {
    ours({ 'billing/a.txt': lines([2, 'ours']) });
    const tree = repository.git('rev-parse', 'main^{tree}');
    let head = repository.head();
    for (let at = 0; at < 55; at += 1)
      head = repository.git('commit-tree', tree, '-p', head, '-m', `Commit ${at}`);
    repository.git('update-ref', 'refs/heads/main', head);
    expect((await merging()).merge).toMatchObject({ result: 'clean' });
  });

  it('has nothing to merge if the branch contains it', async () => {
    ours({ 'billing/a.txt': lines([2, 'ours']) });
    const { merge: found } = await merging();
    expect(found?.result).toBe('contained');
  });

  it('has markers inside, says who changed what, and commits once they are gone', async () => {
    ours({ 'billing/a.txt': lines([2, 'ours']), 'web/c.txt': lines([2, 'ours']) });
    theirs({ 'billing/a.txt': lines([2, 'theirs']), 'web/c.txt': lines([9, 'theirs']) });
    const sides = [repository.head(BRANCH), repository.head()];
    const opened = await merging();
    expect(await read(opened, 'billing/a.txt')).toContain('<<<<<<< HEAD\nours\n=======\ntheirs\n');
    expect(opened.merge).toMatchObject({
      result: 'conflicts',
      paths: ['billing/a.txt'],
      conflicts: [
        {
          hasMarkers: true,
          ours: { did: 'changed', hunks: expect.stringContaining('-line 2\n+ours') },
          theirs: { did: 'changed', commits: [{ subject: 'Change files' }] },
        },
      ],
    });
    await expect(commit(opened)).rejects.toThrow(/still have conflict markers: "billing\/a.txt"/);
    await opened.files.write('billing/a.txt', text(lines([2, 'both'])));
    const changes = await opened.drain();
    const done = await commit(opened);
    expect(parents(BRANCH)).toEqual(sides);
    expect(repository.git('show', `${BRANCH}:billing/a.txt`)).toBe(lines([2, 'both']).trim());
    expect(repository.git('show', `${BRANCH}:web/c.txt`)).toBe(
      lines([2, 'ours'], [9, 'theirs']).trim(),
    );
    await opened.close();
    const again = await merging({ baseCommit: sides[0] ?? '', changes });
    expect(await commit(again)).toMatchObject({ sha: done?.sha });
  });

  it('asks for a decision where one side deleted a file inside', async () => {
    ours({ 'billing/b.txt': lines([3, 'kept']) });
    nativeGit(repository.checkout, 'checkout', '-q', 'main');
    nativeGit(repository.checkout, 'rm', '-q', 'billing/b.txt');
    theirs({ 'web/c.txt': lines([9, 'theirs']) });
    const { git, merge: found } = await merging();
    expect(found?.conflicts).toMatchObject([
      { path: 'billing/b.txt', ours: { did: 'changed' }, theirs: { did: 'deleted' } },
    ]);
    await expect(git.commit({ message: 'Merge', at: AT })).rejects.toThrow(/Nothing was decided/);
    await git.commit({ message: 'Merge', at: AT, decided: ['billing/b.txt'] });
    expect(repository.git('show', `${BRANCH}:billing/b.txt`)).toContain('kept');
  });

  it('is not opened if git needs more files than the limit allows, and says so', async () => {
    const changed = (end: string) => ({ 'web/large.bin': `${'large\n'.repeat(LARGE)}${end}\n` });
    ours(changed('ours'));
    theirs({ ...changed('theirs'), 'README.md': 'theirs\n' });
    const said = await refusalOf(merging({ git: { engine: 'native', maxBytes: LARGE } }));
    expect(said).toMatch(
      /merge the base branch: the files that git needs .* `WORKSPACE_MAX_BYTES`/,
    );
  });

  it('is not opened if git needs more memory than it may take, and says so', async () => {
    const SIZE = 280_000_000;
    repository.git('config', 'core.bigFileThreshold', '16m');
    nativeGit(repository.checkout, 'config', 'core.bigFileThreshold', '16m');
    const base = theirs({ 'web/huge.bin': Buffer.alloc(SIZE, 1) });
    nativeGit(repository.checkout, 'branch', '-f', BRANCH, base);
    ours({ 'web/huge.bin': Buffer.alloc(SIZE, 2) });
    theirs({ 'web/huge.bin': Buffer.alloc(SIZE, 3) });
    const said = await refusalOf(merging({ git: { engine: 'native', maxBytes: 2 ** 32 } }));
    expect(said).toMatch(
      /merge the base branch: git would need more than 768 MiB .* merge it yourself/,
    );
  });

  it('is not opened if there are conflicts outside, and says which', async () => {
    ours({ 'billing/a.txt': lines([2, 'ours']), 'web/c.txt': lines([2, 'ours']) });
    theirs({ 'billing/a.txt': lines([2, 'theirs']), 'web/c.txt': lines([2, 'theirs']) });
    const said = await refusalOf(merging());
    expect(said).toMatch(/conflicts with `main` in files outside .*`sparse` names: `web\/c.txt`\./);
  });
});

// A work tree that is there before a session wants it: as good as one that is written for it, and of nobody else.
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { chooseGit } from '../../../../src/workspace/git/engines/choose-engine.ts';
import { makeCacheRoom } from '../../../../src/workspace/git/engines/native/cache-room.ts';
import { lockFile } from '../../../../src/workspace/git/engines/native/file-lock.ts';
import { prepareSpare } from '../../../../src/workspace/git/engines/native/spare-tree.ts';
import { FileClock } from '../../../../src/workspace/git/work-tree-walk.ts';
import { cases } from '../../../support/cases.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { describeElsewhere } from '../../../support/other-file-system.ts';
import { RawObjects } from '../../../support/raw-objects.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { open, untilPrepared, withoutThread } from '../../support.ts';
import type { PreparedPlace } from './prepare-process.ts';

const MAX_BYTES = 2 ** 28;
const { signal } = new AbortController();
const NONE = { except: [], recorded: new Map<string, string>() };
const FILES = {
  'README.md': 'Sample\n',
  'a/b/c.txt': 'c\n',
  'a/d.txt': 'd\n',
  'run.sh': { content: '#!/bin/sh\n', mode: 'executable' },
  link: { content: 'a/d.txt', mode: 'symlink' },
} as const;

let server: GitServer;
let repository: TestRepository;
let directory: string;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  repository = server.createRepository(`octo/spare-${count}`, FILES);
  directory = join(temporaryDirectory(), 'cache');
});

const placeOf = (installation: number) => ({
  engine: 'native' as const,
  cache: { directory, maxBytes: MAX_BYTES, installation },
});

/** Opens the clone of a session. */
async function enter(commit = repository.head(), { installation = 1, maxBytes = MAX_BYTES } = {}) {
  const { git, tree } = withoutThread(repository, { ...placeOf(installation), maxBytes });
  const spare = identityOf(join(spares()[0] ?? 'none', 'files'));
  const paths = await git.clone({ commit, token: server.token });
  return { git, tree, paths, isSpare: identityOf(tree) === spare, why: paths.rejectedSpare };
}

/** The system gives the number of a directory that is gone to the next one. */
function identityOf(path: string): string {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? 'none' : `${stats.ino} of ${stats.birthtimeNs}`;
}

function prepared(commit = repository.head()): PreparedPlace {
  const own = temporaryDirectory();
  const place = { gitdir: join(own, 'git'), tree: join(own, 'tree'), ...placeOf(1) };
  return { place: { ...place, remoteUrl: repository.url, maxBytes: MAX_BYTES }, commit };
}

async function prepare(at?: string): Promise<void> {
  const { place, commit } = prepared(at);
  await prepareSpare(place, commit, signal);
}

const kept = (ending: string): string[] =>
  (existsSync(directory) ? readdirSync(directory) : [])
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name));
const spares = (): string[] => kept('.spare');

/** All that a directory has, with modes, contents and targets. */
function all(root: string, below = ''): Record<string, string> {
  const seen: Record<string, string> = {};
  for (const name of readdirSync(join(root, below))) {
    const path = below === '' ? name : `${below}/${name}`;
    const stats = lstatSync(join(root, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) Object.assign(seen, { [path]: mode }, all(root, path));
    else if (stats.isSymbolicLink()) seen[path] = `→ ${readlinkSync(join(root, path))}`;
    else seen[path] = `${mode} ${readFileSync(join(root, path), 'latin1')}`;
  }
  return seen;
}

it('has what a new work tree has, whatever changed since it was made', async () => {
  const first = repository.head();
  await enter(first);
  await prepare(first);
  nativeGit(repository.checkout, 'rm', '-q', 'a/b/c.txt', 'a/d.txt', 'link', 'run.sh');
  repository.commit({
    'README.md': { content: 'Sample\n', mode: 'executable' },
    'a/new': 'new\n',
    link: 'a file now\n',
    'run.sh': { content: 'a/new', mode: 'symlink' },
  });
  const moved = await enter();
  const fresh = await enter();
  expect([moved.isSpare, fresh.isSpare]).toEqual([true, false]);
  expect(all(moved.tree)).toEqual(all(fresh.tree));
  expect(moved.paths).toEqual(fresh.paths);
  expect((await moved.git.changes(NONE)).changes).toEqual([]);
  writeFileSync(join(moved.tree, 'a/new'), 'by nobody\n');
  await moved.git.begin({});
  expect((await moved.git.changes(NONE)).unrecorded).toEqual(['a/new']);
});

it('has what a new work tree has after random commits', async () => {
  const ofAll = <T>(values: readonly T[]): T =>
    values[Math.floor(Math.random() * values.length)] as T;
  const content = () => `${Math.random()}\n`;
  await enter();
  for (let turn = 0; turn < cases(6, 60); turn += 1) {
    await prepare();
    const objects = new RawObjects();
    const level = (depth: number): string =>
      objects.tree(
        ...['a', 'b', 'c', 'link', 'run.sh']
          .filter(() => Math.random() < 0.7)
          .map((name) => {
            const kind = ofAll(['100644', '100755', '120000', depth > 2 ? '100644' : '40000']);
            const oid = kind === '40000' ? level(depth + 1) : objects.blob(ofAll(['x', content()]));
            return [kind, name, oid] as const;
          }),
      );
    const commit = objects.commit(level(0));
    objects.store(repository.directory);
    repository.git('update-ref', 'refs/heads/main', commit);
    const moved = await enter(commit);
    const fresh = await enter(commit);
    expect([moved.isSpare, fresh.isSpare]).toEqual([true, false]);
    expect(all(moved.tree)).toEqual(all(fresh.tree));
    expect(moved.paths).toEqual(fresh.paths);
    expect((await moved.git.changes(NONE)).changes).toEqual([]);
  }
});

it('has nothing of an earlier session', async () => {
  await enter();
  await prepare();
  const first = await enter();
  const before = all(first.tree);
  mkdirSync(join(first.tree, '.git/hooks'), { recursive: true });
  for (const name of ['.git/hooks/post-checkout', 'untracked', 'README.md'])
    writeFileSync(join(first.tree, name), 'left\n');
  await prepare();
  const second = await enter();
  expect([first.isSpare, second.isSpare]).toEqual([true, true]);
  expect(all(second.tree)).toEqual(before);
});

it('is made after a workspace was opened, and whole again after the next one', async () => {
  const git = { engine: 'native', maxBytes: MAX_BYTES, cache: placeOf(1).cache } as const;
  for (let turn = 0; turn < 2; turn += 1) {
    repository.commit({ 'a/d.txt': `turn ${turn}\n` });
    const before = identityOf(join(spares()[0] ?? 'none', 'files'));
    const workspace = await open(server, repository, { git });
    expect(identityOf(workspace.commands.directory) === before).toBe(turn === 1);
    expect(Buffer.from(await workspace.files.read('a/d.txt')).toString()).toBe(`turn ${turn}\n`);
    await untilPrepared();
    expect(spares()).toHaveLength(1);
    await workspace.close();
  }
});

describeElsewhere('beside a cache on another file system than temporary files', (elsewhere) => {
  it('is used as well', async () => {
    const data = elsewhere();
    directory = join(data, 'cache');
    const places = { cacheDirectory: directory, workDirectory: join(data, 'work') };
    const choice = { engine: 'native', maxBytes: undefined, cacheMaxBytes: MAX_BYTES } as const;
    const git = await chooseGit({ ...choice, ...places }, { info: () => {}, warn: () => {} });
    const first = await open(server, repository, { git: git.settings });
    await untilPrepared();
    const before = identityOf(join(spares()[0] ?? 'none', 'files'));
    const second = await open(server, repository, { git: git.settings });
    expect(identityOf(second.commands.directory)).toBe(before);
    expect(await second.git.changes()).toEqual([]);
    await untilPrepared();
    expect(spares()).toHaveLength(1);
    await Promise.all([first.close(), second.close()]);
    await git.close();
  });
});

it('is taken by one of the sessions that begin at once', async () => {
  await enter();
  await prepare();
  const both = await Promise.all([enter(), enter(), enter()]);
  expect(both.filter(({ isSpare }) => isSpare)).toHaveLength(1);
  for (const { git } of both) expect((await git.changes(NONE)).changes).toEqual([]);
});

it('is of one installation, and not given to a token that may not read', async () => {
  await enter();
  await prepare();
  expect((await enter(repository.head(), { installation: 2 })).isSpare).toBe(false);
  server.token = 'another';
  try {
    const { git, tree } = withoutThread(repository, placeOf(1));
    const clone = git.clone({ commit: repository.head(), token: 'withdrawn' });
    await expect(clone).rejects.toThrow('denied access');
    expect(readdirSync(tree)).toEqual([]);
  } finally {
    server.token = 'token-of-the-test';
  }
  expect((await enter()).isSpare).toBe(true);
});

it.each([
  ['a file that was changed', /changed/, (to: string) => writeFileSync(join(to, 'a/d.txt'), 'x')],
  ['a file more', /changed/, (to: string) => writeFileSync(join(to, 'a/b/more'), '')],
  ['a file less', /no such file.*c\.txt/, (to: string) => rmSync(join(to, 'a/b/c.txt'))],
  ['a time that was changed', /changed/, (to: string) => utimesSync(join(to, 'README.md'), 1, 1)],
  ['nothing in it', /no such file/, (to: string) => rmSync(to, { recursive: true })],
  ['no record of it', /no such file.*state/, (to: string) => rmSync(join(to, '../state-1'))],
  [
    'a damaged record',
    /deserialize/,
    (to: string) => writeFileSync(join(to, '../state-1'), 'damaged'),
  ],
])('is not used with %s, and says why', async (_what, why, change) => {
  const before = all((await enter()).tree);
  await prepare();
  // A file system may give the same time to what changes in the same few milliseconds.
  new FileClock(join(temporaryDirectory(), 'clock')).tick();
  change(join(spares()[0] ?? 'none', 'files'));
  const next = await enter();
  expect(next.isSpare).toBe(false);
  expect(next.why).toMatch(why);
  expect(all(next.tree)).toEqual(before);
  expect((await next.git.changes(NONE)).changes).toEqual([]);
  await makeCacheRoom({ directory, maxBytes: MAX_BYTES }, signal);
  expect([...kept('.spare'), ...kept('.gone')]).toEqual([]);
});

it('says in the log why it was not used, and why none was made', async () => {
  const said: object[] = [];
  const failed = Promise.withResolvers<void>();
  const warn = (facts: object, event: string): void => {
    said.push({ ...facts, event });
    if (event.startsWith('failed')) failed.resolve();
  };
  const git = { engine: 'native', maxBytes: MAX_BYTES, cache: placeOf(1).cache } as const;
  await enter();
  await prepare();
  writeFileSync(join(spares()[0] ?? 'none', 'files/a/d.txt'), 'x');
  const [lock = ''] = kept('.spare.lock');
  rmSync(lock);
  mkdirSync(lock);
  const workspace = await open(server, repository, { git, log: { warn } });
  await failed.promise;
  await workspace.close();
  expect(said).toMatchObject([
    { event: 'rejected a spare work tree', reason: expect.stringMatching(/was changed/) },
    { event: 'failed to make a spare work tree', reason: expect.stringMatching(/EISDIR/) },
  ]);
});

it('is made although the workspace that it comes after is closed by then', async () => {
  await enter();
  const { place, commit } = prepared();
  rmSync(dirname(place.tree), { recursive: true });
  await prepareSpare(place, commit, signal);
  expect(spares()).toHaveLength(1);
});

it('keeps to the limit for the files of a workspace', async () => {
  await enter();
  await prepare();
  repository.commit({ 'README.md': Buffer.alloc(50_000, 'x') });
  await expect(enter(repository.head(), { maxBytes: 40_000 })).rejects.toThrow('too large');
});

it('is not made of submodules or of names that are not UTF-8', async () => {
  for (const entry of [
    ['160000', 'module', '1'.repeat(40)],
    ['100644', 'caf\xe9', ''],
  ] as const) {
    const objects = new RawObjects();
    const commit = objects.commit(
      objects.tree([entry[0], entry[1], entry[2] || objects.blob('x\n')]),
    );
    objects.store(repository.directory);
    repository.git('update-ref', 'refs/heads/main', commit);
    await enter(commit);
    await prepare(commit);
    expect(spares()).toEqual([]);
  }
});

it('counts as part of the cache, and goes before its repository', async () => {
  await enter();
  await prepare();
  await makeCacheRoom({ directory, maxBytes: MAX_BYTES }, signal);
  expect(spares()).toHaveLength(1);
  await makeCacheRoom({ directory, maxBytes: 5_000 }, signal);
  expect([spares().length, kept('.git').length]).toEqual([0, 1]);
  await prepare();
  rmSync(kept('.git')[0] ?? 'none', { recursive: true });
  await makeCacheRoom({ directory, maxBytes: 5_000 }, signal);
  expect(spares()).toEqual([]);
});

it('leaves nothing half made, unless another process is just making it', async () => {
  await enter();
  await prepare();
  const [spare = ''] = spares();
  const making = spare.replace(/spare$/, 'making');
  rmSync(spare, { recursive: true });
  mkdirSync(join(making, 'files'), { recursive: true });
  const lock = await lockFile(`${spare}.lock`, { signal, seconds: 0 });
  await prepare();
  expect([existsSync(making), existsSync(spare)]).toEqual([true, false]);
  await lock?.release();
  await makeCacheRoom({ directory, maxBytes: MAX_BYTES }, signal);
  expect(existsSync(making)).toBe(false);
  mkdirSync(join(making, 'files'), { recursive: true });
  writeFileSync(join(making, 'files/half'), 'half');
  await prepare();
  expect([existsSync(making), existsSync(spare)]).toEqual([false, true]);
  const next = await enter();
  expect(next.isSpare).toBe(true);
  expect(existsSync(join(next.tree, 'half'))).toBe(false);
});

const KILLS = cases(6, 50);
const PROGRAM = fileURLToPath(new URL('prepare-process.ts', import.meta.url));

it(`is whole or not there after a process that makes it was killed, ${KILLS} times`, async () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`d${at % 7}/file-${at}`, `${at}\n`.repeat(40)]),
  );
  repository.commit(many);
  const expected = all((await enter()).tree);
  const start = (): ChildProcess => fork(PROGRAM, [JSON.stringify(prepared())], { execArgv: [] });
  const whole = start();
  const begun = performance.now();
  await once(whole, 'exit');
  const took = performance.now() - begun;
  expect((await enter()).isSpare).toBe(true);
  for (let attempt = 0; attempt < KILLS; attempt += 1) {
    const child = start();
    const exit = once(child, 'exit');
    await pause(took * (0.3 + 0.7 * Math.random()));
    child.kill('SIGKILL');
    await exit;
    const next = await enter();
    expect(all(next.tree)).toEqual(expected);
    expect((await next.git.changes(NONE)).changes).toEqual([]);
  }
  // What it started may go on, and has the lock until it ends.
  for (const path of kept('.spare.lock')) execFileSync('flock', [path, 'true']);
  await prepare();
  expect((await enter()).isSpare).toBe(true);
  await prepare();
  expect(kept('.making')).toEqual([]);
});

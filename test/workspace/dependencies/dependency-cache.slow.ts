// Dependencies on the disk: whole or not there, of nobody else, and within the limit.
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from '@jest/globals';
import {
  DependencyCache,
  type KeptDependencies,
  type Roots,
} from '../../../src/workspace/dependencies/dependency-cache.ts';
import {
  makeCacheRoom,
  setExcessAside,
} from '../../../src/workspace/git/engines/native/cache-room.ts';
import { cases } from '../../support/cases.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { Keeping } from './keep-process.ts';

const URL_OF = 'https://github.example/octo/sample.git';
const MAX_BYTES = 2 ** 27;
const { signal } = new AbortController();
const FILES = 300;

let directory: string;
beforeEach(() => {
  directory = join(temporaryDirectory(), 'cache');
  mkdirSync(directory);
});

const storeOf = ({ installation = 1, url = URL_OF, maxBytes = MAX_BYTES } = {}): DependencyCache =>
  new DependencyCache({ directory, maxBytes, installation }, url, signal);

function rootsWith(files: number): Roots {
  const around = temporaryDirectory();
  const roots = { tree: join(around, 'tree'), home: join(around, 'home') };
  mkdirSync(roots.tree);
  if (files > 0) mkdirSync(join(roots.tree, 'node_modules'));
  for (let at = 0; at < files; at += 1)
    writeFileSync(join(roots.tree, 'node_modules', `file-${at}`), `${at}\n`.repeat(100));
  return roots;
}

async function keep(key: string, files = 3, store = storeOf()): Promise<KeptDependencies> {
  const kept = await store.keep(key, ['node_modules'], rootsWith(files), true);
  if (kept === undefined || 'rejected' in kept) throw new Error(JSON.stringify(kept));
  return kept;
}

const kept = (ending: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith(ending));
const filesIn = (roots: Roots): string[] =>
  readdirSync(join(roots.tree, 'node_modules')).toSorted();

it('serve no other installation, repository or key', async () => {
  await keep('a'.repeat(64));
  const found = async (...of: Parameters<typeof storeOf>) => storeOf(...of).find('a'.repeat(64));
  expect(await found()).toMatchObject({ paths: ['node_modules'], isAll: true });
  expect(await found({ installation: 2 })).toBeUndefined();
  expect(await found({ url: 'https://github.example/octo/other.git' })).toBeUndefined();
  expect(await storeOf().find('b'.repeat(64))).toBeUndefined();
});

it('are copies: no file of one is a file of another, and only we can read what is kept', async () => {
  const entry = await keep('a');
  const [one, other] = [rootsWith(0), rootsWith(0)];
  for (const to of [one, other]) expect(await storeOf().restore(entry, to)).toBeUndefined();
  const inodes = [
    join(entry.path, '0'),
    ...[one, other].map(({ tree }) => join(tree, 'node_modules')),
  ].map((at) => lstatSync(join(at, 'file-1')).ino);
  expect(new Set(inodes).size).toBe(3);
  writeFileSync(join(one.tree, 'node_modules/file-1'), 'evil');
  expect(readFileSync(join(other.tree, 'node_modules/file-1'), 'utf8')).toMatch(/^1\n/);
  expect(lstatSync(entry.path).mode & 0o777).toBe(0o700);
});

it('are put nowhere that a link leads to, nor where something is', async () => {
  const entry = await keep('a');
  const outside = temporaryDirectory();
  const linked = rootsWith(0);
  symlinkSync(outside, join(linked.tree, 'node_modules'));
  expect(await storeOf().restore(entry, linked)).toBe('node_modules is there already');
  const nested = rootsWith(0);
  mkdirSync(join(nested.tree, 'packages/a/node_modules'), { recursive: true });
  const inner = await storeOf().keep('b', ['packages/a/node_modules'], nested, true);
  const to = rootsWith(0);
  symlinkSync(outside, join(to.tree, 'packages'));
  expect(await storeOf().restore(inner as KeptDependencies, to)).toBe(
    'packages/a/node_modules is there already',
  );
  expect([readdirSync(outside), readlinkSync(join(to.tree, 'packages'))]).toEqual([[], outside]);
});

it('are not taken through a link that setup made', async () => {
  const outside = temporaryDirectory();
  writeFileSync(join(outside, 'secret'), 'secret');
  const from = rootsWith(0);
  symlinkSync(outside, join(from.tree, 'node_modules'));
  expect(await storeOf().keep('a', ['node_modules'], from, true)).toMatchObject({
    rejected: 'setup made none of node_modules',
  });
});

it('go if they are the least recently used, or were not used for a week, and count in the limit', async () => {
  const old = await keep('old', 100);
  const recent = await keep('recent', 100);
  const room =
    (await Promise.all(['old', 'recent'].map(sizeOf))).reduce((one, other) => one + other) - 1;
  const at = (hours: number): Date => new Date(Date.now() - hours * 3_600_000);
  utimesSync(old.path, at(3), at(3));
  utimesSync(recent.path, at(2), at(2));
  await storeOf().find('old');
  await setExcessAside({ directory, maxBytes: room }, signal);
  expect([await storeOf().find('recent'), await storeOf().find('old')]).toEqual([
    undefined,
    expect.anything(),
  ]);
  utimesSync(old.path, at(8 * 24), at(8 * 24));
  await makeCacheRoom({ directory, maxBytes: MAX_BYTES }, signal);
  expect([...kept('.deps'), ...kept('.gone')]).toEqual([]);
});

const sizeOf = async (key: string): Promise<number> => {
  const found = await storeOf().find(key);
  return Number(readFileSync(join(found?.path ?? '', 'bytes'), 'utf8'));
};

/** The program that copies to a work tree, stopped once it has begun. */
async function stoppedCopy(tree: string): Promise<ChildProcess> {
  const started: ChildProcess[] = [];
  const note = (message: unknown): void =>
    void started.push((message as { process: ChildProcess }).process);
  subscribe('child_process', note);
  const watcher = watch(tree);
  try {
    await once(watcher, 'change');
    const copy = started.find(({ spawnfile }) => spawnfile === 'cp');
    if (copy?.kill('SIGSTOP') !== true) throw new Error('nothing is copied');
    return copy;
  } finally {
    watcher.close();
    unsubscribe('child_process', note);
  }
}

it('are not used if they were removed while they were copied', async () => {
  // So many that it is not done before it is stopped.
  const entry = await keep('a', 4_000);
  const to = rootsWith(0);
  const copying = stoppedCopy(to.tree);
  const restoring = storeOf().restore(entry, to);
  const copy = await copying;
  await setExcessAside({ directory, maxBytes: 0 }, signal);
  copy.kill('SIGCONT');
  expect(await restoring).toBe('it was removed from the cache meanwhile');
  expect(existsSync(join(to.tree, 'node_modules'))).toBe(false);
});

it('that could not be kept are tried again after an hour', async () => {
  const store = storeOf();
  const noted = await store.reject('a', 'it is closed');
  expect(await store.find('a')).toMatchObject({ rejected: 'it is closed' });
  const before = new Date(Date.now() - 3_700_000);
  utimesSync(noted?.path ?? '', before, before);
  expect(await store.find('a')).toBeUndefined();
  await keep('a');
});

const PROGRAM = fileURLToPath(new URL('keep-process.ts', import.meta.url));
const start = (keeping: Omit<Keeping, 'cache' | 'url'>): ChildProcess => {
  const cache = { directory, maxBytes: MAX_BYTES, installation: 1 };
  return fork(PROGRAM, [JSON.stringify({ cache, url: URL_OF, ...keeping })], { execArgv: [] });
};

it('are kept by one of the processes that want to at once', async () => {
  const said: unknown[] = [];
  await Promise.all(
    [1, 2, 3].map(async () => {
      const child = start({ key: 'a', from: rootsWith(FILES) });
      child.on('message', (message) => said.push(message));
      await once(child, 'exit');
    }),
  );
  expect([said.length, said.filter((word) => word === 'kept').length]).toEqual([3, 1]);
});

const KILLS = cases(6, 50);

it(`are whole or not there after a process was killed that kept them, ${KILLS} times`, async () => {
  const from = rootsWith(FILES);
  let begun = performance.now();
  await once(start({ key: 'whole', from }), 'exit');
  let took = performance.now() - begun;
  let interrupted = 0;
  for (let attempt = 0; attempt < KILLS; attempt += 1) {
    const key = `key-${attempt}`;
    begun = performance.now();
    const child = start({ key, from });
    const exit = once(child, 'exit').then(() => performance.now() - begun);
    await pause(took * (0.3 + 0.7 * Math.random()));
    child.kill('SIGKILL');
    const lived = await exit;
    // The machine is faster than it was.
    if (child.exitCode !== null) took = lived;
    const store = storeOf();
    const before = await store.find(key);
    if (before === undefined) interrupted += 1;
    const found = await store.locked(async () => (await store.find(key)) ?? keep(key, FILES));
    const to = rootsWith(0);
    expect(await store.restore(found as KeptDependencies, to)).toBeUndefined();
    expect(filesIn(to)).toHaveLength(FILES);
    for (const name of filesIn(to))
      expect(lstatSync(join(to.tree, 'node_modules', name)).size).toBeGreaterThan(0);
  }
  expect(interrupted).toBeGreaterThan(0);
  for (const name of kept('.deps.lock')) execFileSync('flock', [join(directory, name), 'true']);
  await makeCacheRoom({ directory, maxBytes: MAX_BYTES }, signal);
  expect(kept('.deps-making')).toEqual([]);
  rmSync(directory, { recursive: true });
});

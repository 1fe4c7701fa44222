import { once } from 'node:events';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TryLater } from '../../../src/lib/errors.ts';
import { GitClient } from '../../../src/workspace/git/client.ts';
import { GitThreads, type ThreadUse } from '../../../src/workspace/git/threads.ts';
import type { Workspace, WorkspaceOptions } from '../../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { AT, BRANCH, byCommand, GIT, open, text, withoutThread } from '../support.ts';

class WatchedThreads extends GitThreads {
  /** The threads that workspaces took, in their order. */
  readonly taken: Worker[] = [];

  override async take(wanted: ThreadUse, signal: AbortSignal): ReturnType<GitThreads['take']> {
    const thread = await super.take(wanted, signal);
    if (wanted.place !== undefined) this.taken.push(thread.worker);
    return thread;
  }
}

let server: GitServer;
let one: TestRepository;
let other: TestRepository;
let threads = new WatchedThreads();
beforeAll(async () => {
  server = await startGitServer();
  one = server.createRepository('octo/one', { 'README.md': 'One\n' });
  other = server.createRepository('octo/other', { 'README.md': 'Other\n' });
});
afterEach(async () => {
  await threads.close();
  threads = new WatchedThreads();
  server.intercept = undefined;
});
afterAll(async () => server.close());

/** With a cache, a thread would prepare a spare work tree besides. */
const WITHOUT_CACHE = { engine: GIT.engine, maxBytes: GIT.maxBytes };
const enter = (repository: TestRepository, options: Partial<WorkspaceOptions> = {}) =>
  open(server, repository, { threads, git: WITHOUT_CACHE, ...options });

/** How many there were. */
const different = (): number => new Set(threads.taken).size;

/** Opens and closes a workspace, whose thread is `thread` then. */
async function used(repository: TestRepository): Promise<Worker> {
  await (await enter(repository)).close();
  return threads.taken.at(-1) as Worker;
}

/** Holds back what git clients ask of the server, until it is called. Resolves when `number` of them ask. */
function holdBack(number: number): { asked: Promise<void>; release: () => void } {
  const asked = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  let count = 0;
  server.intercept = (_request, response) => {
    count += 1;
    if (count === number) asked.resolve();
    void free.promise.then(() => response.writeHead(500).end());
    return true;
  };
  return { asked: asked.promise, release: free.resolve };
}

describe('a git thread', () => {
  it('serves one workspace after the other, and knows nothing of the one before', async () => {
    const first = await enter(one);
    await first.files.write('a.txt', text('1'));
    await first.git.commit({ message: 'Change', at: AT });
    await first.files.write('b.txt', text('2'));
    await first.close();

    const second = await enter(other);
    await expect(second.git.changes()).resolves.toEqual([]);
    await second.files.write('c.txt', text('3'));
    await second.git.commit({ message: 'Change', at: AT });
    await second.close();

    expect(different()).toBe(1);
    expect(other.git('ls-tree', '--name-only', BRANCH)).toBe('README.md\nc.txt');
    expect(one.git('ls-tree', '--name-only', BRANCH)).toBe('README.md\na.txt');
  });

  it('is a separate one if two work at once', async () => {
    const [first, second] = await Promise.all([enter(one), enter(other)]);
    expect(different()).toBe(2);
    await Promise.all([first.close(), second.close()]);
    await Promise.all([used(one), used(other)]);
    expect(different()).toBe(2);
  });

  it('is not used for another workspace after a failure, which may have left work behind', async () => {
    server.intercept = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    await expect(enter(one)).rejects.toThrow();
    server.intercept = undefined;
    await used(one);
    expect(different()).toBe(2);
  });

  it('is not reused if a call was in progress', async () => {
    const held = holdBack(1);
    const workspace = enter(one);
    await held.asked;
    const stop = new AbortController();
    const stopped = enter(other, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    await expect(stopped).rejects.toThrow('stopped');
    held.release();
    await expect(workspace).rejects.toThrow();
    server.intercept = undefined;
    const before = new Set(threads.taken);
    await used(one);
    expect(before.has(threads.taken.at(-1) as Worker)).toBe(false);
  });

  it('fails the calls of a workspace that closes', async () => {
    const workspace = await enter(one);
    const [call] = await Promise.allSettled([workspace.git.changes(), workspace.close()]);
    expect(call).toMatchObject({ reason: { message: 'the workspace was closed' } });
  });

  it('stays with the workspace that has it, when the one before is closed twice or aborted late', async () => {
    const stop = new AbortController();
    const first = await enter(one, { signal: stop.signal });
    await first.close();
    const second = await enter(other);
    expect(different()).toBe(1);
    await first.close();
    stop.abort();
    await expect(first.git.changes()).rejects.toThrow('the workspace was closed');
    await expect(second.git.changes()).resolves.toEqual([]);
    await second.close();
  });

  it('is not reused if it has used much memory', async () => {
    threads = new WatchedThreads({ mostKeptBytes: 1 });
    await used(one);
    await used(other);
    expect(different()).toBe(2);
  });

  it('that dies while it waits is replaced', async () => {
    const thread = await used(one);
    await Promise.all([once(thread, 'exit'), thread.terminate()]);
    await nextTurn();
    await used(one);
    expect(different()).toBe(2);
  });

  it('ends with the others', async () => {
    const workspace = await enter(one);
    const ended = once(threads.taken[0] as Worker, 'exit');
    await used(other);
    await threads.close();
    await ended;
    await workspace.close();
    expect(threads.taken.map(({ threadId }) => threadId)).toEqual(threads.taken.map(() => -1));
  });
});

/** What a thread knows of it: a commit, a file that differs, what commands are compared with. */
async function work(workspace: Workspace, name: string): Promise<void> {
  await workspace.files.write(`${name}.txt`, text(name));
  await workspace.git.commit({ message: `Add ${name}`, at: AT });
  await workspace.files.write('README.md', text(`${name} here\n`));
  await workspace.drain();
}

describe('few threads for many workspaces', () => {
  it('know each as if it had a thread of its own', async () => {
    threads = new WatchedThreads({ size: 1 });
    const first = await enter(one, { branch: () => 'first' });
    const second = await enter(other, { branch: () => 'second' });
    await work(first, 'first');
    await work(second, 'second');
    for (const workspace of [first, second, first])
      expect(await workspace.git.changes()).toEqual([{ path: 'README.md', status: 'modified' }]);
    expect(different()).toBe(1);

    await byCommand(first, () => {});
    await byCommand(second, () => {});
    expect(await first.drain()).toEqual([]);
    await second.git.commit({ message: 'Say so', at: AT });
    await first.git.commit({ message: 'Say so', at: AT });
    expect(one.git('show', 'first:README.md')).toBe('first here');
    expect(other.git('show', 'second:README.md')).toBe('second here');
    await Promise.all([first.close(), second.close()]);
  });

  it('know each in the middle of a merge, a command and a commit', async () => {
    threads = new WatchedThreads({ size: 1 });
    const merged = server.createRepository('octo/merged', { 'README.md': 'Both\n' });
    nativeGit(merged.checkout, 'branch', BRANCH);
    const baseCommit = merged.commit({ 'ours.md': 'ours' }, BRANCH);
    const theirs = merged.commit({ 'theirs.md': 'theirs' }, 'main');
    const first = await enter(merged, { baseCommit, merge: { theirs, branch: 'main' } });
    const second = await enter(other);

    const { directory, watch } = first.commands;
    await watch.begin();
    await second.git.changes();
    writeFileSync(join(directory, 'made.md'), 'made');
    expect((await watch.end(async () => [])).changed).toEqual(['made.md']);
    await first.drain();

    let isDone = false;
    const committing = first.git
      .commit({ message: 'Merge', at: AT })
      .finally(() => (isDone = true));
    // They take turns: between any two calls of the first is one of the second.
    while (!isDone) await second.git.changes();
    expect(await committing).toMatchObject({ merges: theirs, files: [{ path: 'made.md' }] });
    expect(merged.git('log', '-1', '--format=%P', BRANCH)).toBe(`${baseCommit} ${theirs}`);
    expect(different()).toBe(1);
    await Promise.all([first.close(), second.close()]);
  });

  it('are not given to a call that was aborted in the same moment', async () => {
    const small = new GitThreads({ size: 1 });
    const wanted = { place: undefined, use: 'other' } as const;
    const { signal } = new AbortController();
    const stop = new AbortController();
    const thread = await small.take(wanted, signal);
    const aborted = small.take(wanted, stop.signal);
    stop.abort(new Error('stopped'));
    thread.giveBack({ hasFailed: false });
    await expect(aborted).rejects.toThrow('stopped');
    const next = await small.take(wanted, signal);
    next.giveBack({ hasFailed: false });
    await small.close();
  });

  it('serve calls that wait in their order, and none that was aborted', async () => {
    threads = new WatchedThreads({ size: 1 });
    const stop = new AbortController();
    const [first, second, third] = [
      await enter(one),
      await enter(other, { signal: stop.signal }),
      await enter(other),
    ];
    const order: string[] = [];
    const say = (name: string) => (): void => void order.push(name);
    const calls = [
      first.git.changes().then(say('first')),
      second.git.changes().then(say('second'), say('stopped')),
      third.git.changes().then(say('third')),
      first.git.diff('').then(say('first again')),
    ];
    stop.abort();
    await Promise.all(calls);
    expect(order).toEqual(['stopped', 'first', 'third', 'first again']);
    await Promise.all([first, second, third].map((workspace) => workspace.close()));
  });

  it('keep one for everything else while a slow server delays transfers', async () => {
    threads = new WatchedThreads({ size: 2 });
    const workspace = await enter(one);
    const held = holdBack(1);
    const clones = [enter(other), enter(other)];
    await held.asked;
    expect(await workspace.git.changes()).toEqual([]);
    held.release();
    await Promise.allSettled(clones);
    await workspace.close();
  });

  it('remove the directories of workspaces too, and if none can, the main thread does', async () => {
    const ended = new GitThreads();
    await ended.close();
    for (const pool of [threads, ended]) {
      const directory = temporaryDirectory();
      writeFileSync(join(directory, 'a.txt'), 'a');
      await pool.remove(directory);
      expect(existsSync(directory)).toBe(false);
    }
    await expect(threads.remove('/proc/self')).rejects.toThrow('/proc/self stays in part');
  });

  it('lose no workspace while they do something else', async () => {
    threads = new WatchedThreads({ size: 2 });
    const both = [await enter(one), await enter(other)];
    const directories = both.map(() => temporaryDirectory());
    for (let turn = 0; turn < 3; turn += 1) {
      const removed = directories.map((directory) => threads.remove(join(directory, 'nothing')));
      for (const found of await Promise.all(both.map(({ git }) => git.changes())))
        expect(found).toEqual([]);
      await Promise.all(removed);
    }
    await Promise.all(both.map((workspace) => workspace.close()));
  });

  it('fail only the workspace whose thread died', async () => {
    threads = new WatchedThreads({ size: 2 });
    const first = await enter(one);
    const second = await enter(other);
    await first.git.changes();
    const thread = threads.taken.at(-1) as Worker;
    await Promise.all([once(thread, 'exit'), thread.terminate()]);
    await nextTurn();
    await expect(first.git.changes()).rejects.toThrow('has ended');
    expect(await second.git.changes()).toEqual([]);
    await Promise.all([first.close(), second.close()]);
  });

  it.each([
    ['the disk is full', '/dev/full', TryLater, /a disk of Issuewright is full.*TMPDIR/],
    ['it cannot be written', '/proc/nowhere/state', Error, /ENOENT/],
  ])('say why a workspace could not be kept: %s', async (_why, target, kind, words) => {
    const small = new GitThreads({ size: 1 });
    const { signal } = new AbortController();
    const { place } = withoutThread(one);
    const client = new GitClient(small, place, signal);
    await client.call('clone', { commit: one.head(), token: server.token }, 20_000);
    symlinkSync(target, join(place.gitdir, 'issuewright-state'));
    const other = await small.take({ place: withoutThread(one).place, use: 'other' }, signal);
    other.giveBack({ hasFailed: false });
    const call = client.call('lastCommit', undefined, 20_000).catch((error: unknown) => error);
    expect(await call).toBeInstanceOf(kind);
    expect(String(await call)).toMatch(words);
    await client.close();
    await small.close();
  });

  it('end when they are idle, but for two', async () => {
    threads = new WatchedThreads({ size: 4, maxIdleMs: 20 });
    const { signal } = new AbortController();
    const wanted = Array.from({ length: 4 }, () => {
      return { place: withoutThread(one).place, use: 'other' } as const;
    });
    const taken = await Promise.all(wanted.map((each) => threads.take(each, signal)));
    const ends = taken.slice(0, 2).map(({ worker }) => once(worker, 'exit'));
    for (const thread of taken) thread.giveBack({ hasFailed: false });
    await Promise.all(ends);
    for (const [at, each] of wanted.entries()) {
      if (at < 2) continue;
      const again = await threads.take(each, signal);
      expect(again.worker).toBe(taken[at]?.worker);
      again.giveBack({ hasFailed: false });
    }
  });

  it('end when they are idle, and what they knew is kept', async () => {
    threads = new WatchedThreads({ size: 3, maxIdleMs: 20 });
    const workspaces = await Promise.all(
      ['a', 'b', 'c'].map((branch) => enter(one, { branch: () => branch })),
    );
    for (const { files } of workspaces) await files.write('README.md', text('here\n'));
    const running = (): Worker[] => threads.taken.filter(({ threadId }) => threadId !== -1);
    while (new Set(running()).size > 2)
      await Promise.race(running().map((worker) => once(worker, 'exit')));
    for (const workspace of workspaces)
      expect(await workspace.git.changes()).toEqual([{ path: 'README.md', status: 'modified' }]);
    await Promise.all(workspaces.map((workspace) => workspace.close()));
  });
});

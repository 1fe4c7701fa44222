import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { GitThreads } from '../../../src/workspace/git/threads.ts';
import type { WorkspaceOptions } from '../../../src/workspace/workspace.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { AT, BRANCH, open, text } from '../support.ts';

/** The threads that were taken, in their order. */
class WatchedThreads extends GitThreads {
  readonly taken: Worker[] = [];

  override take(): Worker {
    const thread = super.take();
    this.taken.push(thread);
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

const enter = (repository: TestRepository, options: Partial<WorkspaceOptions> = {}) =>
  open(server, repository, { threads, ...options });

/** How many there were. */
const different = (): number => new Set(threads.taken).size;

/** Opens and closes a workspace, whose thread is `thread` then. */
async function used(repository: TestRepository): Promise<Worker> {
  await (await enter(repository)).close();
  return threads.taken.at(-1) as Worker;
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

  it('is not used again after a failure, which may have left work behind', async () => {
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
    const workspace = await enter(one);
    const [call] = await Promise.allSettled([workspace.git.changes(), workspace.close()]);
    expect(call).toMatchObject({ reason: { message: 'the workspace was closed' } });
    await used(one);
    expect(different()).toBe(2);
  });

  it('is not used again after an abort', async () => {
    const stop = new AbortController();
    const workspace = await enter(one, { signal: stop.signal });
    stop.abort();
    await workspace.close();
    await used(one);
    expect(different()).toBe(2);
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

  it('that does not answer is ended', async () => {
    const deaf = new Worker('setInterval(() => {}, 1000)', { eval: true });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const given = threads.giveBack(deaf);
    jest.advanceTimersByTime(5000);
    jest.useRealTimers();
    await given;
    expect(deaf.threadId).toBe(-1);
  });

  it('that dies while it waits is forgotten', async () => {
    const thread = await used(one);
    await Promise.all([once(thread, 'exit'), thread.terminate()]);
    await nextTurn();
    await used(one);
    expect(different()).toBe(2);
  });

  it('ends with the others', async () => {
    const workspace = await enter(one);
    const spare = await used(other);
    const ended = once(spare, 'exit');
    await threads.close();
    await ended;
    await workspace.close();
    expect(threads.taken.map(({ threadId }) => threadId)).toEqual([-1, -1]);
  });
});

// Starting a process takes longer than most of what a session asks git for.
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { unlessItFails } from '../../../src/lib/errors.ts';
import { prepareSpare } from '../../../src/workspace/git/engines/native/spare-tree.ts';
import { contentOf } from '../../../src/workspace/files/recorded-changes.ts';
import { startGitServer, type GitServer, type TestRepository } from '../../support/git-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { AT, withoutThread } from '../support.ts';

let server: GitServer;
let repository: TestRepository;
const started: ChildProcess[] = [];
const note = (message: unknown): void =>
  void started.push((message as { process: ChildProcess }).process);
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  subscribe('child_process', note);
});
afterEach(() => {
  unsubscribe('child_process', note);
});

/** The programs and commands of git that `act` started in this process, without those of the server. */
async function startedBy(act: () => Promise<unknown>): Promise<string[]> {
  started.length = 0;
  await act();
  return started.map(nameOf).filter((name) => name !== 'upload-pack');
}

function nameOf({ spawnargs: words }: ChildProcess): string {
  const git = words.indexOf('git');
  const isSetting = (at: number): boolean => words[at] === '-c' || words[at - 1] === '-c';
  return words.find((_, at) => at > git && !isSetting(at)) ?? '';
}

it('a session starts few, and one for all that it reads between its commits', async () => {
  repository = server.createRepository('octo/processes', { 'a/b.txt': 'b\n', 'c.txt': 'c\n' });
  const directory = join(temporaryDirectory(), 'cache');
  const cache = { directory, maxBytes: 2 ** 28, installation: 1 };
  const enter = () => withoutThread(repository, { engine: 'native', cache });
  const clone = (commit: string, { git }: ReturnType<typeof enter>) =>
    startedBy(() => git.clone({ commit, token: server.token }));
  const first = enter();
  const checkOut = ['cat-file', 'cat-file', 'read-tree', 'checkout-index'];
  const cold = await clone(repository.head(), first);
  expect(cold.toSorted()).toEqual(['flock', 'fetch', ...checkOut].toSorted());
  const place = { ...first.place, cache };
  const { signal } = new AbortController();
  const commit = repository.head();
  const prepared = await startedBy(() => prepareSpare(place, commit, signal));
  expect(prepared).toEqual(['flock', ...checkOut, 'rm']);
  const next = repository.commit({ 'c.txt': 'changed\n' });
  const second = enter();
  const warm = await clone(next, second);
  expect(warm.toSorted()).toEqual(['cat-file', 'flock', 'index-pack']);
  writeFileSync(join(second.tree, 'a/b.txt'), 'x\n');
  const content = contentOf({ mode: '100644', content: Buffer.from('x\n') });
  const recorded = new Map([['a/b.txt', content]]);
  const considered = { except: [], recorded };
  const asked = { message: 'Change', at: AT.getTime(), only: undefined, ...considered };
  const { git } = second;
  const changeAndCommit = () =>
    startedBy(async () => {
      expect((await git.changes(considered)).changes).toHaveLength(1);
      expect(await git.diff({ path: '', ...considered })).toHaveLength(1);
      await git.commit(asked);
      await git.lastCommit();
    });
  expect(await changeAndCommit()).toEqual(['cat-file']);
  const [reader] = started;
  expect(await changeAndCommit()).toEqual([]);
  expect(reader?.exitCode).toBeNull();
  await git.close();
  expect(reader?.exitCode).toBe(0);
  expect(await startedBy(() => git.diff({ path: '', ...considered }))).toEqual(['cat-file']);
});

/** The arguments of all processes of this machine. */
function allArguments(): string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.flatMap(
    (id) => unlessItFails(() => readFileSync(`/proc/${id}/cmdline`, 'utf8')) ?? [],
  );
}

it('a token is in the arguments of no process, neither of ours nor of those that git starts', async () => {
  // Other tests on this machine pass theirs to processes.
  server.token = `token-${process.pid}`;
  repository = server.createRepository('octo/token', { 'a/b.txt': 'b\n', 'c/d.txt': 'd\n' });
  const cache = {
    directory: join(temporaryDirectory(), 'cache'),
    maxBytes: 2 ** 28,
    installation: 1,
  };
  const seen: string[] = [];
  // While a server has a request, whoever made it waits for the answer.
  const look = (): void => void seen.push(...allArguments());
  subscribe('http.server.request.start', look);
  try {
    const { token } = server;
    const names = await startedBy(async () => {
      await withoutThread(repository, { cache }).git.clone({ commit: repository.head(), token });
      const next = repository.commit({ 'c/d.txt': 'changed\n' });
      const { git, tree } = withoutThread(repository, { cache });
      await git.clone({ commit: next, token });
      await withoutThread(repository, { sparse: ['a'] }).git.clone({ commit: next, token });
      writeFileSync(join(tree, 'new'), 'new');
      const content = contentOf({ mode: '100644', content: Buffer.from('new') });
      const considered = { except: [], recorded: new Map([['new', content]]) };
      await git.commit({ message: 'Add', at: AT.getTime(), only: undefined, ...considered });
      await git.push({ token, branch: 'new', unsigned: undefined });
    });
    expect(names).toEqual(expect.arrayContaining(['fetch', 'index-pack', 'pack-objects']));
  } finally {
    unsubscribe('http.server.request.start', look);
  }
  seen.push(...started.flatMap(({ spawnargs }) => spawnargs));
  expect(seen).toContainEqual(expect.stringContaining('remote-http'));
  const { token } = server;
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  for (const secret of [token, basic])
    expect(seen.filter((words) => words.includes(secret))).toEqual([]);
});

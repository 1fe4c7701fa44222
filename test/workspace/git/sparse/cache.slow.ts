// What the next sessions with a part of a repository find in the cache.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { makeCacheRoom } from '../../../../src/workspace/git/engines/native/cache-room.ts';
import type { WorkspaceOptions } from '../../../../src/workspace/workspace.ts';
import { cases } from '../../../support/cases.ts';
import { faultsIn, requireIntactPart } from '../../../support/fsck.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { RawObjects } from '../../../support/raw-objects.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { open, untilPrepared } from '../../support.ts';
import { contentIn, leftAfterSweep, SessionProcess } from '../session-scene.ts';

const MIB = 1024 * 1024;
const { signal } = new AbortController();
const LARGE = 60_000;
const random = (): Buffer => randomBytes(LARGE);

let server: GitServer;
let repository: TestRepository;
let directory: string;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  repository = server.createRepository(`octo/part-${count}`, {
    'README.md': 'Sample\n',
    'services/billing/main.ts': 'billing\n',
    'services/billing/large.bin': random(),
    'services/search/main.ts': 'search\n',
    'web/large.bin': random(),
  });
  directory = join(temporaryDirectory(), 'cache');
});

const enter = (options: Partial<WorkspaceOptions> & { maxBytes?: number } = {}) => {
  const { maxBytes = 2 ** 28, ...others } = options;
  const git = { engine: 'native', maxBytes: 2 ** 28, cache: { directory, maxBytes } } as const;
  return open(server, repository, { git, sparse: ['services/billing'], ...others });
};

/** Opens a workspace and closes it; answers what it had of a file, and what it cost. */
async function visit(options: Parameters<typeof enter>[0] = {}, path = 'services/billing/main.ts') {
  server.requests.length = 0;
  const before = bytesOfPacks();
  const workspace = await enter(options);
  const content = Buffer.from(await workspace.files.read(path)).toString();
  expect(await workspace.git.changes()).toEqual([]);
  await workspace.close();
  const requests = server.requests.map((request) => request.split(' ', 1)[0]);
  return { content, requests, bytes: bytesOfPacks() - before };
}

const kept = (ending: string): string[] =>
  (existsSync(directory) ? readdirSync(directory) : []).filter((name) => name.endsWith(ending));
const parts = (): string[] => kept('.sparse.git');
const cached = (): string => join(directory, parts()[0] ?? 'none');
const packs = (): string[] =>
  readdirSync(join(cached(), 'objects/pack')).filter((name) => name.endsWith('.pack'));
const bytesOfPacks = (): number =>
  parts().length === 0
    ? 0
    : packs().reduce((sum, name) => sum + statSync(join(cached(), 'objects/pack', name)).size, 0);

describe('a session with a part of a repository', () => {
  it('downloads nothing of a commit that the cache has, and asks whether its token may read', async () => {
    const first = await visit();
    expect(first.requests).toEqual(['GET', 'POST', 'POST']);
    expect(first.bytes).toBeGreaterThan(LARGE);
    expect(first.bytes).toBeLessThan(1.1 * LARGE);
    expect(await visit()).toEqual({ content: 'billing\n', requests: ['GET'], bytes: 0 });
    const credentials = () => Promise.resolve('withdrawn');
    await expect(enter({ credentials })).rejects.toThrow('denied access');
  });

  it('fetches what changed, and nothing of what it does not have', async () => {
    await visit();
    repository.commit({ 'services/search/main.ts': 'changed\n', 'web/large.bin': random() });
    const outside = await visit();
    expect(outside).toMatchObject({ content: 'billing\n', requests: ['POST'] });
    expect(outside.bytes).toBeLessThan(1_000);
    repository.commit({ 'services/billing/main.ts': 'changed\n', 'web/large.bin': random() });
    const inside = await visit();
    expect(inside).toMatchObject({ content: 'changed\n', requests: ['POST', 'POST'] });
    expect(inside.bytes).toBeLessThan(2_000);
    requireIntactPart(cached());
  });

  it('fetches the files of its own part, where others had another', async () => {
    await visit();
    const sparse = ['services/search'];
    const other = await visit({ sparse }, 'services/search/main.ts');
    expect(other).toMatchObject({ content: 'search\n', requests: ['POST'] });
    expect(other.bytes).toBeLessThan(1_000);
    expect(await visit({ sparse }, 'services/search/main.ts')).toMatchObject({ requests: ['GET'] });
  });

  it('shares nothing with sessions that have all of it', async () => {
    await visit();
    const whole = await visit({ sparse: undefined }, 'web/large.bin');
    expect(whole.requests).toContain('POST');
    expect(whole.bytes).toBe(0);
    expect(kept('.git')).toHaveLength(2);
    repository.commit({ 'web/large.bin': 'small\n' });
    expect(await visit()).toMatchObject({ requests: ['POST'] });
    const later = await visit({ sparse: undefined }, 'web/large.bin');
    expect(later).toMatchObject({ content: 'small\n', requests: ['POST'] });
    const [name = ''] = kept('.git').filter((one) => !parts().includes(one));
    nativeGit(join(directory, name), 'fsck', '--strict', '--no-dangling');
  });

  it('fetches once if others begin at the same time', async () => {
    server.requests.length = 0;
    const all = await Promise.all([1, 2, 3, 4].map(() => enter()));
    const posts = server.requests.filter((request) => request.startsWith('POST'));
    expect(posts).toHaveLength(2);
    expect(server.requests.length - posts.length).toBe(4);
    await Promise.all(all.map((workspace) => workspace.close()));
  });

  it('gets nothing that another installation fetched', async () => {
    await visit({ installation: 1 });
    const other = await visit({ installation: 2 });
    expect(other.requests).toEqual(['GET', 'POST', 'POST']);
    expect(parts()).toHaveLength(2);
  });

  it('keeps what it has when the cache is deleted under it', async () => {
    const workspace = await enter();
    await untilPrepared();
    rmSync(directory, { recursive: true });
    await workspace.files.write('services/billing/main.ts', Buffer.from('mine\n'));
    expect(await workspace.git.diff('')).toMatchObject([
      { hunks: '@@ -1 +1 @@\n-billing\n+mine\n' },
    ]);
    const done = await workspace.git.commit({ message: 'Change', at: new Date(0) });
    expect(done?.files).toEqual([{ path: 'services/billing/main.ts', status: 'modified' }]);
    await workspace.close();
  });

  it('finds every commit after packs were joined', async () => {
    const first = repository.head();
    for (let turn = 0; turn < 15; turn += 1) {
      await visit();
      repository.commit({ 'services/billing/main.ts': `${turn}\n`, 'web/a.txt': `${turn}\n` });
    }
    expect(packs().length).toBeLessThan(24);
    expect(await visit({ baseCommit: first })).toMatchObject({
      content: 'billing\n',
      requests: ['GET'],
    });
    requireIntactPart(cached());
  });

  it.each([
    ['denies the first request', 1, 400, ''],
    ['answers the first with a page', 1, 200, '<html>'],
    ['denies the request for files', 2, 400, ''],
    ['answers that with a page', 2, 200, '<html>'],
  ])('asks in another way if the server %s', async (_what, turn, status, answer) => {
    await visit();
    repository.commit({ 'services/billing/main.ts': 'changed\n' });
    let posts = 0;
    server.intercept = ({ method }, response) => {
      if (method !== 'POST' || (posts += 1) !== turn) return false;
      response.writeHead(status, { 'content-type': 'text/html' }).end(answer);
      return true;
    };
    try {
      expect(await visit()).toMatchObject({ content: 'changed\n' });
    } finally {
      server.intercept = undefined;
    }
    expect(posts).toBe(3);
    expect(await visit()).toMatchObject({ requests: ['GET'] });
    requireIntactPart(cached());
  });
});

const zeroed = (path: string): void => writeFileSync(path, Buffer.alloc(statSync(path).size));
const emptied = (path: string): void => writeFileSync(path, '');

it.each([
  ['packs of zeros', /\.pack$/, zeroed],
  ['packs that end in the middle', /\.pack$/, (path: string) => truncateSync(path, 40)],
  ['no packs', /\.pack$/, (path: string) => rmSync(path)],
  ['indexes of zeros', /\.idx$/, zeroed],
  ['empty indexes', /\.idx$/, emptied],
  ['empty references', /refs\/issuewright\/[\da-f]+$/, emptied],
  ['an empty list of shallow commits', /shallow$/, emptied],
  ['nothing but zeros', /./, zeroed],
])('a cache of parts that has %s serves the next session', async (_what, which, damage) => {
  await visit();
  repository.commit({ 'services/billing/main.ts': 'changed\n' });
  await visit();
  for (const name of readdirSync(cached(), { recursive: true, encoding: 'utf8' })) {
    const path = join(cached(), name);
    if (!which.test(path) || !statSync(path).isFile()) continue;
    // Sessions have links to packs: another file takes the place of this one.
    writeFileSync(`${path}.other`, 'x'.repeat(statSync(path).size));
    renameSync(`${path}.other`, path);
    chmodSync(path, 0o600);
    damage(path);
  }
  expect(await visit()).toMatchObject({ content: 'changed\n' });
  repository.commit({ 'services/billing/main.ts': 'again\n' });
  expect(await visit()).toMatchObject({ content: 'again\n' });
  expect(await visit()).toMatchObject({ requests: ['GET'] });
  requireIntactPart(cached());
});

it('parts are within the limit of the cache, like whole repositories', async () => {
  const names = ['a', 'b', 'c'].map((name) => `octo/part-room-${name}`);
  for (const name of names) {
    repository = server.createRepository(name, { 'services/billing/main.ts': random() });
    await visit({ maxBytes: 2.5 * LARGE });
  }
  expect(parts()).toHaveLength(2);
  expect(await visit()).toMatchObject({ requests: ['GET'] });
  const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
  utimesSync(cached(), longAgo, longAgo);
  await makeCacheRoom({ directory, maxBytes: MIB }, signal);
  expect(parts()).toHaveLength(1);
});

/** A commit whose files in `part` and `other` differ from those of other numbers. */
function commitOf(number: number): string {
  const objects = new RawObjects();
  const tree = (prefix: string) =>
    objects.tree(
      ...Array.from({ length: 200 }, (_, at) => `file-${at}.txt`)
        .toSorted()
        .map((name) => ['100644', name, objects.blob(contentIn(prefix + name, number))] as const),
    );
  const root = objects.tree(['40000', 'other', tree('other/')], ['40000', 'part', tree('part/')]);
  const commit = objects.commit(root);
  objects.store(repository.directory);
  repository.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

const KILLS = cases(6, 60);

it(`processes that share a cache of parts finish, although one of them is killed, ${KILLS} times`, async () => {
  const temporary = join(temporaryDirectory(), 'tmp');
  mkdirSync(temporary);
  const git = {
    engine: 'native',
    maxBytes: 2 ** 28,
    cache: { directory, maxBytes: 2 ** 28 },
  } as const;
  const sparse = ['part'];
  const start = (commit: string, branch: string): SessionProcess => {
    const work = { remoteUrl: repository.url, token: server.token, commit, branch, git, sparse };
    return new SessionProcess(work, { TMPDIR: temporary });
  };
  let begun = performance.now();
  const whole = start(commitOf(0), 'alone');
  expect(await whole.worked()).toBe('done');
  let tookMs = performance.now() - begun;
  await whole.kill();
  let interrupted = 0;
  for (let round = 1; round <= KILLS; round += 1) {
    const commit = commitOf(round);
    begun = performance.now();
    const [killed, other] = [1, 2].map((at) => start(commit, `round-${round}-${at}`));
    await pause(tookMs * (0.3 + 0.7 * Math.random()));
    await killed?.kill();
    if (killed?.messages.at(-1) !== 'done') interrupted += 1;
    expect(await other?.worked()).toBe('done');
    tookMs = performance.now() - begun;
    await other?.kill();
    const found = await visit({ sparse }, 'part/file-7.txt');
    expect(found.content).toBe(contentIn('part/file-7.txt', round));
    const branch = `round-${round}-2`;
    expect(repository.git('diff', '--name-only', commit, branch)).toBe('file-7.txt');
  }
  expect(interrupted).toBeGreaterThan(0);
  expect(faultsIn(repository.directory)).toEqual([]);
  requireIntactPart(cached());
  expect(await leftAfterSweep(temporary)).toEqual([]);
}, 600_000);

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { makeCacheRoom } from '../../../../src/workspace/git/engines/native/cache-room.ts';
import { lockFile } from '../../../../src/workspace/git/engines/native/file-lock.ts';
import { encodePktLine, FLUSH } from '../../../../src/workspace/git/http-client.ts';
import type { WorkspaceOptions } from '../../../../src/workspace/workspace.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { open, text, untilPrepared } from '../../support.ts';

const MIB = 1024 * 1024;
const signal = new AbortController().signal;
/** A request to see whether the token may read, and one for what is missing. */
const LOOK = /GET .*service=git-upload-pack$/;
const FETCH = /POST .*git-upload-pack$/;

let server: GitServer;
let repository: TestRepository;
let directory: string;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());
beforeEach(() => {
  count += 1;
  repository = server.createRepository(`octo/cached-${count}`, { 'README.md': 'Sample\n' });
  directory = join(temporaryDirectory(), 'cache');
});

const enter = (options: Partial<WorkspaceOptions> & { maxBytes?: number } = {}) => {
  const { maxBytes = MIB, ...others } = options;
  const git = { engine: 'native', maxBytes: 2 ** 28, cache: { directory, maxBytes } } as const;
  return open(server, repository, { git, ...others });
};

/** Opens a workspace and closes it; answers what it had of the README, and the requests that it made. */
async function visit(options: Parameters<typeof enter>[0] = {}) {
  server.requests.length = 0;
  const workspace = await enter(options);
  const readme = Buffer.from(await workspace.files.read('README.md')).toString();
  await workspace.close();
  const fetches = server.requests.filter((request) => FETCH.test(request)).length;
  return { readme, isFetched: fetches > 0, requests: server.requests.length };
}

const repositories = () => readdirSync(directory).filter((name) => name.endsWith('.git'));
const cached = (): string => join(directory, repositories()[0] ?? 'none');
const packs = () =>
  readdirSync(join(cached(), 'objects/pack')).filter((name) => name.endsWith('.pack'));

it('a second workspace of a commit fetches nothing, and asks whether its token may read', async () => {
  expect(await visit()).toMatchObject({ readme: 'Sample\n', isFetched: true });
  expect(await visit()).toEqual({ readme: 'Sample\n', isFetched: false, requests: 1 });
  server.token = 'another';
  const credentials = () => Promise.resolve('withdrawn');
  await expect(enter({ credentials })).rejects.toThrow('denied access');
  server.token = 'token-of-the-test';
});

it('a workspace of a later commit fetches what changed', async () => {
  const large = Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256));
  repository.commit({ 'large.bin': large });
  await visit();
  const before = new Set(packs());
  repository.commit({ 'README.md': 'Changed\n' });
  expect(await visit()).toEqual({ readme: 'Changed\n', isFetched: true, requests: 1 });
  const [added = ''] = packs().filter((name) => !before.has(name));
  expect(statSync(join(cached(), 'objects/pack', added)).size).toBeLessThan(1_000);
});

/** What a server of version 2 would answer with a pack of no objects: less than was asked for. */
function emptyPack(): Buffer {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  const pack = Buffer.concat([head, createHash('sha1').update(head).digest()]);
  const line = Buffer.concat([Buffer.of(1), pack]).toString('latin1');
  const length = (line.length + 4).toString(16).padStart(4, '0');
  return Buffer.concat([encodePktLine('packfile\n'), Buffer.from(length + line, 'latin1'), FLUSH]);
}

it.each([
  ['denies the request', 400, ''],
  ['answers with a page', 200, '<html>'],
  ['answers with an error', 200, encodePktLine('ERR not so\n')],
  ['sends less than was asked for', 200, emptyPack()],
])('a server that %s is asked by git itself', async (_what, status, answer) => {
  await visit();
  repository.commit({ 'README.md': 'Changed\n' });
  let answered = 0;
  server.intercept = ({ method }, response) => {
    if (method !== 'POST' || (answered += 1) > 1) return false;
    const type = typeof answer === 'string' ? 'text/html' : 'application/x-git-upload-pack-result';
    response.writeHead(status, { 'content-type': type }).end(answer);
    return true;
  };
  try {
    expect(await visit()).toMatchObject({ readme: 'Changed\n' });
  } finally {
    server.intercept = undefined;
  }
  expect(answered).toBe(2);
  expect(await visit()).toMatchObject({ isFetched: false });
  nativeGit(cached(), 'fsck', '--strict', '--no-dangling');
});

it('workspaces that open at once fetch once', async () => {
  server.requests.length = 0;
  const all = await Promise.all([1, 2, 3, 4].map(() => enter()));
  expect(server.requests.filter((request) => FETCH.test(request))).toHaveLength(1);
  expect(server.requests.filter((request) => LOOK.test(request))).toHaveLength(4);
  await Promise.all(all.map((workspace) => workspace.close()));
});

it('what one installation fetched serves no other', async () => {
  await visit({ installation: 1 });
  expect(await visit({ installation: 2 })).toMatchObject({ isFetched: true });
  expect(repositories()).toHaveLength(2);
});

it('a workspace keeps what it has when the cache is deleted under it', async () => {
  repository.commit({ 'deep/er/file.txt': 'old\n' });
  const workspace = await enter();
  await untilPrepared();
  rmSync(directory, { recursive: true });
  await workspace.files.write('deep/er/file.txt', text('new\n'));
  expect(await workspace.git.diff('')).toMatchObject([{ hunks: '@@ -1 +1 @@\n-old\n+new\n' }]);
  const done = await workspace.git.commit({ message: 'Change', at: new Date(0) });
  expect(done?.files).toEqual([{ path: 'deep/er/file.txt', status: 'modified' }]);
  await workspace.close();
});

it('packs are joined before there are many, and every commit stays readable', async () => {
  const first = repository.head();
  for (let turn = 0; turn < 27; turn += 1) {
    await visit();
    repository.commit({ [`file-${turn}.txt`]: `${turn}\n` });
  }
  expect(packs().length).toBeLessThan(24);
  expect(await visit({ baseCommit: first })).toMatchObject({
    readme: 'Sample\n',
    isFetched: false,
  });
  nativeGit(cached(), 'fsck', '--strict', '--no-dangling');
});

it('a workspace is opened although packs could not be joined, and the log says why', async () => {
  await visit();
  for (let at = 0; at < 25; at += 1) {
    const asked = { cwd: cached() };
    const write = ['hash-object', '-w', '--stdin'];
    const oid = execFileSync('git', write, { ...asked, input: `content ${at}` });
    const pack = ['pack-objects', '-q', 'objects/pack/pack'];
    const name = execFileSync('git', pack, { ...asked, input: oid })
      .toString()
      .trim();
    rmSync(join(cached(), 'objects', oid.toString().slice(0, 2)), { recursive: true });
    if (at > 0) continue;
    const path = join(cached(), `objects/pack/pack-${name}.pack`);
    execFileSync('chmod', ['u+w', path]);
    const damaged = Buffer.from(readFileSync(path));
    damaged.fill(0, 14, damaged.length - 20);
    writeFileSync(path, damaged);
  }
  repository.commit({ 'README.md': 'Changed\n' });
  const said: object[] = [];
  const warn = (facts: object, event: string) => void said.push({ ...facts, event });
  expect(await visit({ log: { warn } })).toMatchObject({ readme: 'Changed\n', requests: 1 });
  expect(said).toMatchObject([{ event: 'failed to join packs in the cache' }]);
  expect(await visit()).toMatchObject({ readme: 'Changed\n', isFetched: false });
});

it.each([
  [
    'the content of its packs',
    'pack',
    (path: string) => writeFileSync(path, 'PACK', { flag: 'r+' }),
  ],
  ['the packs themselves', 'pack', (path: string) => rmSync(path)],
  ['an index of a pack', 'idx', (path: string) => writeFileSync(path, '')],
])('a cache that lost %s is fetched again', async (_what, ending, damage) => {
  await visit();
  const place = join(cached(), 'objects/pack');
  for (const name of readdirSync(place).filter((each) => each.endsWith(ending))) {
    execFileSync('chmod', ['u+w', join(place, name)]);
    damage(join(place, name));
    if (ending === 'pack') writeFileSync(join(place, name), 'no pack');
  }
  expect(await visit()).toMatchObject({ readme: 'Sample\n', isFetched: true });
  expect(await visit()).toMatchObject({ readme: 'Sample\n', isFetched: false });
});

const zeroed = (path: string): void => writeFileSync(path, Buffer.alloc(statSync(path).size));
const emptied = (path: string): void => writeFileSync(path, '');

// Git waits for no disk here, so files whose names were written may have no content.
it.each([
  ['packs of zeros', /\.pack$/, zeroed],
  ['packs that end in the middle', /\.pack$/, (path: string) => truncateSync(path, 40)],
  ['empty packs', /\.pack$/, emptied],
  ['indexes of zeros', /\.idx$/, zeroed],
  ['reverse indexes of zeros', /\.rev$/, zeroed],
  ['empty references', /refs\/issuewright\/[\da-f]+$/, emptied],
  ['an empty list of shallow commits', /shallow$/, emptied],
  ['no settings', /config$/, emptied],
  ['no head', /HEAD$/, emptied],
  ['nothing but zeros', /./, zeroed],
  ['nothing but empty files', /./, emptied],
])('a cache that a power failure left with %s serves the next session', async (...row) => {
  const [_what, which, damage] = row;
  await visit();
  repository.commit({ 'README.md': 'Changed\n' });
  await visit();
  for (const name of readdirSync(cached(), { recursive: true, encoding: 'utf8' })) {
    const path = join(cached(), name);
    if (!which.test(path) || !statSync(path).isFile()) continue;
    execFileSync('chmod', ['u+w', path]);
    // Sessions have links to packs: another file takes the place of this one.
    copyFileSync(path, `${path}.other`);
    renameSync(`${path}.other`, path);
    damage(path);
  }
  for (const name of readdirSync(directory).filter((each) => each.endsWith('.spare')))
    rmSync(join(directory, name), { recursive: true });
  expect(await visit()).toMatchObject({ readme: 'Changed\n' });
  repository.commit({ 'README.md': 'Again\n' });
  expect(await visit()).toMatchObject({ readme: 'Again\n' });
  nativeGit(cached(), 'fsck', '--strict', '--no-dangling');
});

it('what a killed process left is removed by the next that fetches', async () => {
  await visit();
  for (const left of ['shallow.lock', 'HEAD.lock', 'config.lock', 'objects/pack/tmp_pack_x'])
    writeFileSync(join(cached(), left), 'half');
  rmSync(join(cached(), 'HEAD'));
  repository.commit({ 'README.md': 'Changed\n' });
  expect(await visit()).toMatchObject({ readme: 'Changed\n' });
  expect(readdirSync(cached()).filter((name) => name.endsWith('.lock'))).toEqual([]);
  expect(readdirSync(join(cached(), 'objects/pack')).join()).not.toContain('tmp_');
});

it('the least recently used go when there is no room, and what nobody used for a week', async () => {
  const size = 40_000;
  const random = () => Buffer.from(Array.from({ length: size }, () => Math.random() * 256));
  const names = ['a', 'b', 'c'].map((name) => `octo/room-${name}`);
  for (const name of names) {
    repository = server.createRepository(name, { 'README.md': random() });
    await visit({ maxBytes: 2.5 * size });
  }
  expect(repositories()).toHaveLength(2);
  expect(await visit()).toMatchObject({ isFetched: false });
  // That would use a repository.
  await untilPrepared();
  const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
  utimesSync(cached(), longAgo, longAgo);
  await makeCacheRoom({ directory, maxBytes: MIB }, signal);
  expect(repositories()).toHaveLength(1);
});

it('those who make room at once remove no more than one would', async () => {
  const size = 40_000;
  for (const name of ['a', 'b', 'c']) {
    const random = Buffer.from(Array.from({ length: size }, () => Math.random() * 256));
    repository = server.createRepository(`octo/at-once-${name}`, { 'README.md': random });
    await visit();
  }
  const room = { directory, maxBytes: 2.5 * size };
  await Promise.all(Array.from({ length: 8 }, () => makeCacheRoom(room, signal)));
  expect(repositories()).toHaveLength(2);
});

it('a lock is held until the last process that has it ends', async () => {
  const path = join(temporaryDirectory(), 'lock');
  const mine = await lockFile(path, { signal, seconds: 0 });
  expect(await lockFile(path, { signal, seconds: 0 })).toBeUndefined();
  await mine?.release();
  const next = await lockFile(path, { signal, seconds: 1 });
  expect(next).toBeDefined();
  await next?.release();
});

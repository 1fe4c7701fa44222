// Where the file system copies by reference, sessions that begin at once share the disk, and nothing else.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statfsSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { makeRoom } from '../../../../src/workspace/git/engines/native/cache-room.ts';
import { prepareSpare } from '../../../../src/workspace/git/engines/native/native-engine.ts';
import { describeWithReferences } from '../../../support/copies-by-reference.ts';
import { startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { withoutThread } from '../../support.ts';

const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;
const NONE = { except: [], recorded: new Map<string, string>() };
const { signal } = new AbortController();
const LARGE = randomBytes(4 * MIB);

let server: GitServer;
let repository: TestRepository;
/** For all that is made. */
let root: string;
let directory: string;
let count = 0;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

const placeOf = (installation: number) => ({
  engine: 'native' as const,
  maxBytes: MAX_BYTES,
  cache: { directory, maxBytes: MAX_BYTES, installation },
});

function ownPlace() {
  const own = mkdtempSync(join(root, 'workspace-'));
  return { gitdir: join(own, 'git'), tree: join(own, 'tree') };
}

async function enter(commit = repository.head(), installation = 1) {
  const { git, tree } = withoutThread(repository, { ...placeOf(installation), ...ownPlace() });
  const { rejectedSpare } = await git.clone({ commit, token: server.token });
  const text = (path: string): string => readFileSync(join(tree, path), 'utf8');
  return { git, tree, text, why: rejectedSpare, made: lstatSync(join(tree, 'same')).mtimeMs };
}

async function prepare(commit = repository.head()): Promise<void> {
  const place = { ...placeOf(1), ...ownPlace() };
  await prepareSpare({ ...place, remoteUrl: repository.url }, commit, signal);
}

/** Of the file system, once all is written. */
function used(): number {
  execFileSync('sync', ['--file-system', directory]);
  const { blocks, bfree, bsize } = statfsSync(directory);
  return (blocks - bfree) * bsize;
}

const kept = (ending: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name));
const modeOf = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);

describeWithReferences('the template of a repository', (at) => {
  beforeEach(() => {
    count += 1;
    repository = server.createRepository(`octo/template-${count}`, {
      large: LARGE,
      same: 'same\n',
      'a/b.txt': 'b\n',
      'run.sh': { content: '#!/bin/sh\n', mode: 'executable' },
      link: { content: 'a/b.txt', mode: 'symlink' },
    });
    root = mkdtempSync(join(at, 'scene-'));
    directory = join(root, 'cache');
  });

  it('lets sessions that begin at once share the disk until they change a file', async () => {
    await enter();
    await prepare();
    const before = used();
    const all = await Promise.all([enter(), enter(), enter(), enter()]);
    expect(used() - before).toBeLessThan(2 * MIB);
    const [{ mtimeMs }] = [lstatSync(join(kept('.template')[0] ?? '', 'files/same'))];
    expect(all.filter(({ made }) => made === mtimeMs)).toHaveLength(4);
    for (const { git, why } of all) expect([await git.changes(NONE), why]).toEqual([[], undefined]);
    // In place, as a command does.
    for (const [at, { tree }] of all.entries()) appendFileSync(join(tree, 'a/b.txt'), `${at}\n`);
    for (const [at, { text, tree }] of all.entries()) {
      expect(text('a/b.txt')).toBe(`b\n${at}\n`);
      expect([modeOf(join(tree, 'run.sh')), text('link')]).toEqual(['755', `b\n${at}\n`]);
    }
    await prepare();
    expect((await enter()).text('a/b.txt')).toBe('b\n');
  });

  it('is changed to the commit of each session, and follows the repository', async () => {
    await enter();
    await prepare();
    const first = lstatSync(kept('.template')[0] ?? '').ino;
    repository.commit({ 'a/b.txt': 'new\n' });
    const both = await Promise.all([enter(), enter()]);
    expect(both.map(({ text }) => text('a/b.txt'))).toEqual(['new\n', 'new\n']);
    for (const { git } of both) expect(await git.changes(NONE)).toEqual([]);
    await prepare();
    const [now = ''] = kept('.template');
    expect(lstatSync(now).ino).not.toBe(first);
    expect(readFileSync(join(now, 'files/a/b.txt'), 'utf8')).toBe('new\n');
  });

  it('is not used once it was changed, and the next one is made', async () => {
    await enter();
    await prepare();
    await enter();
    appendFileSync(join(kept('.template')[0] ?? '', 'files/a/b.txt'), 'x');
    const { text, why, git } = await enter();
    expect([text('a/b.txt'), await git.changes(NONE)]).toEqual(['b\n', []]);
    expect(why).toMatch(/was changed/);
    await prepare();
    expect((await enter()).text('a/b.txt')).toBe('b\n');
  });

  it('is of one installation, and goes with the room of the cache', async () => {
    await enter();
    await prepare();
    const other = await enter(repository.head(), 2);
    expect(other.made).not.toBe(lstatSync(join(kept('.template')[0] ?? '', 'files/same')).mtimeMs);
    await makeRoom({ directory, maxBytes: 1000 }, signal);
    expect(kept('.template')).toEqual([]);
  });
});

// However much a pack becomes when it is unpacked: no process takes more memory than its limit, and the refusal says why.
import { execFile } from 'node:child_process';
import { writeFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { NativeObjects } from '../../../src/workspace/git/engines/native/native-objects.ts';
import { startGitServer } from '../../support/git-server.ts';
import { startPackServer, type PackServer } from '../../support/pack-server.ts';
import { deltaOf, packed, packedDelta, packOf, RawObjects } from '../../support/raw-objects.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import type { CloneWork } from './memory-process.ts';

const MB = 1_000_000;
const MIB = 2 ** 20;
const PROGRAM = fileURLToPath(new URL('memory-process.ts', import.meta.url));
const BLOB = 3;
const REF = '1'.repeat(40);

let server: PackServer;
beforeAll(async () => (server = await startPackServer()));
afterAll(async () => server.close());

/** Runs a program, and prints the most memory in kB that it or a process that it started had at once. */
const MEASURE = `
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print("\\n%d" % resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)`;

async function clone(work: Omit<CloneWork, 'remoteUrl' | 'commit' | 'directory'>, pack: Pack) {
  Object.assign(server, pack);
  const whole = { ...work, remoteUrl: server.url, commit: pack.commit };
  const order = JSON.stringify({ ...whole, directory: temporaryDirectory() } satisfies CloneWork);
  const words = ['-c', MEASURE, process.execPath, PROGRAM, order];
  const { stdout } = await promisify(execFile)('python3', words);
  const [kilobytes = '', ...said] = stdout.trim().split('\n').toReversed();
  return { said: said.join('\n'), megabytes: Number(kilobytes) / 1024 };
}

interface Pack {
  readonly commit: string;
  readonly pack: Buffer;
}

/** A commit of one file; what the pack has besides its commit and tree. */
function packWith(oid: string, others: (objects: RawObjects) => Buffer[], mode = '100644'): Pack {
  const objects = new RawObjects();
  const commit = objects.commit(objects.tree([mode, 'file', oid]));
  const own = [...objects.all.values()].map(({ type, content }) =>
    packed(type === 'commit' ? 1 : 2, content),
  );
  return { commit, pack: packOf([...own, ...others(new RawObjects())]) };
}

const repeated = (size: number, times: number): Buffer =>
  deltaOf(
    size,
    Array.from({ length: times }, () => [0, size]),
  );

/** A file of 16 MB, and one that is 128 times the same. */
const deltaBomb = (): Pack =>
  packWith(REF, (objects) => {
    const base = Buffer.alloc(16 * MB);
    return [packed(BLOB, base), packedDelta(objects.blob(base), repeated(base.byteLength, 128))];
  });

/** Each of 16 MB, made of the one before. */
const deltaChain = (): Pack => {
  const files = Array.from({ length: 64 }, (_, at) => {
    const content = Buffer.alloc(16 * MB);
    content.writeUInt32BE(at);
    return { content, oid: new RawObjects().blob(content) };
  });
  const deltas = files.slice(1).map(({ content }, at) => {
    const insert = Buffer.concat([Buffer.of(4), content.subarray(0, 4)]);
    const copy = deltaOf(16 * MB, [[4, 16 * MB - 4]]);
    const size = deltaOf(16 * MB, [[0, 16 * MB]]).subarray(0, 8);
    return packedDelta(files[at]?.oid ?? '', Buffer.concat([size, insert, copy.subarray(8)]));
  });
  const [first] = files;
  return packWith(files.at(-1)?.oid ?? '', () => [
    packed(BLOB, first?.content ?? Buffer.of()),
    ...deltas,
  ]);
};

const zeros = (mode?: string): Pack => {
  const content = Buffer.alloc(600 * MB);
  return packWith(new RawObjects().blob(content), () => [packed(BLOB, content)], mode);
};

describe('a clone with git takes no more than git may have', () => {
  const MOST_MB = 800;
  it.each([
    ['a delta of 1 kB that makes 2 GB', deltaBomb, 64 * MIB, /more than 768 MiB of memory/],
    ['a chain of deltas that make 1 GB', deltaChain, 64 * MIB, /^$/],
    ['zeros of 600 MB', zeros, 64 * MIB, /its files are larger than/],
    ['a link with a target of 600 MB', () => zeros('120000'), 1024 * MIB, /has 600000000 bytes/],
  ])('of %s', async (_what, make, maxBytes, words) => {
    const { said, megabytes } = await clone({ engine: 'native', maxBytes }, make());
    expect(said).toMatch(words);
    expect(megabytes).toBeLessThan(MOST_MB);
  });
});

describe('a clone without git takes a few times its limit', () => {
  const MAX_BYTES = 64 * MIB;
  /** Six times the limit, and what the process has without a clone. */
  const MOST_MB = 560;
  const FULL = 60 * MB;
  it.each([
    ['a delta of 1 kB that makes 2 GB', deltaBomb, /its files are larger than/],
    ['a chain of deltas that make 1 GB', deltaChain, /its files are larger than/],
    ['zeros of 600 MB', zeros, /its files are larger than/],
  ])('of %s', async (_what, make, words) => {
    const { said, megabytes } = await clone({ engine: 'isomorphic', maxBytes: MAX_BYTES }, make());
    expect(said).toMatch(words);
    expect(megabytes).toBeLessThan(MOST_MB);
  });

  it('of a file that is nearly as large as the limit', async () => {
    const content = Buffer.alloc(FULL);
    const pack = packWith(new RawObjects().blob(content), () => [packed(BLOB, content)]);
    const { said, megabytes } = await clone({ engine: 'isomorphic', maxBytes: MAX_BYTES }, pack);
    expect(said).toBe('');
    expect(megabytes).toBeLessThan(MOST_MB);
  });
});

it('an object that is too large for this process is passed over, and the next one is read', async () => {
  const git = await startGitServer();
  const repository = git.createRepository('octo/large', { 'a.txt': 'a\n' });
  const large = join(repository.checkout, 'large');
  writeFileSync(large, '');
  truncateSync(large, 300 * MB);
  const oid = repository.git('hash-object', '-w', large);
  const { directory: gitdir } = repository;
  const place = { gitdir, tree: repository.checkout, signal: new AbortController().signal };
  const objects = new NativeObjects(place);
  const small = repository.git('rev-parse', 'main:a.txt');
  const [one, two, three] = await Promise.allSettled(
    [small, oid, small].map((id) => objects.read(id)),
  );
  expect(one).toEqual(three);
  expect(two).toMatchObject({ status: 'rejected', reason: { name: 'TooManyBytes' } });
  expect(one).toMatchObject({ value: { content: new Uint8Array(Buffer.from('a\n')) } });
  await objects.close();
  await git.close();
});

// What is left in the directory of the cache, and what of it goes.
import {
  mkdirSync,
  readdirSync,
  readlinkSync,
  utimesSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { makeCacheRoom } from '../../../../src/workspace/git/engines/native/cache-room.ts';
import { lockFile } from '../../../../src/workspace/git/engines/native/file-lock.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const { signal } = new AbortController();
const KEY = 'a'.repeat(64);
const OTHER = 'b'.repeat(64);
const TWO_HOURS_AGO = new Date(Date.now() - 2 * 3_600_000);

/** `path/`: a directory. */
function cacheWith(...paths: readonly string[]): string {
  const directory = temporaryDirectory();
  for (const path of paths)
    if (path.endsWith('/')) mkdirSync(join(directory, path), { recursive: true });
    else writeFileSync(join(directory, path), '10');
  return directory;
}

const swept = async (directory: string): Promise<string[]> => {
  await makeCacheRoom({ directory, maxBytes: 1_000_000 }, signal);
  return readdirSync(directory).toSorted();
};

/** Of this process. */
const descriptorsOf = (path: string): number =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false;
    }
  }).length;

describe('makeCacheRoom', () => {
  it('removes an image that a killed process left half made, and not one that is being made', async () => {
    const making = (key: string) => `${key}.one.image-making`;
    const directory = cacheWith(`${making(KEY)}/tree/`, `${making(OTHER)}/tree/`);
    const path = join(directory, `${OTHER}.image.lock`);
    const lock = await lockFile(path, { signal, seconds: 0 });
    expect(await swept(directory)).toEqual([`${OTHER}.image.lock`, making(OTHER)].toSorted());
    await lock?.release();
  });

  it('removes images for room, but none that a command may still use', async () => {
    const directory = cacheWith(`${KEY}.image/`, `${OTHER}.image/`);
    for (const key of [KEY, OTHER]) writeFileSync(join(directory, `${key}.image/bytes`), '900000');
    const fourHoursAgo = new Date(Date.now() - 4 * 3_600_000);
    utimesSync(join(directory, `${KEY}.image`), fourHoursAgo, fourHoursAgo);
    utimesSync(join(directory, `${OTHER}.image`), TWO_HOURS_AGO, TWO_HOURS_AGO);
    await makeCacheRoom({ directory, maxBytes: 1 }, signal);
    expect(readdirSync(directory)).toContain(`${OTHER}.image`);
    expect(readdirSync(directory)).not.toContain(`${KEY}.image`);
  });

  it('removes locks of repositories that nothing is left of, and keeps the others', async () => {
    const locks = (key: string) => ['.lock', '.spare.lock', '.deps.lock'].map((end) => key + end);
    const directory = cacheWith(
      ...locks(KEY),
      `${KEY}.sparse.lock`,
      `${OTHER}.git/`,
      ...locks(OTHER),
    );
    expect(await swept(directory)).toEqual([`${OTHER}.git`, ...locks(OTHER)].toSorted());
  });

  it('keeps a lock that is held', async () => {
    const directory = cacheWith(`${KEY}.lock`);
    const lock = await lockFile(join(directory, `${KEY}.lock`), { signal, seconds: 0 });
    expect(await swept(directory)).toEqual([`${KEY}.lock`]);
    await lock?.release();
    expect(await swept(directory)).toEqual([]);
  });

  it('removes probes of killed processes, and keeps those that may be in use', async () => {
    const directory = cacheWith('probe-old/', 'probe-new/');
    utimesSync(join(directory, 'probe-old'), TWO_HOURS_AGO, TWO_HOURS_AGO);
    expect(await swept(directory)).toEqual(['probe-new']);
  });

  it('removes a spare work tree and dependencies without a size', async () => {
    const whole = [`${KEY}.git`, `${KEY}.spare`, `${KEY}-1.deps`];
    const paths = whole.map((path) => `${path}/`);
    const directory = cacheWith(...paths, `${KEY}.spare/bytes`, `${KEY}-1.deps/bytes`);
    mkdirSync(join(directory, `${OTHER}.git`));
    mkdirSync(join(directory, `${OTHER}.spare`));
    mkdirSync(join(directory, `${OTHER}-1.deps`));
    expect(await swept(directory)).toEqual([...whole, `${OTHER}.git`, 'room.lock'].toSorted());
  });

  it('removes a repository without packs once nobody used it for a week', async () => {
    const directory = cacheWith(`${KEY}.git/`);
    expect(await swept(directory)).toEqual([`${KEY}.git`]);
    const longAgo = new Date(Date.now() - 8 * 24 * 3_600_000);
    utimesSync(join(directory, `${KEY}.git`), longAgo, longAgo);
    expect(await swept(directory)).toEqual(['room.lock']);
  });

  it('leaves what it does not know', async () => {
    expect(await swept(cacheWith('notes.txt', 'photos/'))).toEqual(['notes.txt', 'photos']);
  });
});

describe('lockFile', () => {
  it('locks another file if the one that it waited for was removed', async () => {
    const path = join(temporaryDirectory(), 'lock');
    const first = await lockFile(path, { signal, seconds: 0 });
    const second = lockFile(path, { signal, seconds: 60 });
    while (descriptorsOf(path) < 2) await setImmediate();
    unlinkSync(path);
    await first?.release();
    const lock = await second;
    expect(lock).toBeDefined();
    expect(await lockFile(path, { signal, seconds: 0 })).toBeUndefined();
    await lock?.release();
  });
});

// What is in the cache, and how much room it takes. Only the least recently used repositories go, and none that is just being fetched.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, renameSync, rmdirSync } from 'node:fs';
import { readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { TEMPORARY_PREFIX } from '../../../../lib/directories.ts';
import { hasCode, messageOf } from '../../../../lib/errors.ts';
import { measured } from '../../../../lib/measurements.ts';
import { removeTree } from '../../../remove-tree.ts';
import { lockFile } from './file-lock.ts';

export interface CacheRoom {
  /** An absolute path; made if it is not there. */
  readonly directory: string;
  /** Limit in bytes for all that is in it. */
  readonly maxBytes: number;
}

export interface CachePlace extends CacheRoom {
  /** Whose clones these are: what was fetched with the tokens of one installation serves no other. */
  readonly installation: number;
}

// Every name in the cache. KEY is `keyOf`, for sparse clones with `.sparse` behind it; `makeCacheRoom` removes all of them.
//
// | name | what it is | who writes it | when it goes |
// |---|---|---|---|
// | KEY.git | what was fetched of a repository | CachedRepository | unused for a week, or for room |
// | KEY.spare | a work tree for the next session | SpareTree, and a session takes it | before its repository |
// | KEY.making | a spare work tree that is being made | SpareTree | if nobody holds KEY.spare.lock |
// | KEY-DIGEST.deps | what `setup` installed | DependencyCache | unused for a week, or for room |
// | KEY-DIGEST.ID.deps-making | the same, being copied | DependencyCache | if nobody holds KEY.deps.lock |
// | NAME.ID.gone | what no session can use any more | `setAside` | always |
// | KEY.lock, KEY.spare.lock, KEY.deps.lock, DIGEST.image.lock | who may write | `lockFile` | when nothing else of KEY is there |
// | DIGEST.image | an unpacked image, in `DATA_DIR/images` | ImageStore | unused for a week, or for room, but hours after its last use |
// | DIGEST.ID.image-making | the same, being pulled or unpacked | ImageStore | if nobody holds DIGEST.image.lock |
// | room.lock | who may set aside | `makeCacheRoom` | never: it is one file |
// | probe-ID | whether work trees can be renamed | `canRename` | an hour later, if its process was killed |
export const REPOSITORY = '.git';
/** Nobody takes a repository of sparse clones for a whole one. */
export const SPARSE = '.sparse';
export const SPARE = '.spare';
export const MAKING = '.making';
export const DEPENDENCIES = '.deps';
export const KEEPING = '.deps-making';
export const IMAGE = '.image';
export const MAKING_IMAGE = '.image-making';
const GONE = '.gone';
const LOCK = '.lock';
const PROBE = 'probe-';
/** Two at once would each remove enough for both. */
const ROOM_LOCK = 'room.lock';
/** The file of a spare work tree, or of dependencies, that says how many it takes. */
export const BYTES = 'bytes';
const MOST_WAIT_SECONDS = 60;

/** The names of all that the cache has of a repository begin with this. */
export const cacheKey = ({ installation }: Pick<CachePlace, 'installation'>, remoteUrl: string) =>
  createHash('sha256').update(`${installation}\0${remoteUrl}`).digest('hex');

/** The path of the lock for those who keep dependencies of the repository that a path of the cache is of. */
export const lockOfDependencies = (path: string): string =>
  join(dirname(path), keyIn(basename(path)) + DEPENDENCIES + LOCK);
/** The path of the lock for those who make an image; `path`: of the image, or of what is being made. */
export const lockOfImage = (path: string): string =>
  join(dirname(path), keyIn(basename(path)) + IMAGE + LOCK);
const KEY_LENGTH = 64;
const keyIn = (name: string): string => name.slice(0, KEY_LENGTH);

interface CacheEntry {
  readonly path: string;
  /** Of a repository. Nobody writes to the others, and who takes or copies one finds out that it is gone. */
  readonly lockPath?: string;
  readonly bytes: number;
  readonly usedAt: number;
  /** How long after its use a command may still need it, in milliseconds. */
  readonly neededFor?: number;
}

/** Longer than the longest command. */
const IMAGE_MS = 3 * 3_600_000;

/** Whatever the room: nothing stays for ever of a repository that the App was removed from. */
const MOST_UNUSED_MS = 7 * 24 * 3_600_000;

/** Removes what takes more room than there is, and what is left over. Takes as long as the disk needs for that. */
export async function makeCacheRoom(room: CacheRoom, signal: AbortSignal): Promise<void> {
  const { directory } = room;
  await setExcessAside(room, signal);
  for (const key of await keysOf(directory, MAKING))
    await ifUnlocked(key + SPARE + LOCK, signal, () => removeTree(key + MAKING));
  for (const key of await keysOf(directory, KEEPING))
    await ifUnlocked(lockOfDependencies(key), signal, () => removeTree(key + KEEPING));
  for (const key of await keysOf(directory, MAKING_IMAGE))
    await ifUnlocked(lockOfImage(key), signal, () => removeTree(key + MAKING_IMAGE));
  for (const key of await keysOf(directory, GONE)) await removeTree(key + GONE);
  await removeProbes(directory);
  await removeLocks(directory, signal);
}

/** Whether directories can be renamed from one into another: not between file systems, nor between mounts of one. */
export function canRename(from: string, to = tmpdir()): boolean {
  const probe = mkdtempSync(join(from, PROBE));
  // A name that the sweep for dead processes knows.
  const there = join(to, TEMPORARY_PREFIX + randomUUID().slice(0, 6));
  try {
    renameSync(probe, there);
    rmdirSync(there);
    return true;
  } catch (error) {
    rmdirSync(probe);
    if (hasCode(error, 'EXDEV')) return false;
    throw error;
  }
}

async function removeProbes(directory: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((each) => each.startsWith(PROBE))) {
    const madeAt = (await stat(join(directory, name)).catch(unlessMissing))?.mtimeMs ?? Infinity;
    if (Date.now() - madeAt > LOOK_MS) await removeTree(join(directory, name));
  }
}

/** Those of repositories that nothing is left of. Whoever waits for one makes another. */
async function removeLocks(directory: string, signal: AbortSignal): Promise<void> {
  const names = await readdir(directory);
  const keys = new Set(names.filter((name) => !name.endsWith(LOCK)).map(keyIn));
  for (const name of names)
    if (name.endsWith(LOCK) && name !== ROOM_LOCK && !keys.has(keyIn(name)))
      await ifUnlocked(join(directory, name), signal, () => unlink(join(directory, name)));
}

/** The paths of what has names that end so, without that ending. */
const keysOf = async (directory: string, ending: string): Promise<string[]> =>
  (await readdir(directory))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name.slice(0, -ending.length)));

/**
 * Takes from the cache what was not used for a week, and then the least recently used until the rest is within the limit:
 * work trees before repositories. It is quick, and `makeCacheRoom` removes their files.
 */
export async function setExcessAside(room: CacheRoom, signal: AbortSignal): Promise<void> {
  const { kept, bytes } = await contentsOf(room.directory);
  // The lock takes a program, and nearly always nothing has to go.
  if (!kept.some((each) => isExcess(each, bytes, room))) return measured('cache_size', { bytes });
  const lockPath = join(room.directory, ROOM_LOCK);
  const lock = await lockFile(lockPath, { signal, seconds: MOST_WAIT_SECONDS });
  if (lock === undefined) return undefined;
  try {
    return await setAsideUntilItFits(room, signal);
  } finally {
    await lock.release();
  }
}

async function setAsideUntilItFits(room: CacheRoom, signal: AbortSignal): Promise<void> {
  const contents = await contentsOf(room.directory);
  let { bytes } = contents;
  for (const each of contents.kept) {
    if (!isExcess(each, bytes, room)) continue;
    const { path, lockPath } = each;
    const act = async (): Promise<void> => void (await setAside(path, path));
    if (lockPath === undefined) await act();
    if (lockPath === undefined || (await ifUnlocked(lockPath, signal, act))) bytes -= each.bytes;
  }
  measured('cache_size', { bytes });
}

/** @param bytes of all that is kept */
function isExcess(
  { usedAt, neededFor = -Infinity }: CacheEntry,
  bytes: number,
  { maxBytes }: CacheRoom,
): boolean {
  const unused = Date.now() - usedAt;
  return (bytes > maxBytes && unused > neededFor) || unused >= MOST_UNUSED_MS;
}

/** All that is kept, in the order in which it goes. */
async function contentsOf(directory: string) {
  const all = <T>(ending: string, look: (key: string) => Promise<T>): Promise<T[]> =>
    keysOf(directory, ending).then((keys) => Promise.all(keys.map(look)));
  const spares = await all(SPARE, (key) => measuredOf(key + SPARE, key + REPOSITORY));
  const repositories = await all(REPOSITORY, repositoryOf);
  const installed = await all(DEPENDENCIES, (key) => measuredOf(key + DEPENDENCIES));
  const images = await all(IMAGE, async (key) => ({
    ...(await measuredOf(key + IMAGE)),
    neededFor: IMAGE_MS,
  }));
  // A spare work tree is made in seconds; the others have to be fetched.
  const kept = [spares, [...repositories, ...installed, ...images]].flatMap(oldestFirst);
  return { kept, bytes: kept.reduce((sum, each) => sum + each.bytes, 0) };
}

const oldestFirst = (kept: readonly CacheEntry[]): CacheEntry[] =>
  kept.toSorted((one, other) => one.usedAt - other.usedAt);

/** Answers whether it acted: not if another has the lock. */
async function ifUnlocked(
  path: string,
  signal: AbortSignal,
  act: () => Promise<void>,
): Promise<boolean> {
  const lock = await lockFile(path, { signal, seconds: 0 });
  if (lock === undefined) return false;
  try {
    await act();
    return true;
  } finally {
    await lock.release();
  }
}

const LOOK_MS = 3_600_000;

/** Makes room now, when the service starts, and once an hour, until it is closed. */
export function keepRoom(
  room: CacheRoom,
  log: { warn(facts: object, event: string): void },
): () => Promise<void> {
  const closed = new AbortController();
  const look = async (): Promise<void> => {
    try {
      await makeCacheRoom(room, closed.signal);
    } catch (error) {
      if (!closed.signal.aborted)
        log.warn({ reason: messageOf(error) }, 'failed to make room in the cache of repositories');
    }
  };
  let last = look();
  const timer = setInterval(() => {
    last = look();
  }, LOOK_MS).unref();
  return async () => {
    clearInterval(timer);
    closed.abort();
    await last;
  };
}

/** Gone at once, however long its files take. The caller holds its lock. */
export async function removeRepository(path: string): Promise<void> {
  const gone = await setAside(path, path);
  if (gone !== undefined) await removeTree(gone);
}

/**
 * Renames something that no session can use any more, for `makeCacheRoom` to remove.
 * @param key of the cache; the new name begins with it
 * @returns where it is now; `undefined` if it is not there
 */
export async function setAside(path: string, key: string): Promise<string | undefined> {
  const gone = `${key}.${process.pid}-${randomUUID()}${GONE}`;
  const isGone = await rename(path, gone).then(() => true, unlessMissing);
  return isGone === true ? gone : undefined;
}

/** Without its size nobody has finished it. @param source is used with it, and without that it is of no use */
async function measuredOf(path: string, source = path): Promise<CacheEntry> {
  const bytes = await readFile(join(path, BYTES), 'utf8').catch(unlessMissing);
  const usedAt = (await stat(source).catch(unlessMissing))?.mtimeMs ?? 0;
  return { path, usedAt: bytes === undefined ? 0 : usedAt, bytes: Number(bytes ?? 0) };
}

async function repositoryOf(key: string): Promise<CacheEntry> {
  const path = key + REPOSITORY;
  const usedAt = (await stat(path).catch(unlessMissing))?.mtimeMs ?? 0;
  const packs = join(path, 'objects/pack');
  const names = (await readdir(packs).catch(unlessMissing)) ?? [];
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(packs, name)).catch(unlessMissing))?.size ?? 0),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { path, lockPath: key + LOCK, usedAt, bytes };
}

export const unlessMissing = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};

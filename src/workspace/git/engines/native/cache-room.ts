// How much room the cache takes. Only the least recently used repositories go, and none that is just being fetched.
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode, messageOf } from '../../../../lib/errors.ts';
import { measured } from '../../../../lib/measurements.ts';
import { removeTree } from '../../../remove-tree.ts';
import { lockFile } from './file-lock.ts';

export interface CacheRoom {
  /** An absolute path; made if it is not there. */
  readonly directory: string;
  /** Limit in bytes for all repositories together. */
  readonly maxBytes: number;
}

export interface CachePlace extends CacheRoom {
  /** Whose clones these are: what was fetched with the tokens of one installation serves no other. */
  readonly installation: number;
}

export const REPOSITORY = '.git';
/** Before that ending: a repository of its own for sparse clones, which nobody takes for a whole one. */
export const SPARSE = '.sparse';
/** A work tree for the next session; while it is made, it has another name. */
export const SPARE = '.spare';
export const MAKING = '.making';
/** What `setup` of a repository installed; while that is kept, it has another name. */
export const DEPENDENCIES = '.deps';
export const KEEPING = '.deps-making';
/** The file of a spare work tree, or of dependencies, that says how many it takes. */
export const BYTES = 'bytes';
const GONE = '.gone';
/** A second work tree that earlier versions kept on xfs and btrfs. */
const TEMPLATE = '.template';
/** In a repository: an index that earlier versions kept. */
const WORDS = 'issuewright-words';
/** Two at once would each remove enough for both. */
const ROOM_LOCK = 'room.lock';
const MOST_WAIT_SECONDS = 60;

/** The names of all that the cache has of a repository begin with this. */
export const keyOf = ({ installation }: Pick<CachePlace, 'installation'>, remoteUrl: string) =>
  createHash('sha256').update(`${installation}\0${remoteUrl}`).digest('hex');

/** The path of the lock for those who keep dependencies of the repository that a path of the cache is of. */
export const lockOfDependencies = (path: string): string =>
  join(dirname(path), `${basename(path).slice(0, KEY_LENGTH)}${DEPENDENCIES}.lock`);
const KEY_LENGTH = 64;

interface Kept {
  readonly path: string;
  /** Of a repository. Nobody writes to the others, and who takes or copies one finds out that it is gone. */
  readonly lockPath?: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/** Whatever the room: nothing stays for ever of a repository that the App was removed from. */
const MOST_UNUSED_MS = 7 * 24 * 3_600_000;

/** Removes what takes more room than there is, and what is left over. Takes as long as the disk needs for that. */
export async function makeRoom(room: CacheRoom, signal: AbortSignal): Promise<void> {
  const { directory } = room;
  await setExcessAside(room, signal);
  for (const key of await keysOf(directory, MAKING))
    await ifUnlocked(`${key}${SPARE}.lock`, signal, () => removeTree(key + MAKING));
  for (const key of await keysOf(directory, KEEPING))
    await ifUnlocked(lockOfDependencies(key), signal, () => removeTree(key + KEEPING));
  for (const ending of [GONE, TEMPLATE])
    for (const key of await keysOf(directory, ending)) await removeTree(key + ending);
  for (const key of await keysOf(directory, REPOSITORY)) await removeIndex(key, signal);
}

async function removeIndex(key: string, signal: AbortSignal): Promise<void> {
  const path = key + REPOSITORY;
  const words = join(path, WORDS);
  if ((await stat(words).catch(unlessMissing)) === undefined) return;
  await ifUnlocked(`${key}.lock`, signal, async () => {
    const used = await stat(path).catch(unlessMissing);
    await removeTree(words);
    // That was no use of the repository.
    if (used !== undefined) await utimes(path, used.atime, used.mtime);
  });
}

/** The paths of what has names that end so, without that ending. */
const keysOf = async (directory: string, ending: string): Promise<string[]> =>
  (await readdir(directory))
    .filter((name) => name.endsWith(ending))
    .map((name) => join(directory, name.slice(0, -ending.length)));

/**
 * Takes from the cache what was not used for a week, and then the least recently used until the rest is within the limit:
 * work trees before repositories. It is quick, and `makeRoom` removes their files.
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
const isExcess = ({ usedAt }: Kept, bytes: number, { maxBytes }: CacheRoom): boolean =>
  bytes > maxBytes || Date.now() - usedAt >= MOST_UNUSED_MS;

/** All that is kept, in the order in which it goes. */
async function contentsOf(directory: string) {
  const all = <T>(ending: string, look: (key: string) => Promise<T>): Promise<T[]> =>
    keysOf(directory, ending).then((keys) => Promise.all(keys.map(look)));
  const spares = await all(SPARE, spareOf);
  const repositories = await all(REPOSITORY, repositoryOf);
  const installed = await all(DEPENDENCIES, dependenciesOf);
  // A spare work tree is made in seconds; the others have to be fetched.
  const kept = [spares, [...repositories, ...installed]].flatMap(oldestFirst);
  return { kept, bytes: kept.reduce((sum, each) => sum + each.bytes, 0) };
}

const oldestFirst = (found: readonly (Kept | undefined)[]): Kept[] =>
  found.filter((each) => each !== undefined).toSorted((one, other) => one.usedAt - other.usedAt);

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

/** Makes room now and once an hour, until it is closed. */
export function keepRoom(
  room: CacheRoom,
  log: { warn(facts: object, event: string): void },
): () => Promise<void> {
  const closed = new AbortController();
  const look = async (): Promise<void> => {
    try {
      await makeRoom(room, closed.signal);
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
 * Renames something that no session can use any more, for `makeRoom` to remove.
 * @param key of the cache; the new name begins with it
 * @returns where it is now; `undefined` if it is not there
 */
export async function setAside(path: string, key: string): Promise<string | undefined> {
  const gone = `${key}.${process.pid}-${randomUUID()}${GONE}`;
  const isGone = await rename(path, gone).then(() => true, unlessMissing);
  return isGone === true ? gone : undefined;
}

async function spareOf(key: string): Promise<Kept | undefined> {
  const path = key + SPARE;
  const bytes = await readFile(join(path, BYTES), 'utf8').catch(unlessMissing);
  // Without its repository it is of no use.
  const usedAt = (await stat(key + REPOSITORY).catch(unlessMissing))?.mtimeMs ?? 0;
  return bytes === undefined ? undefined : { path, usedAt, bytes: Number(bytes) };
}

async function dependenciesOf(key: string): Promise<Kept | undefined> {
  const path = key + DEPENDENCIES;
  const bytes = await readFile(join(path, BYTES), 'utf8').catch(unlessMissing);
  const usedAt = (await stat(path).catch(unlessMissing))?.mtimeMs ?? 0;
  return bytes === undefined ? undefined : { path, usedAt, bytes: Number(bytes) };
}

async function repositoryOf(key: string): Promise<Kept | undefined> {
  const path = key + REPOSITORY;
  const usedAt = (await stat(path).catch(unlessMissing))?.mtimeMs;
  const packs = join(path, 'objects/pack');
  const names = await readdir(packs).catch(unlessMissing);
  if (usedAt === undefined || names === undefined) return undefined;
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(packs, name)).catch(unlessMissing))?.size ?? 0),
  );
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return { path, lockPath: `${key}.lock`, usedAt, bytes };
}

export const unlessMissing = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};

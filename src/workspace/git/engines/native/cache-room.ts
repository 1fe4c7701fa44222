// How much room the cache takes. Only the least recently used repositories go, and none that is just being fetched.
import { readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf } from '../../../../lib/errors.ts';
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
const GONE = '.gone';

interface Kept {
  readonly path: string;
  readonly bytes: number;
  readonly usedAt: number;
}

/** Whatever the room: nothing stays for ever of a repository that the App was removed from. */
const MOST_UNUSED_MS = 7 * 24 * 3_600_000;

/** Removes what was not used for a week, and then the least recently used until the rest is within the limit. */
export async function makeRoom(
  { directory, maxBytes }: CacheRoom,
  signal: AbortSignal,
): Promise<void> {
  const names = await readdir(directory);
  for (const name of names) if (name.endsWith(GONE)) await removeTree(join(directory, name));
  const found = await Promise.all(
    names
      .filter((name) => name.endsWith(REPOSITORY))
      .map((name) => measured(join(directory, name))),
  );
  const kept = found.filter((each) => each !== undefined);
  let bytes = kept.reduce((sum, each) => sum + each.bytes, 0);
  for (const oldest of kept.toSorted((one, other) => one.usedAt - other.usedAt)) {
    if (bytes <= maxBytes && Date.now() - oldest.usedAt < MOST_UNUSED_MS) return;
    const lockPath = `${oldest.path.slice(0, -REPOSITORY.length)}.lock`;
    const lock = await lockFile(lockPath, { signal, seconds: 0 });
    if (lock === undefined) continue;
    try {
      await removeRepository(oldest.path);
    } finally {
      await lock.release();
    }
    bytes -= oldest.bytes;
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
  const gone = `${path}.${process.pid}-${performance.now().toString(36)}${GONE}`;
  const isGone = await rename(path, gone).then(() => true, unlessMissing);
  if (isGone === true) await removeTree(gone);
}

async function measured(path: string): Promise<Kept | undefined> {
  const packs = join(path, 'objects/pack');
  const usedAt = (await stat(path).catch(unlessMissing))?.mtimeMs;
  const names = await readdir(packs).catch(unlessMissing);
  if (usedAt === undefined || names === undefined) return undefined;
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(packs, name)).catch(unlessMissing))?.size ?? 0),
  );
  return { path, usedAt, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

export const unlessMissing = (error: unknown): undefined => {
  if (!hasCode(error, 'ENOENT')) throw error;
};

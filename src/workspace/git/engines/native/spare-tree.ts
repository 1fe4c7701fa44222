// A work tree that is there before a session wants it: made of the cached repository, taken by one session alone, and changed
// to the commit of that one. No session gets what another one has used.
import { existsSync, lstatSync } from 'node:fs';
import { mkdir, rename, stat, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { hasCode, messageOf } from '../../../../lib/errors.ts';
import { removeTree } from '../../../remove-tree.ts';
import { readBaseTree, type BaseTree, type TrackedFiles } from '../../base-tree.ts';
import type { GitObjects } from '../../objects.ts';
import { moveWorkTree, filesTooLarge, nativeCheckOut } from '../check-out.ts';
import type { CloneResult, NativeEnginePlace } from '../engine.ts';
import {
  BYTES,
  makeCacheRoom,
  MAKING,
  setAside,
  SPARE,
  unlessMissing,
  type CachePlace,
} from './cache-room.ts';
import { CachedRepository } from './cached-repository.ts';
import { lockFile } from './file-lock.ts';
import { makeGitdir } from './gitdir.ts';
import type { FetchPlace } from './native-fetch.ts';
import { NativeObjects } from './native-objects.ts';
import { TimeSlice } from '../../../../lib/threads/time-slice.ts';
import { fingerprint, sizeIn, type Fingerprints } from '../../work-tree-walk.ts';

export interface TakenSpare {
  /** Rejects if it is not as it was made. */
  readonly state: Promise<TreeState>;
}

/** Why the spare work tree was not used. */
interface RejectedTree {
  readonly rejected: string;
}

export class SpareTree {
  readonly #cached: CachedRepository;
  readonly #place: FetchPlace;

  /** @param place of the session */
  constructor(cached: CachedRepository, place: FetchPlace) {
    this.#cached = cached;
    this.#place = place;
  }

  /** Takes the spare work tree out of the cache, for this session alone, and begins to look whether it is as it was made. */
  async take(): Promise<TakenSpare | undefined> {
    const isTaken = await rename(this.#cached.pathOf(SPARE), this.#taken).then(
      () => true,
      isNotThere,
    );
    if (isTaken !== true) return undefined;
    const state = readRecord(this.#taken);
    // Whoever uses it hears that.
    state.catch(() => undefined);
    return { state };
  }

  /** Call if it is not used after all. */
  async giveBack(taken: TakenSpare): Promise<void> {
    await taken.state.catch(() => undefined);
    // There may be another one by now. This one goes with the session.
    await rename(this.#taken, this.#cached.pathOf(SPARE)).catch(() => undefined);
  }

  /**
   * Puts it in the place of the session's work tree, which is empty, and changes it to the files of a commit. If it is
   * rejected, the work tree is empty.
   * @param objects of the session, with all that the commit has
   */
  async use(
    taken: TakenSpare,
    objects: GitObjects,
    commit: string,
  ): Promise<CloneResult | RejectedTree> {
    const { tree, signal } = this.#place;
    try {
      return await this.#moved(await taken.state, objects, commit);
    } catch (error) {
      // Whatever is wrong with it or with the commit: who makes a new one says so to people.
      signal.throwIfAborted();
      await rename(tree, join(this.#taken, 'rejected'));
      await mkdir(tree);
      // The session does not wait for the disk.
      await setAside(this.#taken, this.#cached.pathOf(SPARE));
      return { rejected: messageOf(error) };
    }
  }

  async #moved(state: TreeState, objects: GitObjects, commit: string): Promise<CloneResult> {
    const { tree, maxBytes } = this.#place;
    const base = await readBaseTree(knowing(objects, new Map(state.trees)), commit);
    if (!isPlain(base)) throw new Error('it has more than plain files');
    await rename(join(this.#taken, FILES), tree);
    const fingerprints = new Map(state.looks);
    for (const path of await moveWorkTree(objects, { tree, maxBytes }, state.files, base.files))
      if (base.files.has(path)) fingerprints.set(path, fingerprintFile(tree, path));
      else fingerprints.delete(path);
    if (bytesOf(fingerprints) > maxBytes) throw filesTooLarge(maxBytes);
    return { base, fingerprints };
  }

  /** Where it is from `take` until `use`. */
  get #taken(): string {
    return join(this.#place.gitdir, 'issuewright-spare');
  }

  /** Makes one of a commit that the cache has, unless there is one or another process is just making it. */
  async make(commit: string): Promise<void> {
    const path = this.#cached.pathOf(SPARE);
    if (existsSync(path) || !(await this.#mayBeRenamed())) return;
    const { signal } = this.#place;
    const lock = await lockFile(`${path}.lock`, { signal, seconds: 0 });
    if (lock === undefined) return;
    const making = this.#cached.pathOf(MAKING);
    try {
      await removeTree(making);
      if (existsSync(path) || !(await this.#fill(making, commit, lock.descriptor))) return;
      await rename(making, path);
    } finally {
      // If the service ends, the next one does this.
      if (!signal.aborted) await removeTree(making);
      await lock.release();
    }
  }

  async #fill(making: string, commit: string, lock: number): Promise<boolean> {
    const { remoteUrl, maxBytes, signal } = this.#place;
    const place = { gitdir: join(making, 'git'), tree: join(making, FILES), maxBytes, signal };
    await mkdir(making, { recursive: true, mode: 0o700 });
    await mkdir(place.tree);
    await makeGitdir(place.gitdir, remoteUrl);
    if (!(await this.#cached.give(place.gitdir, commit))) return false;
    const trees = new Map<string, Uint8Array>();
    const objects = new NativeObjects(place);
    try {
      const base = await readBaseTree(knowing(objects, trees), commit);
      if (!isPlain(base)) return false;
      await nativeCheckOut({ ...place, keepsOpen: lock }, objects, base);
      const state = { files: base.files, trees, ...(await looksOfAll(place.tree, base.files)) };
      await writeRecord(making, state);
    } finally {
      await objects.close();
    }
    await removeTree(place.gitdir);
    return true;
  }

  /** Nothing is renamed from one file system to another. The workspace may be closed by now, with its directory gone. */
  async #mayBeRenamed(): Promise<boolean> {
    const workspaces = dirname(dirname(this.#place.tree));
    const places = [dirname(this.#cached.pathOf(SPARE)), workspaces];
    const found = await Promise.all(places.map((place) => stat(place).catch(unlessMissing)));
    const [one, other] = found.map((stats) => stats?.dev);
    return one !== undefined && one === other;
  }
}

/**
 * Makes a spare work tree for the next session on a repository, of a commit that the cache has; none for sparse clones,
 * each of which may have other directories.
 */
export async function prepareSpare(
  place: NativeEnginePlace & { readonly cache: CachePlace },
  commit: string,
  signal: AbortSignal,
): Promise<void> {
  // One that takes more would leave no room for what it is made of.
  const maxBytes = Math.min(place.maxBytes, place.cache.maxBytes / 2);
  const session = { ...place, maxBytes, signal };
  if (place.sparse === undefined)
    await new SpareTree(new CachedRepository(place.cache, session), session).make(commit);
  await makeCacheRoom(place.cache, signal);
}

/** Submodules and names that are not UTF-8 have no place in `files`. */
const isPlain = ({ isWhole, submodules }: BaseTree): boolean => isWhole && submodules.size === 0;

function isNotThere(error: unknown): false {
  if (!hasCode(error, 'ENOENT', 'EXDEV')) throw error;
  return false;
}

/** The same objects; trees that are known are not read, and those that are read are known afterwards. */
const knowing = (objects: GitObjects, trees: Map<string, Uint8Array>): GitObjects => ({
  read: async (oid) => {
    const known = trees.get(oid);
    const object = known ? { type: 'tree' as const, content: known } : await objects.read(oid);
    if (object.type === 'tree') trees.set(oid, object.content);
    return object;
  },
  write: (object) => objects.write(object),
  pack: (addition) => objects.pack(addition),
});

// What the cache knows of a work tree that it keeps: what it was made of, and how each file and directory looked then.

/** What it was made of, and how it looked then. */
interface TreeState {
  readonly files: TrackedFiles;
  readonly looks: Fingerprints;
  /** Of its directories: another name in one changes it. */
  readonly directories: Fingerprints;
  /** By object id, as git has them: the next commit has nearly all of them too. */
  readonly trees: ReadonlyMap<string, Uint8Array>;
}

/** The directory with its files. */
const FILES = 'files';
/** Another number for each shape of `TreeState`: what another version of the program made is not used. */
const STATE = 'state-1';
const BLOCK_BYTES = 4096;

/** Call once all of its files are in `FILES`. */
async function writeRecord(directory: string, state: TreeState): Promise<void> {
  await writeFile(join(directory, STATE), serialize(state));
  await writeFile(join(directory, BYTES), String(bytesOf(state.looks, BLOCK_BYTES)));
}

/** @throws {Error} if anything was changed, added or removed since it was made */
async function readRecord(directory: string): Promise<TreeState> {
  const state = deserialize(await readFile(join(directory, STATE))) as TreeState;
  const now = await looksOfAll(join(directory, FILES), state.files);
  for (const [before, found] of [
    [state.looks, now.looks],
    [state.directories, now.directories],
  ] as const) {
    for (const [path, look] of found)
      if (before.get(path) !== look) throw new Error('the work tree of the cache was changed');
    if (before.size !== found.size) throw new Error('the work tree of the cache is not whole');
  }
  return state;
}

/** The thread has a fetch under way meanwhile. */
async function looksOfAll(root: string, files: TrackedFiles) {
  const looks: Fingerprints = new Map();
  const directories: Fingerprints = new Map();
  const slice = new TimeSlice();
  for (const path of files.keys()) {
    looks.set(path, fingerprintFile(root, path));
    let directory = path;
    while (directory !== '') {
      directory = directory.slice(0, Math.max(0, directory.lastIndexOf('/')));
      if (directories.has(directory)) break;
      directories.set(directory, fingerprintFile(root, directory));
    }
    await slice.yieldIfOver();
  }
  return { looks, directories };
}

const fingerprintFile = (root: string, path: string): string =>
  fingerprint(lstatSync(`${root}/${path}`, { bigint: true }));

/** What the files hold, or take on a disk with blocks of this size. */
function bytesOf(looks: Fingerprints, block = 1): number {
  let sum = 0;
  for (const look of looks.values()) sum += Math.ceil(sizeIn(look) / block) * block;
  return sum;
}

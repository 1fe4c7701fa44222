// A work tree that is there before a session wants it: made of the cached repository, taken by one session alone, and changed
// to the commit of that one. No session gets what another one has used.
import { existsSync } from 'node:fs';
import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode, messageOf } from '../../../../lib/errors.ts';
import { removeTree } from '../../../remove-tree.ts';
import { readBaseTree, type BaseTree } from '../../base-tree.ts';
import type { GitObjects } from '../../objects.ts';
import { moveWorkTree } from '../../work-tree-moves.ts';
import type { Cloned } from '../engine.ts';
import { filesTooLarge } from '../raw-check-out.ts';
import { MAKING, setAside, SPARE, unlessMissing } from './cache-room.ts';
import type { CachedRepository } from './cached-repository.ts';
import { lockFile } from './file-lock.ts';
import { makeGitdir } from './gitdir.ts';
import { nativeCheckOut } from './native-check-out.ts';
import type { FetchPlace } from './native-fetch.ts';
import { NativeObjects } from './native-objects.ts';
import {
  bytesOf,
  FILES,
  fingerprintFile,
  looksOfAll,
  readRecord,
  writeRecord,
} from './tree-record.ts';
import type { TreeState } from './tree-record.ts';

export interface TakenSpare {
  /** Rejects if it is not as it was made. */
  readonly state: Promise<TreeState>;
}

/** Why the spare work tree was not used. */
export interface Rejected {
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
  async use(taken: TakenSpare, objects: GitObjects, commit: string): Promise<Cloned | Rejected> {
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

  async #moved(state: TreeState, objects: GitObjects, commit: string): Promise<Cloned> {
    const { tree, maxBytes } = this.#place;
    const base = await readBaseTree(knowing(objects, new Map(state.trees)), commit);
    if (!isPlain(base)) throw new Error('it has more than plain files');
    await rename(join(this.#taken, FILES), tree);
    const fingerprints = new Map(state.looks);
    for (const path of await moveWorkTree(objects, { tree, maxBytes }, state, base))
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
      const state = { files: base.files, trees, ...(await looksOfAll(place.tree, base)) };
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

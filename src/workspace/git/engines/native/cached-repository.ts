// What was fetched of a repository, kept for its next sessions: a bare repository of git's own. A session links its packs into
// a git directory of its own, so whatever happens to the cache afterwards does not concern it. Sparse clones share another
// one, which has all directories of its commits, and the files of these clones.
import { mkdir, readdir, stat, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../../lib/errors.ts';
import {
  cacheKey,
  removeRepository,
  setExcessAside,
  REPOSITORY,
  SPARE,
  SPARSE,
  unlessMissing,
} from './cache-room.ts';
import type { CachePlace } from './cache-room.ts';
import { fetchAtOnce, fetchDirectories, fetchFiles } from './fetch-pack.ts';
import { lockFile, type FileLock } from './file-lock.ts';
import { hasRef, keptRef, linkPacks, makeGitdir, commitsWithRef, recordFetched } from './gitdir.ts';
import { askGitWith, GitFailed, type NativePlace } from './native-git.ts';
import { fetchCommits, locate, type FetchPlace } from './native-fetch.ts';

export interface WantedCommit {
  readonly commit: string;
  readonly token: string;
  /** The files that a sparse clone lacks, by object id. Called once it has the directories. */
  readonly missing?: (() => Promise<readonly string[]>) | undefined;
}

/** Longer than a fetch may take. */
const WAIT_SECONDS = 320;
/** Commits that the server is told of. */
const MOST_KEPT = 32;
const MOST_PACKS = 24;
const REPACK_MS = 120_000;

export class CachedRepository {
  readonly #cache: CachePlace;
  readonly #key: string;
  readonly #place: FetchPlace;
  readonly #isSparse: boolean;
  #unjoined: string | undefined;

  /** @param isSparse for sparse clones */
  constructor(cache: CachePlace, session: FetchPlace, isSparse = false) {
    this.#cache = cache;
    this.#isSparse = isSparse;
    this.#key = `${cacheKey(cache, session.remoteUrl)}${isSparse ? SPARSE : ''}`;
    const gitdir = this.pathOf(REPOSITORY);
    this.#place = { ...session, gitdir, tree: gitdir };
  }

  /** Why its packs could not be joined, if that was due. What it has is as good as before. */
  get unjoined(): string | undefined {
    return this.#unjoined;
  }

  /** Of what the cache has of the repository, by how its name ends. */
  pathOf(ending: string): string {
    return join(this.#cache.directory, `${this.#key}${ending}`);
  }

  /**
   * Puts a commit into the git directory of a session, with all its files or those of a sparse clone. Fetches what the cache lacks
   * of it; if that is nothing, asks the server all the same whether the token may read the repository. If the cache grows, others make room for it.
   */
  async fill(gitdir: string, wanted: WantedCommit): Promise<void> {
    const { commit, token, missing = async () => [] } = wanted;
    if ((await this.#has(commit)) && (await this.give(gitdir, commit))) {
      if ((await missing()).length === 0) {
        await locate(this.#place, token);
        return;
      }
    }
    await mkdir(this.#cache.directory, { recursive: true, mode: 0o700 });
    const hasGrown = await this.#locked(async ({ descriptor }) => {
      const isMissing = !(await this.#has(commit));
      if (isMissing) await this.#fetch(wanted, descriptor);
      await this.#giveFetched(gitdir, commit);
      const oids = await missing();
      if (oids.length === 0) return isMissing;
      await this.#fetchFiles(oids, token, descriptor);
      await this.#giveFetched(gitdir, commit);
      return true;
    });
    // Another session fetched it meanwhile, with a token of its own.
    if (!hasGrown) await locate(this.#place, token);
    else await setExcessAside(this.#cache, this.#place.signal);
  }

  /** Call if git could not read what the cache gave. */
  async discard(): Promise<void> {
    await removeRepository(this.pathOf(SPARE));
    await this.#locked(() => removeRepository(this.#place.gitdir));
  }

  async #fetch({ commit, token }: WantedCommit, lock: number): Promise<void> {
    const isSparse = this.#isSparse;
    const place = { ...this.#place, keepsOpen: lock };
    const kept = await commitsWithRef(place.gitdir);
    // Without a ref, all this is left over from a killed process or a power failure.
    if (kept.length === 0) await removeRepository(place.gitdir);
    await removeLeftovers(place.gitdir);
    await makeGitdir(place.gitdir, place.remoteUrl);
    const request = { commits: [commit], depth: 1, token };
    if (!(await fetchAtOnce(place, { ...request, kept, isSparse }))) {
      if (isSparse) await fetchDirectories(place, { ...request, kept: [] });
      else await fetchCommits(place, request);
    }
    await forgetCommits(place.gitdir);
    await this.#join(lock);
  }

  async #fetchFiles(oids: readonly string[], token: string, lock: number): Promise<void> {
    const place = { ...this.#place, keepsOpen: lock };
    await removeLeftovers(place.gitdir);
    await fetchFiles(place, { oids, token });
    await this.#join(lock);
  }

  /** The session needs what was fetched, and not this. */
  async #join(lock: number): Promise<void> {
    try {
      await joinPacks(this.#place, lock);
    } catch (error) {
      this.#place.signal.throwIfAborted();
      this.#unjoined = messageOf(error);
    }
  }

  /** A commit has a ref once all of it is there; in a sparse repository, once all its directories are. */
  #has(commit: string): Promise<boolean> {
    return hasRef(this.#place.gitdir, commit);
  }

  async #giveFetched(gitdir: string, commit: string): Promise<void> {
    if (!(await this.give(gitdir, commit))) throw new GitFailed('the cache lost a commit');
  }

  /** Links a commit with all that the cache has of it into a git directory. Answers false if the cache lacks it. */
  async give(gitdir: string, commit: string): Promise<boolean> {
    const now = new Date();
    await utimes(this.#place.gitdir, now, now).catch(unlessMissing);
    const isComplete = await linkPacks(
      join(this.#place.gitdir, 'objects'),
      join(gitdir, 'objects'),
    );
    if (!isComplete || !(await this.#has(commit))) return false;
    await recordFetched(gitdir, [commit], { shallow: [commit], unshallow: [] });
    return true;
  }

  async #locked<T>(act: (lock: FileLock) => Promise<T>): Promise<T> {
    const { signal } = this.#place;
    const lock = await lockFile(this.pathOf('.lock'), { signal, seconds: WAIT_SECONDS });
    if (lock === undefined) throw new Error('another process kept the cached repository locked');
    try {
      return await act(lock);
    } finally {
      await lock.release();
    }
  }
}

/** What processes left that were killed. Whoever holds the lock is the only one who writes, so nobody needs it. */
async function removeLeftovers(gitdir: string): Promise<void> {
  const isLeft = (name: string): boolean => /^\.?tmp|\.lock$|\.keep$/.test(name);
  for (const inner of ['.', 'objects', 'objects/pack', 'refs/issuewright'])
    for (const name of (await readdir(join(gitdir, inner)).catch(unlessMissing)) ?? [])
      if (isLeft(name)) await unlink(join(gitdir, inner, name));
}

/**
 * Keeps the newest `MOST_KEPT` refs, because the server is sent each, and deletes refs whose content does not match their
 * name, which a power failure leaves. Objects stay.
 */
async function forgetCommits(gitdir: string): Promise<void> {
  const named = await commitsWithRef(gitdir);
  const directory = join(gitdir, keptRef(''));
  const found = await Promise.all(
    (await readdir(directory)).map(async (name) => ({
      path: join(directory, name),
      at: named.includes(name) ? (await stat(join(directory, name))).mtimeMs : 0,
    })),
  );
  const newestFirst = found.toSorted((one, other) => other.at - one.at);
  const left = newestFirst.filter(({ at }, index) => at === 0 || index >= MOST_KEPT);
  for (const { path } of left) await unlink(path);
}

/** Each fetch makes one. The large ones stay as they are. */
async function joinPacks(place: NativePlace, keepsOpen: number): Promise<void> {
  const names = await readdir(join(place.gitdir, 'objects/pack'));
  if (names.filter((name) => name.endsWith('.pack')).length <= MOST_PACKS) return;
  const options = { keepsOpen, timeoutMs: REPACK_MS };
  await askGitWith(place, options, ['repack', '--geometric=2', '-d', '-q']);
}

import { readBaseTree, filesInside, type BaseTree } from '../../base-tree.ts';
import {
  CommitNotFound,
  explainCloneFailure,
  explainFetchFailure,
  explainGitFailure,
  explainMergeFailure,
} from '../../explain-failure.ts';
import { TooManyBytes } from '../../http-client.ts';
import type {
  CloneResult,
  NativeEnginePlace,
  FetchedFiles,
  GitEngine,
  FetchRequest,
  MissingFiles,
} from '../engine.ts';
import { mkdir } from 'node:fs/promises';
import { removeTree } from '../../../remove-tree.ts';
import type { CachePlace } from './cache-room.ts';
import { CachedRepository } from './cached-repository.ts';
import {
  fetchAtOnce,
  UnreadablePack,
  fetchDirectories,
  fetchFiles,
  missingObjects,
} from './fetch-pack.ts';
import { makeGitdir, commitsWithRef } from './gitdir.ts';
import { GitFailed } from './native-git.ts';
import { nativeCheckOut } from '../check-out.ts';
import { fetchCommits } from './native-fetch.ts';
import { NativeObjects } from './native-objects.ts';
import { SpareTree, type TakenSpare } from './spare-tree.ts';

/** How much larger the history may be than one commit. */
const HISTORY_SHARE = 4;

type CloneRequest = Parameters<GitEngine['clone']>[0];

/** The program git fetches, reads and checks out. */
export class NativeEngine implements GitEngine {
  readonly #place: NativeEnginePlace & { readonly signal: AbortSignal };
  /** Kept from one operation to the next. */
  #objects: NativeObjects | undefined;

  constructor(place: NativeEnginePlace, signal: AbortSignal) {
    this.#place = { ...place, signal };
  }

  async clone(request: CloneRequest): Promise<CloneResult> {
    const { remoteUrl, cache, sparse } = this.#place;
    try {
      if (cache !== undefined) return await this.#cloneFrom(cache, request);
      if (sparse === undefined) return await this.#cloneAlone(request);
      return await this.#takeSparse(request);
    } catch (error) {
      throw explainCloneFailure(error, remoteUrl, request.commit);
    } finally {
      // It holds what it has read of all trees, and later operations read few.
      await this.close();
    }
  }

  async #cloneAlone({ commit, token }: CloneRequest): Promise<CloneResult> {
    await makeGitdir(this.#place.gitdir, this.#place.remoteUrl);
    await fetchCommits(this.#place, { commits: [commit], depth: 1, token });
    return this.#checkOut(commit);
  }

  async #cloneFrom(cache: CachePlace, request: CloneRequest): Promise<CloneResult> {
    const { gitdir, tree, sparse } = this.#place;
    const isSparse = sparse !== undefined;
    const cached = new CachedRepository(cache, this.#place, isSparse);
    const take = async (): Promise<CloneResult> => {
      const cloned = isSparse
        ? await this.#takeSparse(request, cached)
        : await this.#takeWhole(request, cached);
      return { ...cloned, unjoinedPacks: cached.unjoined };
    };
    try {
      return await take();
    } catch (error) {
      if (!(error instanceof GitFailed || error instanceof UnreadablePack)) throw error;
      // Whatever the cache has, it is no good. The server has it too.
      await this.close();
      await cached.discard();
      await removeTree(gitdir);
      await removeTree(tree);
      await mkdir(tree);
      return take();
    }
  }

  async #takeWhole(request: CloneRequest, cached: CachedRepository): Promise<CloneResult> {
    const { gitdir, remoteUrl } = this.#place;
    const spare = new SpareTree(cached, this.#place);
    await makeGitdir(gitdir, remoteUrl);
    const taking = this.#ready(spare);
    await cached.fill(gitdir, request).catch(async (error: unknown) => {
      const taken = await taking;
      if (taken !== undefined) await spare.giveBack(taken);
      throw error;
    });
    return this.#checkOut(request.commit, spare, await taking);
  }

  /** Directories first: they tell which files the part has. */
  async #takeSparse(
    { commit, token }: CloneRequest,
    cached?: CachedRepository,
  ): Promise<CloneResult> {
    const { gitdir, remoteUrl, sparse } = this.#place;
    await makeGitdir(gitdir, remoteUrl);
    const { objects } = this;
    let reading: Promise<BaseTree> | undefined;
    const read = () => (reading ??= readBaseTree(objects, commit, { sparse }));
    const missing = async () =>
      missingObjects(this.#place, await filesInside(objects, await read()));
    if (cached === undefined) {
      await fetchDirectories(this.#place, { commits: [commit], depth: 1, kept: [], token });
      await fetchFiles(this.#place, { oids: await missing(), token });
    } else await cached.fill(gitdir, { commit, token, missing });
    const base = await read();
    await nativeCheckOut(this.#place, objects, base);
    return { base };
  }

  /** What a session needs in any case, while it waits for its fetch. */
  async #ready(spare: SpareTree): Promise<TakenSpare | undefined> {
    const taken = await spare.take();
    this.objects.start();
    return taken;
  }

  async #checkOut(commit: string, spare?: SpareTree, taken?: TakenSpare): Promise<CloneResult> {
    const { objects } = this;
    const used = taken && (await spare?.use(taken, objects, commit));
    if (used !== undefined && 'base' in used) return used;
    const base = await readBaseTree(objects, commit);
    await nativeCheckOut(this.#place, objects, base);
    return { base, rejectedSpare: used?.rejected };
  }

  async fetch(request: FetchRequest): Promise<void> {
    const { gitdir, remoteUrl, maxBytes, sparse, signal } = this.#place;
    const { timeoutMs } = request;
    const ends = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
    try {
      const place = {
        ...this.#place,
        maxBytes: maxBytes * HISTORY_SHARE,
        signal: AbortSignal.any([signal, ...ends]),
      };
      const kept = await commitsWithRef(gitdir);
      if (sparse !== undefined) await fetchDirectories(place, { ...request, kept });
      else if (!(await fetchAtOnce(place, { ...request, kept, isSparse: false })))
        await fetchCommits(place, request);
    } catch (error) {
      throw explainFetchFailure(error, remoteUrl, request);
    }
  }

  async fetchMissing({ maxBytes, isForMerge, ...wanted }: MissingFiles): Promise<FetchedFiles> {
    const { remoteUrl } = this.#place;
    try {
      await fetchFiles({ ...this.#place, maxBytes }, wanted);
      return 'fetched';
    } catch (error) {
      if (error instanceof TooManyBytes) return 'too_large';
      if (isForMerge === true) throw explainMergeFailure(error, remoteUrl);
      if (error instanceof CommitNotFound) return 'gone';
      throw explainGitFailure(error, remoteUrl, 'read');
    }
  }

  async missingObjects(oids: readonly string[]): Promise<readonly string[]> {
    return this.#place.sparse === undefined ? [] : missingObjects(this.#place, oids);
  }

  get objects(): NativeObjects {
    if (this.#objects?.isOpen !== true)
      this.#objects = new NativeObjects(this.#place, this.#place.sparse !== undefined);
    return this.#objects;
  }

  async close(): Promise<void> {
    await this.#objects?.close();
    this.#objects = undefined;
  }
}

import fs from 'node:fs';
import git from 'isomorphic-git';
import { codeOf, messageOf } from '../../../lib/errors.ts';
import { basicAuthorization } from '../credentials.ts';
import { explainCloneFailure, explainFetchFailure } from '../explain-failure.ts';
import { createHttpClient, InvalidResponse, type ClosableHttpClient } from '../http-client.ts';
import { isomorphicObjects, type GitObjects } from '../objects.ts';
import {
  readBase,
  type Cloned,
  type EnginePlace,
  type FetchedFiles,
  type FetchRequest,
  type GitEngine,
  type HistoryRequest,
} from './engine.ts';
import { fsWithLimit } from './pack-sizes.ts';
import { rawCheckOut } from './raw-check-out.ts';

const IDLE_MS = 60_000;
/** How much larger the history may be than one commit. */
const HISTORY_SHARE = 4;

/** isomorphic-git fetches and reads packs; files are written by our own code. */
export class IsomorphicEngine implements GitEngine {
  readonly #place: EnginePlace;

  constructor(place: EnginePlace) {
    this.#place = place;
  }

  async clone({ commit, token }: Parameters<GitEngine['clone']>[0]): Promise<Cloned> {
    const { remoteUrl: url, gitdir, tree, maxBytes } = this.#place;
    const http = createHttpClient({ idleMs: IDLE_MS, maxBytes });
    try {
      await git.init({ fs, dir: tree, gitdir });
      await git.addRemote({ fs, gitdir, remote: 'origin', url, force: true });
      const limit = { maxBytes, what: 'its files' };
      await this.#fetchInto(http, { commits: [commit], depth: 1, token }, limit);
      http.throwIfCut();
      const base = await readBase(this, commit);
      await this.withObjects((objects) => rawCheckOut(objects, this.#place, base.tree));
      return { base };
    } catch (error) {
      throw explainCloneFailure(http.failure ?? error, url, commit);
    } finally {
      http.close();
    }
  }

  async fetch(request: FetchRequest): Promise<void> {
    const { remoteUrl: url } = this.#place;
    const maxBytes = this.#place.maxBytes * HISTORY_SHARE;
    const http = createHttpClient({ idleMs: IDLE_MS, maxBytes });
    try {
      const what = 'all versions of its files in the history together';
      await this.#fetchInto(http, request, { maxBytes, what });
      http.throwIfCut();
      // It takes an answer without the commit for one with nothing new.
      await this.withObjects(async (objects) => {
        for (const commit of request.commits) await objects.read(commit);
      });
    } catch (error) {
      throw explainFetchFailure(http.failure ?? error, url, request);
    } finally {
      http.close();
    }
  }

  /** It clones everything. */
  fetchMissing(): Promise<FetchedFiles> {
    return Promise.resolve('fetched');
  }

  missingObjects(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  /** @param limit of what is fetched, unpacked */
  async #fetchInto(
    http: ClosableHttpClient,
    { commits, depth, token }: HistoryRequest,
    limit: { readonly maxBytes: number; readonly what: string },
  ): Promise<void> {
    const { remoteUrl: url, gitdir } = this.#place;
    const limitedFs = fsWithLimit(limit.maxBytes, limit.what);
    for (const ref of commits) {
      // Each call gets its own, since it changes them; they are not written to disk.
      const headers = { authorization: basicAuthorization(token) };
      const what = { ref, depth, singleBranch: true, tags: false };
      try {
        await git.fetch({ fs: limitedFs, http, gitdir, remote: 'origin', url, headers, ...what });
      } catch (error) {
        throw isOfNode(error) ? new InvalidResponse(messageOf(error), { cause: error }) : error;
      }
    }
  }

  withObjects<T>(act: (objects: GitObjects) => Promise<T>): Promise<T> {
    return act(isomorphicObjects(this.#place.gitdir));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** isomorphic-git reads some packs that are damaged beyond the end of its buffers. */
const isOfNode = (error: unknown): boolean => codeOf(error)?.startsWith('ERR_') === true;

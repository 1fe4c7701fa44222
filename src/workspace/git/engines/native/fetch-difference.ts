// What a fetch comes to if the repository has other commits of the same remote: one request and one process. `git fetch` asks
// first what the server can do, and starts four.
import type { HistoryRequest } from '../engine.ts';
import { fetchPack, isAboutTheRequest } from './fetch-pack.ts';
import { commitsWithRef, recordFetched, shallowIn } from './gitdir.ts';
import type { FetchPlace } from './native-fetch.ts';
import { WITHOUT_FILES } from './partial-fetch.ts';

interface Difference {
  readonly commit: string;
  /** Commits that the repository has as this one is wanted. */
  readonly kept: readonly string[];
  readonly token: string;
  /** With all its directories and none of its files. */
  readonly isSparse: boolean;
}

/**
 * Fetches one commit, without its history, and names it. Answers false if that is not to be had so: there is no commit
 * yet, or the server says something else than version 2 of git's protocol does. Then `git fetch` can tell.
 * @throws {NetworkError} {TooManyBytes} {RedirectNotAllowed} {HttpStatusError}
 */
export async function fetchDifference(place: FetchPlace, wanted: Difference): Promise<boolean> {
  const { commit, kept, token, isSparse } = wanted;
  if (kept.length === 0) return false;
  const lines = [
    ...(await shallowIn(place.gitdir)).map((oid) => `shallow ${oid}`),
    'deepen 1',
    ...(isSparse ? [WITHOUT_FILES] : []),
    `want ${commit}`,
    ...kept.map((oid) => `have ${oid}`),
  ];
  try {
    await fetchPack(place, { lines, token });
    await recordFetched(place.gitdir, [commit], { shallow: [commit], unshallow: [] });
    return true;
  } catch (error) {
    if (isAboutTheRequest(error)) return false;
    throw error;
  }
}

/**
 * Fetches the history of commits, down to a depth. Answers false like `fetchDifference`. `git fetch` does not ask for a commit
 * that is here, so the history of that one would stay missing until all of it is fetched.
 */
export async function fetchHistory(
  place: FetchPlace,
  { commits, depth, token }: HistoryRequest,
): Promise<boolean> {
  const lines = [
    ...(await shallowIn(place.gitdir)).map((oid) => `shallow ${oid}`),
    `deepen ${depth}`,
    ...commits.map((oid) => `want ${oid}`),
    ...(await commitsWithRef(place.gitdir)).map((oid) => `have ${oid}`),
  ];
  try {
    await recordFetched(place.gitdir, commits, await fetchPack(place, { lines, token }));
    return true;
  } catch (error) {
    if (isAboutTheRequest(error)) return false;
    throw error;
  }
}

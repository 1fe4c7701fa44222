// What a fetch comes to if the repository has other commits of the same remote: one request and one process. `git fetch` asks
// first what the server can do, and starts four.
import { HttpStatusError, InvalidResponse } from '../../http-client.ts';
import { fetchPack } from './fetch-pack.ts';
import { addShallow, shallowIn } from './gitdir.ts';
import type { FetchPlace } from './native-fetch.ts';

interface Difference {
  readonly commit: string;
  /** Commits that the repository has with all their files. */
  readonly kept: readonly string[];
  readonly token: string;
}

/**
 * Fetches one commit, without its history, and names it. Answers false if that is not to be had so: there is no commit
 * yet, or the server says something else than version 2 of git's protocol does. Then `git fetch` can tell.
 * @throws {NetworkError} {TooManyBytes} {RedirectNotAllowed} {HttpStatusError}
 */
export async function fetchDifference(place: FetchPlace, wanted: Difference): Promise<boolean> {
  const { commit, kept, token } = wanted;
  if (kept.length === 0) return false;
  const lines = [
    ...(await shallowIn(place.gitdir)).map((oid) => `shallow ${oid}`),
    'deepen 1',
    `want ${commit}`,
    ...kept.map((oid) => `have ${oid}`),
  ];
  try {
    if (!(await fetchPack(place, { lines, token }))) return false;
    await addShallow(place.gitdir, commit);
    return true;
  } catch (error) {
    if (isAboutTheRequest(error)) return false;
    throw error;
  }
}

/** Whether the server may answer when it is asked in another way. */
const isAboutTheRequest = (error: unknown): boolean =>
  error instanceof InvalidResponse ||
  (error instanceof HttpStatusError &&
    !error.isRateLimit &&
    ![401, 403, 404].includes(error.status));

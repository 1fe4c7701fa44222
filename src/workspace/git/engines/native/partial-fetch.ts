// Fetches commits without the contents of their files, and then those contents that are wanted. The repository has no promisor
// and no setting about this: git never asks for what is missing by itself, and reading it fails.
import { TellPerson } from '../../../../lib/errors.ts';
import { CommitNotFound, repositoryName } from '../../explain-failure.ts';
import { InvalidResponse, TooManyBytes } from '../../http-client.ts';
import type { HistoryRequest, MissingFiles } from '../engine.ts';
import { fetchPack, isAboutTheRequest, UnreadablePack } from './fetch-pack.ts';
import { recordFetched, shallowIn } from './gitdir.ts';
import { locate, NOT_THERE, type FetchPlace } from './native-fetch.ts';
import { askGitWith, type NativePlace } from './native-git.ts';

/** Files that one request asks for. */
const AT_ONCE = 10_000;

/** What leaves files out of a request for commits. */
export const WITHOUT_FILES = 'filter blob:none';

interface DirectoriesRequest extends HistoryRequest {
  /** Commits that the repository has with all their directories. */
  readonly kept: readonly string[];
}

/**
 * Fetches commits with their history, down to a depth, with all their directories and none of their files, and names them.
 * @throws {TellPerson} if the server cannot leave files out; {UnreadablePack}
 */
export async function fetchDirectories(
  place: FetchPlace,
  { commits, depth, kept, token }: DirectoriesRequest,
): Promise<void> {
  const there = await placeOnServer(place, token);
  const lines = [
    ...(await shallowIn(place.gitdir)).map((oid) => `shallow ${oid}`),
    `deepen ${depth}`,
    WITHOUT_FILES,
    ...commits.map((oid) => `want ${oid}`),
    ...kept.map((oid) => `have ${oid}`),
  ];
  await recordFetched(place.gitdir, commits, await fetchInto(there, lines, token));
}

/**
 * Fetches those contents that the repository lacks; the limit is for all of them together.
 * @throws {TooManyBytes} {UnreadablePack}
 */
export async function fetchFiles(
  place: FetchPlace,
  { oids, token }: Pick<MissingFiles, 'oids' | 'token'>,
): Promise<void> {
  const missing = await missingObjects(place, oids);
  let there = place;
  let left = place.maxBytes;
  for (let at = 0; at < missing.length; at += AT_ONCE) {
    const lines = missing.slice(at, at + AT_ONCE).map((oid) => `want ${oid}`);
    const ask = () => fetchInto({ ...there, maxBytes: left }, lines, token);
    try {
      const { bytes } = await ask().catch(async (error: unknown) => {
        const isAbout = isAboutTheRequest(error) && !(error instanceof UnreadablePack);
        if (!isAbout || there !== place) throw error;
        there = await placeOnServer(place, token);
        return ask();
      });
      left -= bytes;
    } catch (error) {
      throw error instanceof TooManyBytes ? tooManyBytes(place) : error;
    }
  }
}

const tooManyBytes = ({ maxBytes }: FetchPlace): TooManyBytes =>
  new TooManyBytes(`more than ${maxBytes} bytes`);

/** Which of these objects a repository does not have. */
export async function missingObjects(
  place: NativePlace,
  oids: readonly string[],
): Promise<readonly string[]> {
  const wanted = [...new Set(oids)];
  const input = wanted.map((oid) => `${oid}\n`).join('');
  const words = ['cat-file', '--batch-check=%(objectname)', '--buffer'];
  const lines = (await askGitWith(place, { input }, words)).split('\n');
  return wanted.filter((_, at) => lines[at]?.endsWith(' missing') === true);
}

/** What the contents of files hold together that a repository has. */
export async function bytesOfFiles(place: NativePlace, oids: readonly string[]): Promise<number> {
  const input = oids.map((oid) => `${oid}\n`).join('');
  const words = ['cat-file', '--batch-check=%(objectsize)', '--buffer'];
  const sizes = (await askGitWith(place, { input }, words)).split('\n').slice(0, -1);
  return sizes.reduce((sum, size) => sum + Number(size), 0);
}

/** Its address may have moved within the host. */
async function placeOnServer(place: FetchPlace, token: string): Promise<FetchPlace> {
  const { url, canFilter } = await locate(place, token);
  if (canFilter) return { ...place, remoteUrl: url };
  throw new TellPerson(
    `The server of ${repositoryName(place.remoteUrl)} does not send a part of a repository. ` +
      'Remove the setting `sparse`, or have its operator allow partial clones (`uploadpack.allowFilter`).',
  );
}

async function fetchInto(place: FetchPlace, lines: readonly string[], token: string) {
  try {
    return await fetchPack(place, { lines, token });
  } catch (error) {
    if (error instanceof InvalidResponse && NOT_THERE.test(error.message))
      throw new CommitNotFound(error.message, { cause: error });
    throw error;
  }
}

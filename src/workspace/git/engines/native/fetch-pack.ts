// One request in version 2 of git's protocol whose answer goes into one `git index-pack`.
import { basicAuthorization } from '../../credentials.ts';
import {
  createHttpClient,
  HttpStatusError,
  InvalidResponse,
  TooManyBytes,
  decodePktLines,
  DELIMITER,
  encodePktLine,
  FLUSH,
} from '../../http-client.ts';
import { recordFetched, shallowIn, type HistoryChange } from './gitdir.ts';
import { FETCH_MS, IDLE_MS, locate, NOT_THERE, type FetchPlace } from './native-fetch.ts';
import { runGitWith, askGitWith, type NativePlace } from './native-git.ts';
import { TellPerson } from '../../../../lib/errors.ts';
import { CommitNotFound, repositoryName } from '../../explain-failure.ts';
import type { HistoryRequest, MissingFiles } from '../engine.ts';

interface PackRequest {
  /** What is asked for, a line each. */
  readonly lines: readonly string[];
  readonly token: string;
}

/** Git could not read a pack: what the server sent is damaged, or what is here that belongs to it. */
export class UnreadablePack extends InvalidResponse {}

interface ReceivedPack extends HistoryChange {
  readonly bytes: number;
}

/**
 * Adds the pack of an answer to a repository.
 * @throws {NetworkError} {TooManyBytes} {RedirectNotAllowed} {HttpStatusError} {InvalidResponse}
 */
async function fetchPack(place: FetchPlace, request: PackRequest): Promise<ReceivedPack> {
  const { maxBytes, signal, keepsOpen } = place;
  const http = createHttpClient({ idleMs: IDLE_MS, maxBytes, signal });
  const history = { shallow: [], unshallow: [] };
  let bytes = 0;
  const asking = async function* () {
    for await (const chunk of packOf(await requestPack(http, place, request), history)) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  };
  const options = { input: asking(), keepsOpen, timeoutMs: FETCH_MS };
  const words = ['index-pack', '--stdin', '--fix-thin', `--max-input-size=${maxBytes}`];
  try {
    const { exitCode } = await runGitWith(place, options, words);
    if (exitCode === 0) return { ...history, bytes };
    throw new UnreadablePack('git could not read what the server sent');
  } finally {
    http.close();
  }
}

/** Whether the server may answer when it is asked in another way. */
const isAboutTheRequest = (error: unknown): boolean =>
  error instanceof InvalidResponse ||
  (error instanceof HttpStatusError &&
    !error.isRateLimit &&
    ![401, 403, 404].includes(error.status));

async function requestPack(
  http: ReturnType<typeof createHttpClient>,
  { remoteUrl }: FetchPlace,
  { lines, token }: PackRequest,
): Promise<AsyncIterable<Uint8Array>> {
  const asked = ['thin-pack', 'no-progress', 'ofs-delta', ...lines, 'done'].map(encodePktLine);
  const { headers, body } = await http.request({
    method: 'POST',
    url: `${remoteUrl}/git-upload-pack`,
    headers: {
      authorization: basicAuthorization(token),
      'git-protocol': 'version=2',
      'content-type': 'application/x-git-upload-pack-request',
      accept: ANSWER,
    },
    body: [encodePktLine('command=fetch'), DELIMITER, ...asked, FLUSH],
  });
  if (body === undefined || headers?.['content-type'] !== ANSWER)
    throw new InvalidResponse('the server did not answer in version 2 of the protocol');
  return body;
}

const ANSWER = 'application/x-git-upload-pack-result';

/** In each line of a pack, the first byte says what it is. */
const PACK = 1;
const PROGRESS = 2;

async function* packOf(
  answer: AsyncIterable<Uint8Array>,
  history: Record<'shallow' | 'unshallow', string[]>,
): AsyncGenerator<Uint8Array> {
  let isPack = false;
  for await (const line of decodePktLines(answer)) {
    const [band] = line;
    if (!isPack) isPack = isPackNext(line.toString().trim(), history);
    else if (band === PACK) yield line.subarray(1);
    else if (band !== PROGRESS) throw new InvalidResponse(line.toString('utf8', 1));
  }
}

function isPackNext(line: string, history: Record<'shallow' | 'unshallow', string[]>): boolean {
  if (line === 'packfile') return true;
  const [, cut, joined] = /^(?:shallow ([\da-f]{40})|unshallow ([\da-f]{40}))$/.exec(line) ?? [];
  if (cut !== undefined) history.shallow.push(cut);
  else if (joined !== undefined) history.unshallow.push(joined);
  else if (line !== 'shallow-info') throw new InvalidResponse(line);
  return false;
}

// Fetches commits without the contents of their files, and then those contents that are wanted. The repository has no promisor
// and no setting about this: git never asks for what is missing by itself, and reading it fails.

/** Files that one request asks for. */
const AT_ONCE = 10_000;

/** What leaves files out of a request for commits. */
const WITHOUT_FILES = 'filter blob:none';

interface CommitsRequest extends HistoryRequest {
  /** Commits that the repository has as these are wanted. */
  readonly kept: readonly string[];
  /** With all their directories and none of their files. */
  readonly isSparse: boolean;
}

/**
 * Fetches commits with their history, down to a depth, with all their directories and none of their files, and names them.
 * @throws {TellPerson} if the server cannot leave files out; {UnreadablePack}
 */
export async function fetchDirectories(
  place: FetchPlace,
  request: Omit<CommitsRequest, 'isSparse'>,
): Promise<void> {
  const { commits, token } = request;
  const there = await placeOnServer(place, token);
  const lines = await linesFor(place, { ...request, isSparse: true });
  await recordFetched(place.gitdir, commits, await fetchInto(there, lines, token));
}

async function linesFor(
  { gitdir }: FetchPlace,
  { commits, depth, kept, isSparse }: CommitsRequest,
): Promise<readonly string[]> {
  return [
    ...(await shallowIn(gitdir)).map((oid) => `shallow ${oid}`),
    `deepen ${depth}`,
    ...(isSparse ? [WITHOUT_FILES] : []),
    ...commits.map((oid) => `want ${oid}`),
    ...kept.map((oid) => `have ${oid}`),
  ];
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
    const requestPack = () => fetchInto({ ...there, maxBytes: left }, lines, token);
    try {
      const { bytes } = await requestPack().catch(async (error: unknown) => {
        const isAbout = isAboutTheRequest(error) && !(error instanceof UnreadablePack);
        if (!isAbout || there !== place) throw error;
        there = await placeOnServer(place, token);
        return requestPack();
      });
      left -= bytes;
    } catch (error) {
      if (!(error instanceof TooManyBytes)) throw error;
      throw new TooManyBytes(`more than ${place.maxBytes} bytes`);
    }
  }
}

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

// What a fetch comes to if the repository has other commits of the same remote: one request and one process. `git fetch` asks
// first what the server can do, and starts four. It does not ask for a commit that is here either, so the history of that one
// would stay missing until all of it is fetched.

/**
 * Fetches commits with their history, down to a depth, and names them. Answers false if that is not to be had so: there is no
 * commit yet, or the server says something else than version 2 of git's protocol does. Then `git fetch` can tell.
 * @throws {NetworkError} {TooManyBytes} {RedirectNotAllowed} {HttpStatusError}
 */
export async function fetchAtOnce(place: FetchPlace, request: CommitsRequest): Promise<boolean> {
  const { commits, depth, kept, token } = request;
  if (kept.length === 0) return false;
  const lines = await linesFor(place, request);
  try {
    const received = await fetchPack(place, { lines, token });
    // Whatever the server says: without their history, the commits are all that changes.
    const history = depth === 1 ? { shallow: commits, unshallow: [] } : received;
    await recordFetched(place.gitdir, commits, history);
    return true;
  } catch (error) {
    if (isAboutTheRequest(error)) return false;
    throw error;
  }
}

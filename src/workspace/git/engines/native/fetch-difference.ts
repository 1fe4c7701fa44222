// What a fetch comes to if the repository has other commits of the same remote: one request and one process. `git fetch` asks
// first what the server can do, and starts four.
import { basicAuthorization } from '../../credentials.ts';
import { createHttpClient, HttpStatusError, InvalidResponse } from '../../http-client.ts';
import { decodePktLines, DELIMITER, encodePktLine, FLUSH } from '../../pkt-lines.ts';
import { addShallow, shallowIn } from './gitdir.ts';
import { FETCH_MS, IDLE_MS, type FetchPlace } from './native-fetch.ts';
import { runGitWith } from './native-git.ts';

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
  const { gitdir, maxBytes, signal, keepsOpen } = place;
  if (wanted.kept.length === 0) return false;
  const http = createHttpClient({ idleMs: IDLE_MS, maxBytes, signal });
  const asking = async function* () {
    yield* packOf(await ask(http, place, wanted));
  };
  const options = { input: asking(), keepsOpen, timeoutMs: FETCH_MS };
  const words = ['index-pack', '--stdin', '--fix-thin', `--max-input-size=${maxBytes}`];
  try {
    const { exitCode } = await runGitWith(place, options, words);
    if (exitCode !== 0) return false;
    await addShallow(gitdir, wanted.commit);
    return true;
  } catch (error) {
    if (isAboutTheRequest(error)) return false;
    throw error;
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

async function ask(
  http: ReturnType<typeof createHttpClient>,
  { remoteUrl, gitdir }: FetchPlace,
  { commit, kept, token }: Difference,
): Promise<AsyncIterable<Uint8Array>> {
  const lines = [
    'thin-pack',
    'no-progress',
    'ofs-delta',
    ...(await shallowIn(gitdir)).map((oid) => `shallow ${oid}`),
    'deepen 1',
    `want ${commit}`,
    ...kept.map((oid) => `have ${oid}`),
    'done',
  ].map(encodePktLine);
  const { headers, body } = await http.request({
    method: 'POST',
    url: `${remoteUrl}/git-upload-pack`,
    headers: {
      authorization: basicAuthorization(token),
      'git-protocol': 'version=2',
      'content-type': 'application/x-git-upload-pack-request',
      accept: ANSWER,
    },
    body: once(Buffer.concat([encodePktLine('command=fetch'), DELIMITER, ...lines, FLUSH])),
  });
  if (body === undefined || headers?.['content-type'] !== ANSWER)
    throw new InvalidResponse('the server did not answer in version 2 of the protocol');
  return body;
}

const ANSWER = 'application/x-git-upload-pack-result';

async function* once<T>(value: T): AsyncGenerator<T, void, void> {
  yield value;
}

/** In each line of a pack, the first byte says what it is. */
const PACK = 1;
const PROGRESS = 2;

async function* packOf(answer: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isPack = false;
  for await (const line of decodePktLines(answer)) {
    const [band] = line;
    if (!isPack) isPack = isPackNext(line.toString().trim());
    else if (band === PACK) yield line.subarray(1);
    else if (band !== PROGRESS) throw new InvalidResponse(line.toString('utf8', 1));
  }
}

function isPackNext(line: string): boolean {
  if (/^(?:shallow-info|shallow [\da-f]{40})$/.test(line)) return false;
  if (line === 'packfile') return true;
  throw new InvalidResponse(line);
}

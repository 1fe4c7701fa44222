// One request in version 2 of git's protocol whose answer goes into one `git index-pack`.
import { basicAuthorization } from '../../credentials.ts';
import { createHttpClient, HttpStatusError, InvalidResponse } from '../../http-client.ts';
import { decodePktLines, DELIMITER, encodePktLine, FLUSH } from '../../pkt-lines.ts';
import type { HistoryChange } from './gitdir.ts';
import { FETCH_MS, IDLE_MS, type FetchPlace } from './native-fetch.ts';
import { runGitWith } from './native-git.ts';

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
export async function fetchPack(place: FetchPlace, request: PackRequest): Promise<ReceivedPack> {
  const { maxBytes, signal, keepsOpen } = place;
  const http = createHttpClient({ idleMs: IDLE_MS, maxBytes, signal });
  const history = { shallow: [], unshallow: [] };
  let bytes = 0;
  const asking = async function* () {
    for await (const chunk of packOf(await ask(http, place, request), history)) {
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
export const isAboutTheRequest = (error: unknown): boolean =>
  error instanceof InvalidResponse ||
  (error instanceof HttpStatusError &&
    !error.isRateLimit &&
    ![401, 403, 404].includes(error.status));

async function ask(
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
    body: once(Buffer.concat([encodePktLine('command=fetch'), DELIMITER, ...asked, FLUSH])),
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

import { TellPerson, TryLater } from '../../lib/errors.ts';
import { beginningOf } from '../../lib/bounded-response.ts';
import { newAgent } from '../../lib/network.ts';
import { isPrivateHost } from '../../lib/public-address.ts';
import { notAStream, notTheApi, type AttemptedRequest } from './server-error.ts';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

export interface AttemptLimits {
  /** The longest time from the request to the end of the reply. */
  readonly totalMs: number;
  /** The longest time without any data. */
  readonly silenceMs: number;
  /** Bytes received. Many times what a reply needs: this ends an endless answer. */
  readonly bytes: number;
  /** Characters of the parsed reply. */
  readonly characters: number;
}

export const ATTEMPT_LIMITS: AttemptLimits = {
  totalMs: 15 * 60_000,
  silenceMs: 5 * 60_000,
  bytes: 64_000_000,
  characters: 4_000_000,
};

const MINUTE_MS = 60_000;
/** A small machine can read a long conversation for minutes before it writes the first word. */
const PRIVATE_SILENCE_MINUTES = 30;

/** Limits for the server at an address. `silenceMinutes`: as the operator set it. */
export function limitsFor(url: string, silenceMinutes: number | undefined): AttemptLimits {
  const isPrivate = isPrivateHost(new URL(url).host);
  const minutes = silenceMinutes ?? (isPrivate ? PRIVATE_SILENCE_MINUTES : undefined);
  if (minutes === undefined) return ATTEMPT_LIMITS;
  const silenceMs = minutes * MINUTE_MS;
  return { ...ATTEMPT_LIMITS, silenceMs, totalMs: Math.max(ATTEMPT_LIMITS.totalMs, 2 * silenceMs) };
}

/** The `fetch` for these limits. Node's own, which uses connections again, gives up after five minutes of silence. */
export const fetchWithin = ({ silenceMs }: AttemptLimits): typeof fetch =>
  silenceMs > ATTEMPT_LIMITS.silenceMs ? patientFetch : fetch;

/** Shared, because creating an error costs more than everything else at the end of an attempt. */
const OVER = new Error('the attempt is over');

/** The connection to a server during one attempt. */
export interface LimitedAttempt {
  /** Aborts at any limit, and when the caller's signal aborts. */
  readonly signal: AbortSignal;
  /** A `fetch` that counts the bytes of every answer, errors included. */
  readonly fetch: typeof fetch;
  /**
   * Counts bytes that did not come through `fetch`.
   * @throws {TellPerson} if there are too many
   */
  readonly came: (bytes: number) => void;
  /**
   * Counts characters of the parsed reply.
   * @throws {TellPerson} if there are too many
   */
  readonly heard: (characters: number) => void;
}

/**
 * Makes one attempt within limits of time and size. SDKs end an aborted stream as if it were complete, or
 * throw errors of their own. This function throws what really ended the attempt, whatever `work` does.
 * @throws the reason of `signal` if it was aborted
 * @throws {TryLater} if the server was silent or busy for too long
 * @throws {TellPerson} if the reply did not end
 */
export async function withinAttemptLimits<T>(
  signal: AbortSignal,
  work: (line: LimitedAttempt) => Promise<T>,
  limits: AttemptLimits = ATTEMPT_LIMITS,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const end = (words: string) => () => own.abort(new TryLater(words));
  const total = setTimeout(end('the model server took too long to reply'), limits.totalMs);
  const silence = setTimeout(end('the model server stopped responding'), limits.silenceMs);
  const count = (limit: number, unit: string) => upTo(limit, unit, silence, own);
  const came = count(limits.bytes, 'bytes');
  const both = AbortSignal.any([signal, own.signal]);
  try {
    const line = {
      signal: both,
      fetch: counted(fetchWithin(limits), came),
      came,
      heard: count(limits.characters, 'characters'),
    };
    const result = await work(line);
    both.throwIfAborted();
    return result;
  } catch (error) {
    both.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(total);
    clearTimeout(silence);
    // Nothing more of the answer is needed.
    own.abort(OVER);
  }
}

type CountMore = (more: number) => void;

function upTo(
  limit: number,
  unit: string,
  silence: NodeJS.Timeout,
  attempt: AbortController,
): CountMore {
  let sum = 0;
  return (more) => {
    silence.refresh();
    sum += more;
    if (sum <= limit) return;
    const words = `The model server sent more than ${limit} ${unit} without ending its reply. Check the server's address in the settings.`;
    attempt.abort(new TellPerson(words));
    attempt.signal.throwIfAborted();
  };
}

const counted =
  (fetch: typeof globalThis.fetch, count: CountMore): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, next) => {
        count(bytes.byteLength);
        next.enqueue(bytes);
      },
    });
    return new Response(body.pipeThrough(counting), { status, statusText, headers });
  };

/**
 * A `fetch` for SDKs that treat any answer as a stream of the API. It follows no redirect, because the key
 * would go with it. `expected`: whether the answer is of any type but a page, as its content says what it is.
 * @throws {TellPerson} if the answer is not from the API; some SDKs wrap it, see `thrownBelow`
 */
export const apiFetch =
  (
    fetch: typeof globalThis.fetch,
    attempt: AttemptedRequest,
    expected: 'stream' | 'any' = 'stream',
  ): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    // A web page or a redirect. A gateway's error page (5xx) counts as the server's error instead.
    const isRedirect = response.status >= 300 && response.status < 400;
    const isPage = response.status < 500 && typeOf(response).includes('html');
    if (isRedirect || isPage) throw notTheApi(attempt);
    const isOther = expected === 'stream' && typeOf(response).includes('json');
    if (response.ok && isOther) throw notAStream(attempt);
    return response.ok ? response : beginningOf(response, MOST_ERROR_BYTES);
  };

/** What a server says about an error is in its first words; SDKs read all of them. */
const MOST_ERROR_BYTES = 64 * 1024;

const typeOf = ({ headers }: Response): string => headers.get('content-type') ?? '';

/** Our own error that was thrown inside an SDK, which may have wrapped it. */
export function thrownBelow(error: unknown): TellPerson | TryLater | undefined {
  if (error instanceof TellPerson || error instanceof TryLater) return error;
  return error instanceof Error ? thrownBelow(error.cause) : undefined;
}

/** Answers that have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` for requests that are sent with POST, as patient as its signal: Node's own always gives up after five minutes
 * without an answer, and a model on a small machine may read for longer. It follows no redirect.
 */
export const patientFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const { url } = request;
  const body = await request.text();
  // No compression, which `fetch` would undo.
  const headers = { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' };
  // Not the signal of the request, which follows this one only until it is collected as garbage.
  const signal = init?.signal ?? request.signal;
  // Node's shared agents close connections that are silent for five seconds.
  const agent = newAgent(new URL(url));
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send(url, { method: 'POST', headers, agent, signal }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
  const status = answer.statusCode ?? 0;
  const stream = EMPTY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  const given = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(stream, { status, headers: given });
};

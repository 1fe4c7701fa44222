import http from 'node:http';
import https from 'node:https';
import type { GitHttpRequest, HttpClient } from 'isomorphic-git';
import { codeOf, messageOf, rateLimitWait } from '../../lib/errors.ts';
import { newAgent } from '../../lib/network.ts';

const MAX_REDIRECTS = 3;
const MAX_ERROR_BODY = 2000;

/** The server responded with an error status. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  readonly status: number;
  /** The beginning of a body of plain text or JSON; empty for HTML. Untrusted: clean it before showing it. */
  readonly body: string;
  readonly retryAfterMs: number | undefined;
  /** It is GitHub's rate limit, which GitHub also reports with 403. */
  readonly isRateLimit: boolean;

  constructor(
    status: number,
    body: string,
    retryAfterMs: number | undefined,
    isRateLimit: boolean,
  ) {
    super(`the server returned status ${status}`);
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
    this.isRateLimit = isRateLimit;
  }
}

/** The server redirected to another host, which must not receive the credentials. */
export class RedirectNotAllowed extends Error {
  override readonly name = 'RedirectNotAllowed';
}

/** More bytes than the limit. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes';
}

/** What the server sent is not what git's protocol or format allows. */
export class InvalidResponse extends Error {
  override readonly name = 'InvalidResponse';
}

/** No connection, a broken connection, or no data for too long. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
}

interface HttpLimits {
  /** Milliseconds without a byte from the server. */
  readonly idleMs: number;
  /** Limit in bytes for one response. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

type ByteChunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

export interface ClosableHttpClient extends HttpClient {
  request(
    request: Omit<GitHttpRequest, 'body'> & { readonly body?: ByteChunks },
  ): ReturnType<HttpClient['request']>;
  /** The error that ended a response body. isomorphic-git swallows it and fails later with a vaguer one. */
  readonly failure: Error | undefined;
  /** Throws that error, if there is one. isomorphic-git takes what came before it for the whole answer. */
  throwIfCut(): void;
  close(): void;
}

/**
 * The HTTP client for git: keeps its own connections alive until `close`, limits every request, and
 * follows redirects only within the same host. Throws the errors above.
 */
export function createHttpClient(limits: HttpLimits): ClosableHttpClient {
  const agents = new Map<string, http.Agent>();
  const send = async (url: URL, method: string, headers: Headers, body: Buffer | undefined) => {
    const { request } = url.protocol === 'http:' ? http : https;
    const agent = agents.get(url.origin) ?? newAgent(url, { keepAlive: true });
    agents.set(url.origin, agent);
    return receive(request(url, { method, headers, agent, signal: limits.signal }), body, limits);
  };
  let failure: Error | undefined;
  return {
    get failure() {
      return failure;
    },
    throwIfCut: () => {
      if (failure !== undefined) throw failure;
    },
    request: async ({ url, method = 'GET', headers = {}, body }) => {
      const content = body === undefined ? undefined : await collect(body);
      let target = new URL(url);
      let response = await send(target, method, headers, content);
      for (let hops = 0; isRedirect(response); hops += 1) {
        response.resume();
        target = redirectTarget(target, response, hops);
        response = await send(target, method, headers, content);
      }
      const status = response.statusCode ?? 0;
      if (status !== 200) throw await statusError(response);
      return {
        url: target.href,
        method,
        statusCode: status,
        statusMessage: response.statusMessage ?? '',
        headers: singleHeaders(response.headers),
        body: bytesOf(response, limits.maxBytes, (error) => (failure ??= error)),
      };
    },
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

type Headers = Record<string, string>;

function receive(
  request: http.ClientRequest,
  body: Buffer | undefined,
  { idleMs }: HttpLimits,
): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.setTimeout(idleMs, () => {
      request.destroy(new NetworkError(`the server sent nothing for ${idleMs / 1000} s`));
    });
    request.on('response', resolve);
    request.on('error', (error) => reject(asNetworkError(error)));
    request.end(body);
  });
}

/** Socket and TLS errors have a code; an abort is not a network error. */
function asNetworkError(error: unknown): Error {
  const code = codeOf(error);
  if (error instanceof Error && (code === undefined || code === 'ABORT_ERR')) return error;
  return new NetworkError(messageOf(error), { cause: error });
}

const isRedirect = ({ statusCode = 0, headers }: http.IncomingMessage): boolean =>
  statusCode >= 300 && statusCode < 400 && headers.location !== undefined;

function redirectTarget(from: URL, { headers }: http.IncomingMessage, hops: number): URL {
  const target = new URL(headers.location ?? '', from);
  if (target.origin === from.origin && hops < MAX_REDIRECTS) return target;
  throw new RedirectNotAllowed(`from ${from.origin} to ${target.origin}`);
}

async function statusError(response: http.IncomingMessage): Promise<HttpStatusError> {
  let body = '';
  if (/^(?:text\/plain|application\/json)\b/.test(response.headers['content-type'] ?? '')) {
    response.setEncoding('utf8');
    for await (const text of response) {
      body += text;
      if (body.length > MAX_ERROR_BODY) break;
    }
  }
  response.destroy();
  const { statusCode = 0, headers } = response;
  const seconds = Number(headers['retry-after']);
  const asked = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
  const limitedMs = rateLimitWait(statusCode, headers, body);
  return new HttpStatusError(statusCode, body, limitedMs ?? asked, limitedMs !== undefined);
}

async function* bytesOf(
  response: http.IncomingMessage,
  maxBytes: number,
  onFailure: (error: Error) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let size = 0;
  try {
    // A response stream without an encoding yields buffers.
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw new TooManyBytes(`more than ${maxBytes} bytes`);
      yield chunk;
    }
  } catch (error) {
    const failure = asNetworkError(error);
    onFailure(failure);
    throw failure;
  }
}

async function collect(body: ByteChunks): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const singleHeaders = (headers: http.IncomingHttpHeaders): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );

// The framing of git's protocol: four hexadecimal digits of length, themselves counted, then that much.

const HEADER_BYTES = 4;

export const FLUSH = Buffer.from('0000');
export const DELIMITER = Buffer.from('0001');

export function encodePktLine(text: string): Buffer {
  const content = Buffer.from(text);
  const length = (content.byteLength + HEADER_BYTES).toString(16).padStart(HEADER_BYTES, '0');
  return Buffer.concat([Buffer.from(length), content]);
}

/** The contents of the lines; flush and delimiter packets are left out. @throws {InvalidResponse} cut or malformed */
export async function* decodePktLines(chunks: ByteChunks): AsyncGenerator<Buffer, void, void> {
  let rest = Buffer.of();
  for await (const chunk of chunks) {
    rest = Buffer.concat([rest, chunk]);
    let position = 0;
    for (;;) {
      const header = rest.toString('latin1', position, position + HEADER_BYTES);
      if (header.length < HEADER_BYTES) break;
      if (!/^[\da-f]{4}$/i.test(header))
        throw new InvalidResponse("the server's response is malformed");
      const end = position + Math.max(Number.parseInt(header, 16), HEADER_BYTES);
      if (end > rest.byteLength) break;
      if (end > position + HEADER_BYTES) yield rest.subarray(position + HEADER_BYTES, end);
      position = end;
    }
    rest = rest.subarray(position);
  }
  if (rest.byteLength > 0) throw new InvalidResponse("the server's response ended early");
}

/** The same, once all of them are there. */
export async function pktLinesIn(chunks: ByteChunks): Promise<Buffer[]> {
  const lines: Buffer[] = [];
  for await (const line of decodePktLines(chunks)) lines.push(line);
  return lines;
}

import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/**
 * Sends a request and resolves when the answer begins. Node's `fetch` always gives up after five minutes
 * without an answer, and a model on a small machine may read for longer.
 */
export function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    // Node's shared agents close connections that are silent for five seconds.
    const sent = request(url, { method: 'POST', headers, agent: false, signal }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Answers that have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** `fetch` for requests that are sent with POST, as patient as its signal. It follows no redirect. */
export const patientFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  // No compression, which `fetch` would undo.
  const headers = { ...Object.fromEntries(request.headers), 'accept-encoding': 'identity' };
  // Not the signal of the request, which follows this one only until it is collected as garbage.
  const signal = init?.signal ?? request.signal;
  const answer = await post(request.url, headers, await request.text(), signal);
  const status = answer.statusCode ?? 0;
  const body = EMPTY.has(status) ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  const given = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  );
  return new Response(body, { status, headers: given });
};

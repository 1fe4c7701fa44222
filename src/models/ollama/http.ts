import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Line } from '../wire/attempt-limits.ts';

/**
 * Sends JSON and resolves with the answer as it begins. Node's `fetch` gives up after five minutes
 * without an answer, and cannot be told not to; a model on a small machine reads for longer.
 */
export function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    // The agents that Node shares out close connections that are silent for five seconds.
    const sent = request(url, { method: 'POST', headers, agent: false, signal }, resolve);
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The lines of a body, without their ends, as they come. */
export async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  line: Pick<Line, 'heard'>,
): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  for await (const bytes of body) {
    line.heard(bytes.byteLength);
    const [first = '', ...more] = decoder.decode(bytes, { stream: true }).split('\n');
    // Put together once a line has ended: a long one would be copied with each of its pieces.
    begun.push(first);
    for (const next of more) {
      yield begun.join('');
      begun = [next];
    }
  }
  yield begun.join('') + decoder.decode();
}

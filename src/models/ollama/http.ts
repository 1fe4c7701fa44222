import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

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

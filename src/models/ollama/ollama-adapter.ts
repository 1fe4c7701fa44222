import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ModelRequest } from '../../contracts/model.ts';
import { thrownBelow } from '../wire/api-fetch.ts';
import type { AttemptLimits, Line } from '../wire/attempt-limits.ts';
import { ATTEMPT_LIMITS, withinLimits } from '../wire/attempt-limits.ts';
import { attemptOf, notTheApi } from '../wire/server-error.ts';
import { nativeKey } from '../wire/native.ts';
import { linesOf } from '../wire/lines.ts';
import { ollamaMessages, ollamaTools } from './ollama-messages.ts';
import { type OllamaServer, errorOfAnswer, errorOfReply, unreachable } from './ollama-error.ts';
import { readReply } from './ollama-reply.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';

/** A small machine can read a long conversation for minutes before it writes the first word. */
const LIMITS: AttemptLimits = {
  ...ATTEMPT_LIMITS,
  totalMs: 60 * 60_000,
  silenceMs: 30 * 60_000,
  // Ollama's reader counts whole lines, not only the reply in them.
  characters: ATTEMPT_LIMITS.bytes,
};

/** How long the model stays in memory after a reply. A test run in between can take long. */
const KEEP_ALIVE = '30m';

export function ollamaAdapter(model: string, server: OllamaServer): ModelAdapter {
  const key = nativeKey('ollama', server.baseUrl, model);
  const attempted = async (request: ModelRequest, line: Line): Promise<UnpricedReply> => {
    const attempt = attemptOf(request, { model, addressSetting: 'OLLAMA_BASE_URL' });
    const body = JSON.stringify(bodyOf(model, server, key, request));
    const url = `${server.baseUrl}/api/chat`;
    const answer = await post(url, headersOf(server), body, line.signal).catch((error: unknown) => {
      throw unreachable(error, server);
    });
    if (answer.statusCode !== 200) throw await errorOfAnswer(answer, server, attempt);
    if (isPage(answer)) throw notTheApi(attempt);
    try {
      return await readReply(linesOf(answer, line.heard), request.tools, key);
    } catch (error) {
      throw thrownBelow(error) ?? errorOfReply(error, server, attempt);
    }
  };
  return {
    callsTools: true,
    imageTypes: ['image/png', 'image/jpeg'],
    contextWindow: server.context,
    reply: (request) => withinLimits(request.signal, (line) => attempted(request, line), LIMITS),
  };
}

const headersOf = ({ apiKey }: OllamaServer): Record<string, string> => ({
  'content-type': 'application/json',
  ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
});

/**
 * Without `num_ctx` the context may be as small as 4,096 tokens. Ollama silently truncates what does not
 * fit, unless both kinds of truncation are turned off.
 */
const bodyOf = (model: string, { context }: OllamaServer, key: string, request: ModelRequest) => ({
  model,
  stream: true,
  truncate: false,
  shift: false,
  keep_alive: KEEP_ALIVE,
  options: { num_ctx: context, num_predict: request.maxOutputTokens },
  ...(request.tools.length > 0 ? { tools: ollamaTools(request) } : {}),
  messages: ollamaMessages(request, key),
});

const isPage = ({ headers }: IncomingMessage): boolean =>
  headers['content-type']?.includes('html') ?? false;

/**
 * Sends JSON and resolves when the answer begins. Node's `fetch` always gives up after five minutes
 * without an answer, and a model on a small machine may read for longer.
 */
function post(
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

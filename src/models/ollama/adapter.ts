import type { IncomingMessage } from 'node:http';
import type { ModelRequest } from '../../contracts/model.ts';
import { thrownBelow } from '../wire/api-fetch.ts';
import type { AttemptLimits, Line } from '../wire/attempt-limits.ts';
import { ATTEMPT_LIMITS, withinLimits } from '../wire/attempt-limits.ts';
import { notTheApi } from '../wire/decision.ts';
import { nativeKey } from '../wire/native.ts';
import { linesOf } from '../wire/lines.ts';
import { post } from './http.ts';
import { ollamaMessages, ollamaTools } from './messages.ts';
import { type OllamaServer, refused, spoilt, unreached } from './refusal.ts';
import { readReply } from './reply.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';

/** A small machine reads a long conversation for minutes before it writes the first word. */
const LIMITS: AttemptLimits = {
  ...ATTEMPT_LIMITS,
  totalMs: 60 * 60_000,
  silenceMs: 30 * 60_000,
  // What is heard here is the line, not what it holds.
  characters: ATTEMPT_LIMITS.bytes,
};

/** How long the model stays in memory after a reply: tests of the work in between may take long. */
const KEEP_ALIVE = '30m';

export function ollamaAdapter(model: string, server: OllamaServer): ModelAdapter {
  const key = nativeKey('ollama', server.baseUrl, model);
  const attempted = async (request: ModelRequest, line: Line): Promise<UnpricedReply> => {
    const withTools = request.tools.length > 0;
    const attempt = { model, withTools, addressSetting: 'OLLAMA_BASE_URL' };
    const body = JSON.stringify(bodyOf(model, server, key, request));
    const url = `${server.baseUrl}/api/chat`;
    const answer = await post(url, headersOf(server), body, line.signal).catch((error: unknown) => {
      throw unreached(error, server);
    });
    if (answer.statusCode !== 200) throw await refused(answer, server, attempt);
    if (isPage(answer)) throw notTheApi(attempt);
    try {
      return await readReply(linesOf(answer, line.heard), request.tools, key);
    } catch (error) {
      throw thrownBelow(error) ?? spoilt(error, server, attempt);
    }
  };
  return {
    callsTools: true,
    contextWindow: server.context,
    reply: (request) => withinLimits(request.signal, (line) => attempted(request, line), LIMITS),
  };
}

const headersOf = ({ apiKey }: OllamaServer): Record<string, string> => ({
  'content-type': 'application/json',
  ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
});

/**
 * A context that is not asked for may be as small as 4,096 tokens. What does not fit is cut away, and
 * nothing says so, unless both ways of cutting are forbidden.
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

import Anthropic, {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  type ClientOptions,
} from '@anthropic-ai/sdk';
import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../../contracts/model.ts';
import { messageParams, toolParams } from './messages.ts';
import { readReply } from './reply.ts';
import { apiFetch, thrownBelow } from '../wire/api-fetch.ts';
import type { Line } from '../wire/attempt-limits.ts';
import { ATTEMPT_LIMITS, withinLimits } from '../wire/attempt-limits.ts';
import type { Attempt } from '../wire/decision.ts';
import { brokenOff, decisionOn } from '../wire/decision.ts';
import { nativeKey } from '../wire/native.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';
import { sentText } from '../wire/sent-text.ts';

export interface AnthropicServer {
  readonly apiKey: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Whether it is Anthropic's own, and not one that speaks like it. */
  readonly isAnthropic: boolean;
}

export function anthropicAdapter(model: string, server: AnthropicServer): ModelAdapter {
  const key = nativeKey('anthropic', server.baseUrl, model);
  return {
    callsTools: true,
    reply: (request) =>
      withinLimits(request.signal, (line) => attempted(model, server, key, request, line)),
  };
}

async function attempted(
  model: string,
  server: AnthropicServer,
  key: string,
  request: ModelRequest,
  line: Line,
): Promise<UnpricedReply> {
  const withTools = request.tools.length > 0;
  const attempt = { model, withTools, addressSetting: 'ANTHROPIC_BASE_URL' };
  try {
    const client = new Anthropic(clientOptions(server, apiFetch(line.fetch, attempt)));
    const events = await client.messages.create(body(model, key, request), { signal: line.signal });
    return await readReply(events, key, line);
  } catch (error) {
    throw decided(error, attempt);
  }
}

/**
 * Everything that the client would else look up in the environment is said here. The key goes as
 * `x-api-key`, which Anthropic and those who speak like it all take; the client's own way, a bearer
 * token, only some do, and they know no newer version of the API than the first.
 */
const clientOptions = (
  { apiKey, baseUrl, isAnthropic }: AnthropicServer,
  fetch: NonNullable<ClientOptions['fetch']>,
): ClientOptions => ({
  apiKey,
  baseURL: baseUrl,
  defaultHeaders: {
    'x-api-key': apiKey,
    authorization: null,
    ...(isAnthropic ? {} : { 'anthropic-version': '2023-06-01' }),
  },
  fetch,
  maxRetries: 0,
  timeout: ATTEMPT_LIMITS.totalMs,
  logLevel: 'off',
  openTelemetry: false,
});

/**
 * `cache_control` at the top marks the last block: what comes before it (tools, system prompt, the
 * conversation so far) is read from the cache by the next request. Messages stand last, so that the
 * body of one request begins with that of the one before.
 */
const body = (model: string, key: string, request: ModelRequest): MessageCreateParamsStreaming => {
  const { system, tools, messages, maxOutputTokens } = request;
  return {
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    cache_control: { type: 'ephemeral' },
    ...(tools.length > 0 ? { tools: toolParams(tools) } : {}),
    ...(system === '' ? {} : { system: sentText(system) }),
    messages: messageParams(messages, tools, key),
  };
};

function decided(error: unknown, attempt: Attempt): Error {
  const thrown = thrownBelow(error);
  if (thrown !== undefined) return thrown;
  // An error without an answer is an instance of the class of errors with one.
  const isAnswer = error instanceof APIError && !(error instanceof APIConnectionError);
  if (!isAnswer || error instanceof APIUserAbortError) return brokenOff(error);
  const { status, headers, type, errorCode, message } = error;
  const codes = [errorCode, type, SPENT.test(message) ? 'insufficient_quota' : undefined];
  return decisionOn({ status, codes, words: message, headers }, attempt, error);
}

/** A limit that an organisation set for itself: nothing in its type tells it from a bad request. */
const SPENT = /specified (workspace )?API usage limits|spend_limit_reached/i;

import Anthropic, {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  type ClientOptions,
} from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageParam,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import type { ModelRequest } from '../../contracts/model.ts';
import { messageParams, toolParams } from './anthropic-messages.ts';
import { readAnthropicReply } from './anthropic-reply.ts';
import {
  apiFetch,
  ATTEMPT_LIMITS,
  thrownBelow,
  withinAttemptLimits,
  type AttemptLimits,
  type Line,
} from '../wire/attempt-limits.ts';
import {
  attemptOf,
  connectionFailed,
  errorFor,
  type AttemptedRequest,
} from '../wire/server-error.ts';
import { ANTHROPIC_EFFORTS, Efforts, type AnthropicEffort } from '../wire/efforts.ts';
import { eventsOf } from '../wire/server-events.ts';
import { faultBelow } from '../wire/server-fault.ts';
import { Wishes, type Wish } from '../wire/wishes.ts';
import { nativeKey, sentText } from '../wire/sent-text.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';

export interface AnthropicServer {
  readonly apiKey: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Whether the server is Anthropic's own rather than a compatible one. */
  readonly isAnthropic: boolean;
  /** `ATTEMPT_LIMITS` if missing. */
  readonly limits?: AttemptLimits;
}

export function anthropicAdapter(model: string, server: AnthropicServer): ModelAdapter {
  const key = nativeKey('anthropic', server.baseUrl, model);
  const wishes = new Wishes(MESSAGE_WISHES);
  const efforts = new Efforts(ANTHROPIC_EFFORTS);
  return {
    callsTools: true,
    imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    learnt: () => wishes.learnt,
    reply: (request) =>
      withinAttemptLimits(
        request.signal,
        (line) => attempted({ model, server, key, wishes, efforts }, request, line),
        server.limits,
      ),
  };
}

interface Opened {
  readonly model: string;
  readonly server: AnthropicServer;
  /** Of the items to send back. */
  readonly key: string;
  readonly wishes: Wishes<MessageCreateParamsStreaming>;
  readonly efforts: Efforts<AnthropicEffort>;
}

async function attempted(
  opened: Opened,
  request: ModelRequest,
  line: Line,
): Promise<UnpricedReply> {
  const { model, server, key, wishes, efforts } = opened;
  const effort = efforts.valueOf(request.effort);
  const attempt = attemptOf(request, { model, addressSetting: 'ANTHROPIC_BASE_URL' });
  try {
    const client = new Anthropic(clientOptions(server, apiFetch(line.fetch, attempt, 'any')));
    const { signal } = line;
    const answer = await client.messages
      .create(body(opened, request, effort), { signal })
      .asResponse();
    // The client drops events without a name, and fails at those without data. `line.fetch` counts the bytes.
    const events = eventsOf<RawMessageStreamEvent>(answer, () => undefined);
    return await readAnthropicReply(events, key, line, attempt);
  } catch (error) {
    const isLearnt = error instanceof Error && wishes.learn(error) === 'learnt';
    const isOther = error instanceof APIError && efforts.rejects(effort, error);
    if (isLearnt || isOther) return attempted(opened, request, line);
    throw decided(error, attempt);
  }
}

/**
 * Sets everything that the client would otherwise read from the environment. The key is sent as
 * `x-api-key`, which Anthropic and all compatible servers accept. Only some accept the client's default,
 * a bearer token. Compatible servers know only the first version of the API.
 */
const clientOptions = (
  { apiKey, baseUrl, isAnthropic, limits = ATTEMPT_LIMITS }: AnthropicServer,
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
  timeout: limits.totalMs,
  logLevel: 'off',
  openTelemetry: false,
});

/**
 * `cache_control` at the top level marks the last block: the next request reads everything before it
 * (tools, system prompt, conversation) from the cache. Messages come last, so that each request's body
 * begins with the one before.
 */
function body(
  { model, key, wishes }: Opened,
  { system, tools, messages, maxOutputTokens }: ModelRequest,
  effort: AnthropicEffort | undefined,
): MessageCreateParamsStreaming {
  return wishes.fulfilled({
    model,
    max_tokens: maxOutputTokens,
    stream: true,
    cache_control: { type: 'ephemeral' },
    ...thinkingOf(effort, maxOutputTokens),
    ...(tools.length > 0 ? { tools: toolParams(tools) } : {}),
    ...(system === '' ? {} : { system: sentText(system) }),
    messages: messageParams(messages, tools, key, wishes.holds('thinking of every reply')),
  });
}

/** A budget is part of the reply, and is at least 1,024 tokens. */
const LEAST_BUDGET = 1_024;

function thinkingOf(
  { effort, isAdaptive, budget }: AnthropicEffort = {},
  maxOutputTokens: number,
): Pick<MessageCreateParamsStreaming, 'output_config' | 'thinking'> {
  const tokens = Math.min(budget ?? 0, Math.floor(maxOutputTokens / 2));
  return {
    ...(effort === undefined ? {} : { output_config: { effort } }),
    ...(isAdaptive === true ? { thinking: { type: 'adaptive' } } : {}),
    ...(tokens < LEAST_BUDGET ? {} : { thinking: { type: 'enabled', budget_tokens: tokens } }),
  };
}

function decided(error: unknown, attempt: AttemptedRequest): Error {
  const thrown = thrownBelow(error);
  if (thrown !== undefined) return thrown;
  const fault = faultBelow(error);
  if (fault !== undefined) {
    const { status, code, type, message: words, headers } = fault;
    return errorFor({ status, codes: [code, type], words, headers }, attempt, error);
  }
  // The SDK's class for errors without an answer extends its class for errors with one.
  const isAnswer = error instanceof APIError && !(error instanceof APIConnectionError);
  if (!isAnswer || error instanceof APIUserAbortError) return connectionFailed(error);
  const { status, headers, type, errorCode, message } = error;
  const codes = [errorCode, type, SPENT.test(message) ? 'insufficient_quota' : undefined];
  return errorFor({ status, codes, words: message, headers }, attempt, error);
}

/** A spending limit that an organisation set. Its error type is the same as a bad request's. */
const SPENT = /specified (workspace )?API usage limits|spend_limit_reached/i;

// What servers of the Messages API want of the messages that they are sent, learnt from their errors.

const MESSAGE_WISHES: readonly Wish<MessageCreateParamsStreaming>[] = [
  {
    name: 'thinking of every reply',
    source:
      'DeepSeek (NousResearch/hermes-agent PR#17510, leookun/cursor-byok PR#276), Kimi (VicBilibily/GCMP#162), Fireworks (anomalyco/opencode PR#44713, earendil-works/pi#4464)',
    said: /thinking\W{0,3} in the thinking mode must be passed back|reasoning.content\W{0,3} is missing/i,
    fulfil: (body) => ({ ...body, messages: body.messages.map(withThinking) }),
  },
];

/** Its signature is that of no server: those that want thinking back without one check none. */
const NO_THINKING: ContentBlockParam = { type: 'thinking', thinking: ' ', signature: '' };

function withThinking(message: MessageParam): MessageParam {
  const { role, content } = message;
  if (role !== 'assistant' || typeof content === 'string') return message;
  const hasThinking = content.some(({ type }) => type.endsWith('thinking'));
  return hasThinking ? message : { role, content: [NO_THINKING, ...content] };
}

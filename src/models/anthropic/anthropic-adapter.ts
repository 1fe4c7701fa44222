import Anthropic, {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  type ClientOptions,
} from '@anthropic-ai/sdk';
import type {
  ContentBlock,
  ContentBlockParam,
  MessageCreateParamsStreaming,
  MessageDeltaUsage,
  MessageParam,
  RawContentBlockDelta,
  RawMessageStreamEvent,
  Usage as WireUsage,
} from '@anthropic-ai/sdk/resources/messages';
import type { Call, ModelReply, ModelRequest, Usage } from '../../contracts/model.ts';
import { isBlank, messageParams, replyBlocks, toolParams } from './anthropic-messages.ts';
import {
  apiFetch,
  ATTEMPT_LIMITS,
  thrownBelow,
  withinAttemptLimits,
  type AttemptLimits,
  type LimitedAttempt,
} from '../wire/attempt-limits.ts';
import {
  attemptOf,
  connectionFailed,
  errorFor,
  notAStream,
  replyEndedEarly,
  type AttemptedRequest,
} from '../wire/server-error.ts';
import {
  ANTHROPIC_EFFORTS,
  Efforts,
  Wishes,
  type AnthropicEffort,
  type Wish,
} from '../wire/learnt-from-errors.ts';
import { eventsOf } from '../wire/server-events.ts';
import { faultBelow } from '../wire/server-fault.ts';
import { nativeKey, nativeOf, sentId, sentText } from '../wire/sent-text.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';
import { randomUUID } from 'node:crypto';
import { readArguments } from '../wire/calls.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';

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

interface OpenedModel {
  readonly model: string;
  readonly server: AnthropicServer;
  /** Of the items to send back. */
  readonly key: string;
  readonly wishes: Wishes<MessageCreateParamsStreaming>;
  readonly efforts: Efforts<AnthropicEffort>;
}

async function attempted(
  opened: OpenedModel,
  request: ModelRequest,
  line: LimitedAttempt,
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
  { model, key, wishes }: OpenedModel,
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

/** A block that is still arriving; `json` is the text of a call's arguments. */
interface Draft {
  readonly block: ContentBlock;
  json: string;
}

/** A block as it will be sent back, and the call in it. */
interface FinishedBlock {
  readonly block: ContentBlock;
  readonly call?: Call;
}

/**
 * Assembles a reply from its events.
 * @throws {TryLater} if they end without `message_stop` and without a reason for the end
 * @throws {TellPerson} if the reply is too long, or came whole instead of as events
 */
async function readAnthropicReply(
  events: AsyncIterable<RawMessageStreamEvent>,
  key: string,
  line: LimitedAttempt,
  attempt: AttemptedRequest,
): Promise<UnpricedReply> {
  const drafts: Draft[] = [];
  const byIndex = new Map<number, Draft>();
  let counts: Counts = {};
  let stop: string | null = null;
  let ended = false;
  for await (const event of events) {
    if (isWholeMessage(event)) throw notAStream(attempt);
    if (event.type === 'message_start') counts = updated(counts, event.message.usage);
    else if (event.type === 'content_block_start') {
      // A repeated index starts another block: some servers give all calls the same index.
      const draft = { block: { ...event.content_block }, json: '' };
      drafts.push(draft);
      byIndex.set(event.index, draft);
    } else if (event.type === 'content_block_delta') {
      line.heard(Object.values(event.delta).join('').length);
      add(event.delta, byIndex.get(event.index));
    } else if (event.type === 'message_delta') {
      counts = updated(counts, event.usage);
      stop = event.delta?.stop_reason ?? stop;
    } else if (event.type === 'message_stop') {
      ended = true;
      break;
    }
  }
  // Some servers close the stream behind the reason for the end.
  if (!ended && stop === null) throw replyEndedEarly();
  const finals = drafts.map(finished);
  const parts = partsOf(finals);
  const ending = stopOf(stop);
  const native = nativeOf(ending, key, opaqueIn(finals, parts));
  return { ...parts, stop: ending, usage: usageOf(counts), native };
}

const isWholeMessage = ({ type }: { readonly type: string }): boolean => type === 'message';

function add(delta: RawContentBlockDelta, draft: Draft | undefined): void {
  if (draft === undefined) return;
  const { block } = draft;
  if (delta.type === 'input_json_delta') draft.json += delta.partial_json;
  else if (delta.type === 'text_delta' && block.type === 'text') block.text += delta.text;
  else if (block.type !== 'thinking') return;
  else if (delta.type === 'thinking_delta') block.thinking += delta.thinking;
  else if (delta.type === 'signature_delta') block.signature = delta.signature;
}

/** Invalid arguments are sent back as `{}`: the API accepts only objects. */
function finished({ block, json }: Draft): FinishedBlock {
  if (block.type !== 'tool_use') return { block };
  const read = readArguments(json === '' ? block.input : json);
  const id = block.id ? sentId(block.id) : `toolu_${randomUUID()}`;
  const input = read.fault === undefined ? read.arguments : {};
  return { block: { ...block, id, input }, call: { tool: String(block.name), ...read, id } };
}

type ReplyContent = Pick<UnpricedReply, 'text' | 'reasoning' | 'calls'>;

const partsOf = (finals: readonly FinishedBlock[]): ReplyContent => ({
  text: finals.map(({ block }) => (block.type === 'text' ? block.text : '')).join(''),
  reasoning: finals.map(({ block }) => (block.type === 'thinking' ? block.thinking : '')).join(''),
  calls: finals.flatMap(({ call }) => call ?? []),
});

/** The blocks to send back, if they contain more than can be rebuilt. */
function opaqueIn(
  finals: readonly FinishedBlock[],
  { text, calls }: ReplyContent,
): ContentBlock[] | null {
  // The API does not accept blank text, even its own.
  const blocks = finals
    .map(({ block }) => block)
    .filter((block) => block.type !== 'text' || !isBlank(block.text));
  return JSON.stringify(blocks) === JSON.stringify(replyBlocks(text, calls)) ? null : blocks;
}

/** Token counts by their wire names. Later events carry running totals, which replace earlier ones. */
type Counts = Readonly<Partial<Record<(typeof COUNTED)[number] | 'thinking_tokens', unknown>>>;

const COUNTED = [
  'input_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
  'output_tokens',
] as const;

function updated(counts: Counts, usage: WireUsage | MessageDeltaUsage | undefined): Counts {
  const later = COUNTED.map((name) => [name, usage?.[name] ?? counts[name]] as const);
  const thinking = usage?.output_tokens_details?.thinking_tokens ?? counts.thinking_tokens;
  return { ...Object.fromEntries(later), thinking_tokens: thinking };
}

function usageOf(counts: Counts): Usage {
  const cached = tokenCount(counts.cache_read_input_tokens);
  const written = tokenCount(counts.cache_creation_input_tokens);
  return coherent({
    input: tokenCount(counts.input_tokens) + cached + written,
    cached,
    written,
    output: tokenCount(counts.output_tokens),
    reasoning: tokenCount(counts.thinking_tokens),
  });
}

/**
 * `pause_turn` occurs between calls of server-side tools, which we never use. The reply is incomplete, so
 * it counts as cut and the model is asked to continue.
 */
function stopOf(reason: string | null): ModelReply['stop'] {
  if (reason === 'refusal') return 'filtered';
  return CUT.has(reason ?? '') ? 'cut' : 'end';
}

const CUT = new Set(['max_tokens', 'model_context_window_exceeded', 'pause_turn']);

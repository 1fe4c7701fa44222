import type OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources';
import type { ModelRequest } from '../../contracts/model.ts';
import type { LimitedAttempt } from '../wire/attempt-limits.ts';
import { ChatReply, type ChatChunk } from './chat-reply.ts';
import { chatMessage, chatTools, opaqueNames } from './chat-request.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';
import { faultBelow, saysUnreadable } from '../wire/server-fault.ts';
import { cacheName, nativeKey, sentText } from '../wire/sent-text.ts';
import { OpenAIServer, type OpenAIEndpoint, type OutgoingRequest } from './openai-server.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';
import { createHash } from 'node:crypto';
import { fieldsOf } from '../wire/token-count.ts';
import type { Wish } from '../wire/learnt-from-errors.ts';

/** Chat Completions, always streamed: the API that most compatible servers implement. */
export function chatCompletions(endpoint: OpenAIEndpoint): ModelAdapter {
  const server = new OpenAIServer<ChatBody>(endpoint, CHAT_WISHES);
  const key = nativeKey('chat', endpoint.baseUrl, endpoint.model);
  const conversation = ({ messages }: ModelRequest) => {
    const sent = messages.flatMap((message) => chatMessage(message, key));
    const opaque = opaqueNames(sent);
    const isTaken = opaque.every((name) => server.optional.allows(name));
    if (isTaken) return { sent, opaque };
    return { sent: messages.flatMap((message) => chatMessage(message, undefined)), opaque: [] };
  };
  return {
    callsTools: true,
    imageTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    learnt: () => server.learnt,
    reply: (request) =>
      server
        .ask(
          request,
          () => outgoing(server, request, conversation(request)),
          (events: AsyncIterable<ChatChunk>, line, isDone) =>
            collected(events, line, isDone, new ChatReply(key, request.tools)),
        )
        .catch((error: unknown) => {
          if (saysUnreadable(faultBelow(error)?.message ?? '')) return UNREADABLE;
          throw error;
        }),
  };
}

/** A reply that the server itself could not read: the model is asked again, like after any faulty one. */
const UNREADABLE: UnpricedReply = {
  text: '',
  reasoning: '',
  calls: [],
  stop: 'end',
  usage: NO_USAGE,
  native: null,
};

interface Conversation {
  readonly sent: readonly ChatCompletionMessageParam[];
  /** The names of the extra fields in it. */
  readonly opaque: readonly string[];
}

function outgoing(
  server: OpenAIServer<ChatBody>,
  request: ModelRequest,
  { sent, opaque }: Conversation,
): OutgoingRequest<ChatBody> {
  const extras = optionalParameters(server, request);
  const tools = chatTools(request.tools);
  const effort = server.efforts.valueOf(request.effort);
  return {
    path: 'chat/completions',
    body: {
      model: server.endpoint.model,
      messages: [{ role: 'system', content: sentText(request.system) }, ...sent],
      ...(tools.length > 0 ? { tools } : {}),
      stream: true,
      ...(effort === undefined ? {} : { reasoning_effort: effort as OpenAI.ReasoningEffort }),
      ...extras,
    },
    sent: [...Object.keys(extras), ...opaque],
    effort,
  };
}

/** OpenAI renamed the output limit. Most other servers know the old name, or both. */
function optionalParameters(
  { optional, endpoint: { isOpenAI } }: OpenAIServer<ChatBody>,
  { maxOutputTokens, cacheKey }: ModelRequest,
): Partial<ChatBody> {
  const names = ['max_completion_tokens', 'max_tokens'];
  const limit = (isOpenAI ? names : names.toReversed()).find((name) => optional.allows(name));
  return optional.allowed({
    stream_options: { include_usage: true },
    ...(limit === undefined ? {} : { [limit]: maxOutputTokens }),
    ...(isOpenAI ? { prompt_cache_key: cacheName(cacheKey) } : {}),
  });
}

async function collected(
  chunks: AsyncIterable<ChatChunk>,
  line: LimitedAttempt,
  isDone: () => boolean,
  reply: ChatReply,
): Promise<UnpricedReply | undefined> {
  for await (const chunk of chunks) {
    line.heard(JSON.stringify(chunk.choices?.[0]?.delta ?? '').length);
    reply.add(chunk);
  }
  return reply.reply(isDone());
}

// What servers of Chat Completions want of the messages and tools that they are sent. No model's name decides: each wish is
// learnt from the error that a server sends. `test/models/wishes.test.ts` has a server for each.

export type ChatBody = OpenAI.ChatCompletionCreateParamsStreaming;

export const CHAT_WISHES: readonly Wish<ChatBody>[] = [
  {
    name: 'reasoning of every reply',
    source:
      'DeepSeek V4 (openclaw/openclaw#73417, NousResearch/hermes-agent PR#18263), Kimi (MoonshotAI/kimi-cli#2141, anomalyco/opencode#10996)',
    said: /reasoning.content\W{0,3} (?:field )?(?:in the thinking mode must be passed back|is missing)|missing \W?reasoning_content/i,
    fulfil: (body) => withMessages(body, (messages) => messages.map(withReasoning)),
  },
  {
    name: 'a reply between results and the next message',
    source: 'Mistral (NousResearch/hermes-agent#20154, zed-industries/zed#37021)',
    said: /unexpected role \W?user\W? after role \W?tool/i,
    fulfil: (body) => withMessages(body, (messages) => messages.flatMap(withReplyBefore)),
  },
  {
    name: 'ids of nine letters and digits',
    source: 'Mistral (anomalyco/opencode#1680, karthink/gptel#1203), mlx-lm#1375, jundot/omlx#1997',
    said: /tool.call.ids?\b.{0,120}\b(?:length of 9|length >= 9|9 characters)/is,
    fulfil: (body) => withMessages(body, (messages) => messages.map(withShortIds)),
  },
  {
    name: 'schemas that a grammar can be made of',
    source:
      'llama.cpp (ggml-org/llama.cpp#25895, #26596, #26930, openclaw/openclaw#107430), LM Studio (NousResearch/hermes-agent PR#67349)',
    said: /(?:pars\w{1,4}|initiali\w{1,4}|compil\w{1,4}|build\w{0,3}) (?:the )?grammar|json.schema.(?:to.grammar|conversion)|pattern must start with/i,
    fulfil: (body) =>
      body.tools === undefined ? body : { ...body, tools: body.tools.map(withPlainSchema) },
    isOfTools: true,
  },
];

const withMessages = (
  body: ChatBody,
  change: (messages: readonly ChatCompletionMessageParam[]) => ChatCompletionMessageParam[],
): ChatBody => ({ ...body, messages: change(body.messages) });

/** DeepSeek does not accept an empty one (NousResearch/hermes-agent PR#17341). */
const NO_REASONING = ' ';

function withReasoning(message: ChatCompletionMessageParam): ChatCompletionMessageParam {
  if (message.role !== 'assistant') return message;
  const { reasoning_content: own, reasoning } = fieldsOf(message);
  const given = [own, reasoning].find((text) => typeof text === 'string' && text !== '');
  // The field is not part of OpenAI's API.
  return { ...message, reasoning_content: given ?? NO_REASONING } as ChatCompletionMessageParam;
}

/** What the model says after the results of its calls, if a message of ours follows them. */
const ACKNOWLEDGED = 'I have read the results.';

function withReplyBefore(
  message: ChatCompletionMessageParam,
  index: number,
  all: readonly ChatCompletionMessageParam[],
): ChatCompletionMessageParam[] {
  const isBehindResult = message.role === 'user' && all[index - 1]?.role === 'tool';
  return isBehindResult ? [{ role: 'assistant', content: ACKNOWLEDGED }, message] : [message];
}

function withShortIds(message: ChatCompletionMessageParam): ChatCompletionMessageParam {
  if (message.role === 'tool') return { ...message, tool_call_id: shortId(message.tool_call_id) };
  if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
  return {
    ...message,
    tool_calls: message.tool_calls.map((call) => ({ ...call, id: shortId(call.id) })),
  };
}

const shortId = (id: string): string =>
  /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);

type Tool = NonNullable<ChatBody['tools']>[number];

const withPlainSchema = (tool: Tool): Tool =>
  tool.type === 'function'
    ? {
        ...tool,
        function: { ...tool.function, parameters: fieldsOf(plainSchema(tool.function.parameters)) },
      }
    : tool;

/** The keywords that hold a schema, those that hold several, and those that every grammar knows. */
const NESTED = new Set(['items', 'additionalProperties', 'not']);
const LISTED = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const NAMED = new Set(['properties', '$defs', 'definitions']);
const PLAIN = new Set([
  'type',
  'description',
  'title',
  'enum',
  'const',
  'required',
  'default',
  '$ref',
]);

/** A schema without patterns, formats and bounds. The tools check their arguments by their own schemas. */
function plainSchema(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (PLAIN.has(keyword)) return [[keyword, value]];
    if (NESTED.has(keyword)) return [[keyword, plainSchema(value)]];
    if (LISTED.has(keyword) && Array.isArray(value)) return [[keyword, value.map(plainSchema)]];
    if (!NAMED.has(keyword)) return [];
    const named = Object.entries(fieldsOf(value)).map(([name, one]) => [name, plainSchema(one)]);
    return [[keyword, Object.fromEntries(named)]];
  });
  return Object.fromEntries(entries);
}

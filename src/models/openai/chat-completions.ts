import type OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources';
import type { ModelRequest } from '../../contracts/model.ts';
import type { Line } from '../wire/attempt-limits.ts';
import { type ChatChunk, ChatReply } from './chat-reply.ts';
import { chatMessage, chatTools, opaqueNames } from './chat-request.ts';
import { CHAT_WISHES, type ChatBody } from './chat-wishes.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';
import { saysUnreadable } from '../wire/error-phrases.ts';
import { nativeKey, cacheName, sentText } from '../wire/sent-text.ts';
import { faultBelow } from '../wire/server-fault.ts';
import { type OpenAIEndpoint, type Outgoing, OpenAIServer } from './openai-server.ts';
import type { ModelAdapter, UnpricedReply } from '../provider.ts';

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
): Outgoing<ChatBody> {
  const extras = optionalParameters(server, request);
  const tools = chatTools(request);
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
  line: Line,
  isDone: () => boolean,
  reply: ChatReply,
): Promise<UnpricedReply | undefined> {
  for await (const chunk of chunks) {
    line.heard(JSON.stringify(chunk.choices?.[0]?.delta ?? '').length);
    reply.add(chunk);
  }
  return reply.reply(isDone());
}

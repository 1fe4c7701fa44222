// OpenAI's Responses API.
import { z } from 'zod';
import type { Message } from '../../../../../src/contracts/model.ts';
import { KEY, errorBody, TOOLS_UNSUPPORTED } from './open-ai-errors.ts';
import {
  assistant,
  callOf,
  Content,
  result,
  textOf,
  textsOf,
  user,
  withResultsJoined,
} from './parts.ts';
import { frames, opaque, reasoningId } from './responses-output.ts';
import type { Wire, WireRequest } from './wire.ts';

const Item = z.looseObject({
  type: z
    .enum(['message', 'reasoning', 'function_call', 'function_call_output'])
    .default('message'),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: Content,
  id: z.string().nullish(),
  summary: z.array(z.looseObject({ text: z.string() })).optional(),
  encrypted_content: z.string().nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  output: Content,
});
type Item = z.output<typeof Item>;

const Body = z.looseObject({
  model: z.string(),
  instructions: z.string().nullish(),
  input: z.union([z.string(), z.array(Item).min(1)]),
  tools: z.array(z.unknown()).nullish(),
  include: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
  prompt_cache_key: z.string().nullish(),
});

const SEALED = 'reasoning.encrypted_content';

function parse(body: unknown): WireRequest {
  const { model, instructions, input, tools, ...options } = Body.parse(body);
  const items = typeof input === 'string' ? [Item.parse({ role: 'user', content: input })] : input;
  const ofSystem = items.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    model,
    system: [instructions ?? '', ...ofSystem.map(({ content }) => textOf(content))]
      .filter((text) => text !== '')
      .join('\n\n'),
    messages: withResultsJoined(withRepliesJoined(items.flatMap(messagesOf))),
    hasTools: (tools ?? []).length > 0,
    prompt: [tools ?? [], instructions ?? '', items],
    cacheKey: options.prompt_cache_key ?? undefined,
    streams: options.stream === true,
    wants: new Set(options.include?.includes(SEALED) ? ['cache', 'seal'] : ['cache']),
  };
}

function messagesOf(item: Item): Message[] {
  switch (item.type) {
    case 'reasoning': {
      const { id, summary, encrypted_content: sealed } = item;
      return [assistant('', [], { id, summary, encrypted_content: sealed })];
    }
    case 'function_call':
      return [assistant('', [callOf(item.call_id, item.name ?? '', item.arguments ?? '')])];
    case 'function_call_output':
      return [result(item.call_id ?? '', textOf(item.output))];
    case 'message':
      if (item.role === 'user') return textsOf(item.content).map(user);
      return item.role === 'assistant' ? [assistant(textOf(item.content), [])] : [];
    default:
      return item.type satisfies never;
  }
}

/** Merges the items of one reply (reasoning, text and calls) into one message. */
function withRepliesJoined(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role !== 'assistant' || last?.role !== 'assistant') joined.push(message);
    else
      joined.splice(-1, 1, {
        role: 'assistant',
        text: last.text + message.text,
        calls: [...last.calls, ...message.calls],
        native: last.native ?? message.native,
      });
  }
  return joined;
}

export const responses: Wire = {
  name: 'responses',
  // The paths of OpenAI and Azure.
  routes: ['/v1/responses', '/openai/v1/responses'],
  contentType: 'text/event-stream',
  key: KEY,
  parse,
  opaque,
  frames,
  errors: {
    toolsUnsupported: () => TOOLS_UNSUPPORTED,
    tooLong: () => ({
      status: 400,
      message:
        'Your input exceeds the context window of this model. Please adjust your input and try again.',
      code: 'context_length_exceeded',
    }),
    reasoningLost: ({ callId, reasoning }) => ({
      status: 400,
      message: `Item 'fc_${callId}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoningId(reasoning)}'.`,
    }),
  },
  errorBody,
};

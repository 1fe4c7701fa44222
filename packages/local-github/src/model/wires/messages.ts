// Anthropic's Messages API.
import { z } from 'zod';
import type { Message } from '../../../../../src/contracts/model.ts';
import {
  assistant,
  Content,
  hasKeyIn,
  piecesOf,
  result,
  serverSent,
  textOf,
  user,
  withResultsJoined,
} from './parts.ts';
import type { Answer, Frames, Problem, Reasoning, Wire, WireCall, WireRequest } from './wire.ts';

const Block = z
  .looseObject({
    type: z.enum(['text', 'image', 'thinking', 'tool_use', 'tool_result']),
    text: z.string().optional(),
    thinking: z.string().optional(),
    signature: z.string().optional(),
    id: z.string().optional(),
    name: z.string().optional(),
    input: z.unknown().optional(),
    tool_use_id: z.string().optional(),
    content: Content,
    is_error: z.boolean().optional(),
  })
  .refine(({ type, text }) => type !== 'text' || text !== '', {
    error: 'text content blocks must be non-empty',
  });
type Block = z.output<typeof Block>;

const Turn = z.looseObject({
  /** `system`: Claude Code has such messages among the others. */
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string().min(1), z.array(Block).min(1)]),
});

const Body = z.looseObject({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: Content,
  messages: z.array(Turn).min(1),
  tools: z.array(z.unknown()).optional(),
  stream: z.boolean().optional(),
});

function parse(body: unknown): WireRequest {
  const { model, system, messages, tools, stream } = Body.parse(body);
  return {
    model,
    system: textOf(system),
    messages: withResultsJoined(messages.flatMap(messagesOf)),
    hasTools: (tools ?? []).length > 0,
    prompt: [tools ?? [], system ?? '', messages].map(withoutMarks),
    cacheKey: undefined,
    streams: stream === true,
    wants: new Set(JSON.stringify(body).includes('"cache_control"') ? ['cache'] : []),
  };
}

/** Cache markers are not part of the cached prompt. */
const withoutMarks = (part: unknown): unknown =>
  JSON.parse(JSON.stringify(part), (key, value) => (key === 'cache_control' ? undefined : value));

function messagesOf({ role, content }: z.output<typeof Turn>): Message[] {
  const blocks: readonly Block[] =
    typeof content === 'string' ? [Block.parse({ type: 'text', text: content })] : content;
  if (role !== 'assistant')
    return blocks.map((block) =>
      block.type === 'tool_result'
        ? result(block.tool_use_id ?? '', textOf(block.content), block.is_error !== true)
        : user(block.text ?? ''),
    );
  const calls = blocks.filter(({ type }) => type === 'tool_use');
  return [
    assistant(
      blocks.map(({ text }) => text ?? '').join(''),
      calls.map(({ id = '', name = '', input }) => ({ id, tool: name, arguments: input })),
      thinkingOf(blocks),
    ),
  ];
}

function thinkingOf(blocks: readonly Block[]): unknown {
  const block = blocks.find(({ type }) => type === 'thinking');
  return block && { thinking: block.thinking, signature: block.signature };
}

const opaque = ({ text, seal }: Reasoning) => ({ thinking: text, signature: seal });

/** `input_tokens` excludes tokens that were read from the cache or written to it. */
function usageOf({ usage }: Answer, { wants }: WireRequest) {
  const cachable = wants.has('cache') ? usage.input : 0;
  return {
    input_tokens: usage.input - cachable,
    cache_creation_input_tokens: cachable - usage.cached,
    cache_read_input_tokens: usage.cached,
  };
}

function frames(answer: Answer, request: WireRequest): Frames {
  const { id, model, reasoning, text, calls, usage } = answer;
  const message = {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usageOf(answer, request), output_tokens: 1 },
  };
  const blocks = [
    ...(reasoning === undefined ? [] : [thinking(reasoning)]),
    ...(text === '' ? [] : [spoken(text)]),
    ...calls.map(called),
  ];
  const over = {
    delta: { stop_reason: stopOf(answer), stop_sequence: null },
    usage: { ...usageOf(answer, request), output_tokens: usage.output },
  };
  return {
    content: [
      event('message_start', { message }),
      event('ping', {}),
      ...blocks.flatMap((block, index) => blockEvents(block, index)),
    ],
    end: [event('message_delta', over), event('message_stop', {})],
  };
}

const event = (type: string, more: object): string => serverSent({ type, ...more }, type);

interface Streamed {
  readonly begun: object;
  readonly deltas: readonly object[];
}

const thinking = ({ text, seal }: Reasoning): Streamed => ({
  begun: { type: 'thinking', thinking: '', signature: '' },
  deltas: [
    ...piecesOf(text).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
    { type: 'signature_delta', signature: seal },
  ],
});

const spoken = (text: string): Streamed => ({
  begun: { type: 'text', text: '', citations: null },
  deltas: piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece })),
});

const called = ({ id, tool, json }: WireCall): Streamed => ({
  begun: { type: 'tool_use', id, name: tool, input: {} },
  deltas: piecesOf(json).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
});

const blockEvents = ({ begun, deltas }: Streamed, index: number): readonly string[] => [
  event('content_block_start', { index, content_block: begun }),
  ...deltas.map((delta) => event('content_block_delta', { index, delta })),
  event('content_block_stop', { index }),
];

function stopOf({ isCut, calls }: Answer): string {
  if (isCut) return 'max_tokens';
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

const ERROR_TYPES = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [529, 'overloaded_error'],
]);

const errorBody = ({ status, message }: Problem) => ({
  type: 'error',
  error: {
    type: ERROR_TYPES.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error'),
    message,
  },
  request_id: null,
});

export const messages: Wire = {
  name: 'messages',
  routes: ['/v1/messages'],
  contentType: 'text/event-stream',
  key: {
    isGiven: hasKeyIn('x-api-key'),
    missing: { status: 401, message: 'x-api-key header is required' },
  },
  parse,
  opaque,
  frames,
  errors: {
    toolsUnsupported: (model) => ({
      status: 400,
      message: `tools: tool use is not supported by the model ${model}`,
    }),
    tooLong: (tokens, limit) => ({
      status: 400,
      message: `prompt is too long: ${tokens} tokens > ${limit} maximum`,
    }),
    reasoningLost: ({ index }) => ({
      status: 400,
      message: `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`tool_use\`, or a \`thinking\` block that was changed. A final \`assistant\` message must start with its thinking block as it came.`,
    }),
  },
  errorBody,
};

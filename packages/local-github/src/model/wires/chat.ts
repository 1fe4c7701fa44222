// Chat Completions, the API of OpenAI and of all compatible servers.
import { z } from 'zod';
import type { Message } from '../../../../../src/contracts/model.ts';
import { KEY, errorBody, TOOLS_UNSUPPORTED } from './open-ai-errors.ts';
import {
  assistant,
  callOf,
  Content,
  piecesOf,
  result,
  serverSent,
  textOf,
  textsOf,
  user,
  withResultsJoined,
} from './parts.ts';
import type { Answer, Frames, Reasoning, Wire, WireCall, WireRequest } from './wire.ts';

const ToolCall = z.looseObject({
  id: z.string(),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
  extra_content: z.unknown().optional(),
});

const ChatMessage = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: Content,
  tool_calls: z.array(ToolCall).nullish(),
  tool_call_id: z.string().optional(),
});

const Body = z.looseObject({
  model: z.string(),
  messages: z.array(ChatMessage).min(1),
  tools: z.array(z.unknown()).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  prompt_cache_key: z.string().nullish(),
});

function parse(body: unknown): WireRequest {
  const { model, messages, tools, ...options } = Body.parse(body);
  const ofSystem = messages.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    model,
    system: ofSystem.map(({ content }) => textOf(content)).join('\n\n'),
    messages: withResultsJoined(messages.flatMap(messagesOf)),
    hasTools: (tools ?? []).length > 0,
    prompt: [tools ?? [], messages],
    cacheKey: options.prompt_cache_key ?? undefined,
    streams: options.stream === true,
    wants: new Set(options.stream_options?.include_usage ? ['cache', 'usage'] : ['cache']),
  };
}

function messagesOf(message: z.output<typeof ChatMessage>): Message[] {
  const { role, content, tool_calls: calls, tool_call_id: id } = message;
  if (role === 'user') return textsOf(content).map(user);
  if (role === 'tool') return [result(id ?? '', textOf(content))];
  if (role !== 'assistant') return [];
  const read = (calls ?? []).map((call) =>
    callOf(call.id, call.function.name, call.function.arguments),
  );
  return [assistant(textOf(content), read, calls?.[0]?.extra_content)];
}

/** As in Gemini's version of this API: the first call has the thought's signature. */
const opaque = ({ seal }: Reasoning) => ({ google: { thought_signature: seal } });

function toolCall({ reasoning }: Answer, { id, tool, json }: WireCall, index: number) {
  const extra = index === 0 && reasoning !== undefined ? { extra_content: opaque(reasoning) } : {};
  return { id, type: 'function', function: { name: tool, arguments: json }, ...extra };
}

function finishOf({ isCut, calls }: Answer): string {
  if (isCut) return 'length';
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

const usageOf = ({ usage: { input, cached, output, reasoning } }: Answer) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

const headOf = ({ id, model, created }: Answer, object: string) => ({
  id: `chatcmpl-${id}`,
  object,
  created: Math.floor(created.getTime() / 1000),
  model,
});

function frames(answer: Answer, { wants }: WireRequest): Frames {
  const head = headOf(answer, 'chat.completion.chunk');
  const delta = (said: object, finish: string | null = null): string =>
    serverSent({
      ...head,
      choices: [{ index: 0, delta: said, logprobs: null, finish_reason: finish }],
    });
  const thought = piecesOf(answer.reasoning?.text ?? '');
  return {
    content: [
      delta({ role: 'assistant', content: '' }),
      ...thought.map((piece) => delta({ reasoning_content: piece })),
      ...piecesOf(answer.text).map((piece) => delta({ content: piece })),
      ...callDeltas(answer).map((call) => delta({ tool_calls: [call] })),
    ],
    end: [
      delta({}, finishOf(answer)),
      ...(wants.has('usage') ? [serverSent({ ...head, choices: [], usage: usageOf(answer) })] : []),
      'data: [DONE]\n\n',
    ],
  };
}

const callDeltas = (answer: Answer): object[] =>
  answer.calls.flatMap((call, index) => [
    { index, ...toolCall(answer, { ...call, json: '' }, index) },
    ...piecesOf(call.json).map((piece) => ({ index, function: { arguments: piece } })),
  ]);

function whole(answer: Answer) {
  const calls = answer.calls.map((call, index) => toolCall(answer, call, index));
  const message = {
    role: 'assistant',
    content: answer.text,
    refusal: null,
    ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning.text }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...headOf(answer, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }],
    usage: usageOf(answer),
  };
}

export const chat: Wire = {
  name: 'chat',
  // The paths of OpenAI, Azure and GitHub Models.
  routes: ['/v1/chat/completions', '/openai/v1/chat/completions', '/inference/chat/completions'],
  contentType: 'text/event-stream',
  key: KEY,
  parse,
  opaque,
  frames,
  whole,
  errors: {
    toolsUnsupported: () => TOOLS_UNSUPPORTED,
    tooLong: (tokens, limit) => ({
      status: 400,
      message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
      code: 'context_length_exceeded',
    }),
    reasoningLost: ({ tool, index }) => ({
      status: 400,
      message: `Function call is missing a thought_signature in extra_content. Additional data, function call \`${tool}\`, message ${index}.`,
    }),
  },
  errorBody,
};

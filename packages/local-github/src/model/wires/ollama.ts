// Ollama's chat API: lines of JSON, without a key.
import { z } from 'zod';
import type { Message } from '../../../../../src/contracts/model.ts';
import { argumentsOf, assistant, piecesOf, result, user, withResultsJoined } from './parts.ts';
import type { Answer, Frames, Problem, Wire, WireRequest } from './wire.ts';

const ChatMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().optional(),
  tool_calls: z
    .array(
      z.looseObject({
        id: z.string().optional(),
        function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
      }),
    )
    .optional(),
  tool_call_id: z.string().optional(),
});

const Body = z.looseObject({
  model: z.string(),
  messages: z.array(ChatMessage).min(1),
  tools: z.array(z.unknown()).optional(),
  stream: z.boolean().optional(),
});

function parse(body: unknown): WireRequest {
  const { model, messages, tools, stream } = Body.parse(body);
  const ofSystem = messages.filter(({ role }) => role === 'system');
  return {
    model,
    system: ofSystem.map(({ content }) => content ?? '').join('\n\n'),
    messages: withResultsJoined(messages.flatMap(messagesOf)),
    hasTools: (tools ?? []).length > 0,
    prompt: [tools ?? [], messages],
    cacheKey: undefined,
    streams: stream !== false,
    wants: new Set(),
  };
}

function messagesOf(message: z.output<typeof ChatMessage>): Message[] {
  const { role, content = '', tool_calls: calls, tool_call_id: id } = message;
  if (role === 'user') return [user(content)];
  if (role === 'tool') return [result(id ?? '', content)];
  if (role === 'system') return [];
  return [
    assistant(
      content,
      (calls ?? []).map((call) => ({
        ...(call.id === undefined ? {} : { id: call.id }),
        tool: call.function.name,
        arguments: call.function.arguments,
      })),
    ),
  ];
}

/** Ollama does not send a call with incomplete arguments. */
function toolCalls({ calls }: Answer): object[] {
  return calls.flatMap((call, index) => {
    const args = argumentsOf(call);
    if (args === undefined) return [];
    return [{ id: call.id, function: { index, name: call.tool, arguments: args } }];
  });
}

function frames(answer: Answer): Frames {
  const { model, created, reasoning, text, isCut, usage } = answer;
  const head = { model, created_at: created.toISOString() };
  const line = (said: object): string =>
    `${JSON.stringify({ ...head, message: { role: 'assistant', content: '', ...said }, done: false })}\n`;
  const over = {
    ...head,
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: isCut ? 'length' : 'stop',
    total_duration: 1_000_000,
    load_duration: 0,
    prompt_eval_count: usage.input,
    prompt_eval_duration: 500_000,
    eval_count: usage.output,
    eval_duration: 500_000,
  };
  return {
    content: [
      ...piecesOf(reasoning?.text ?? '').map((thinking) => line({ thinking })),
      ...piecesOf(text).map((content) => line({ content })),
      ...toolCalls(answer).map((call) => line({ tool_calls: [call] })),
    ],
    end: [`${JSON.stringify(over)}\n`],
  };
}

export const ollama: Wire = {
  name: 'ollama',
  routes: ['/api/chat'],
  contentType: 'application/x-ndjson',
  parse,
  frames,
  errors: {
    toolsUnsupported: (model) => ({
      status: 400,
      message: `registry.ollama.ai/library/${model} does not support tools`,
    }),
    tooLong: () => ({ status: 400, message: 'the input length exceeds the context length' }),
  },
  errorBody: ({ message }: Problem) => ({ error: message }),
};

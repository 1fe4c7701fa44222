// The wire format of Chat Completions: requests, chunks, whole answers, errors.
import { z } from 'zod';

const Text = z.union([
  z.string(),
  z.array(z.looseObject({ text: z.string().optional() })),
  z.null(),
  z.undefined(),
]);

export const ChatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: Text })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  prompt_cache_key: z.string().optional(),
});
export type ChatRequest = z.output<typeof ChatRequest>;

export function plainText(content: z.output<typeof Text>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('');
}

export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export interface ChatAnswer {
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly text: string;
  readonly finish: 'stop' | 'length';
  readonly usage: Usage;
}

const usagePayload = ({ input, cached, output }: Usage) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
});

export function completion(answer: ChatAnswer) {
  const { id, model, created, text, finish, usage } = answer;
  const message = { role: 'assistant', content: text, refusal: null };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: usagePayload(usage),
  };
}

const CHUNK_CHARACTERS = 40;

/**
 * The server-sent events of an answer. With `dies` the stream breaks off in the middle, by an error
 * that closes the connection.
 */
export function* events(
  answer: ChatAnswer,
  options: { withUsage: boolean; dies: boolean },
): Generator<string> {
  const event = (choices: unknown[], more = {}): string => {
    const { id, model, created } = answer;
    const chunk = { id, object: 'chat.completion.chunk', created, model, choices, ...more };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  };
  const delta = (content: object, finish: string | null = null): string =>
    event([{ index: 0, delta: content, logprobs: null, finish_reason: finish }]);
  yield delta({ role: 'assistant', content: '' });
  const pieces = piecesOf(answer.text);
  for (const [index, content] of pieces.entries()) {
    if (options.dies && index >= pieces.length / 2) throw new Error('the script breaks off here');
    yield delta({ content });
  }
  if (options.dies) throw new Error('the script breaks off here');
  yield delta({}, answer.finish);
  if (options.withUsage) yield event([], { usage: usagePayload(answer.usage) });
  yield 'data: [DONE]\n\n';
}

function piecesOf(text: string): string[] {
  const characters = [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment);
  return Array.from({ length: Math.ceil(characters.length / CHUNK_CHARACTERS) }, (_none, index) =>
    characters.slice(index * CHUNK_CHARACTERS, (index + 1) * CHUNK_CHARACTERS).join(''),
  );
}

export function errorPayload(message: string, type: string, code: string | null = null) {
  return { error: { message, type, param: null, code } };
}

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type {
  Call,
  ModelReply,
  ToolSpec,
  Usage,
  Message,
  ModelRequest,
} from '../../contracts/model.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { readArguments, sentArguments, unreadableCall } from '../wire/calls.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';
import { replyEndedEarly } from '../wire/server-error.ts';
import { nativeOf, sentId, sentText, replayable, sentName, sentValue } from '../wire/sent-text.ts';
import type { UnpricedReply } from '../provider.ts';

type Assistant = Extract<Message, { role: 'assistant' }>;

/** A message of Ollama's chat API. */
type OllamaMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user'; readonly content: string; readonly images?: readonly string[] }
  | OllamaReply
  | {
      readonly role: 'tool';
      readonly tool_name: string;
      readonly tool_call_id: string;
      readonly content: string;
    };

interface OllamaReply {
  readonly role: 'assistant';
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly OllamaCall[];
}

interface OllamaCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: unknown };
}

/** The conversation in Ollama's form. Replies stored under `key` are sent back unchanged. */
export function ollamaMessages({ system, messages }: ModelRequest, key: string): OllamaMessage[] {
  const first: OllamaMessage[] =
    system === '' ? [] : [{ role: 'system', content: sentText(system) }];
  return [...first, ...messages.flatMap((message) => ollamaMessage(message, key))];
}

export const ollamaTools = (tools: readonly ToolSpec[]) =>
  tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));

function ollamaMessage(message: Message, key: string): OllamaMessage[] {
  switch (message.role) {
    case 'user':
      return [said(message)];
    case 'assistant':
      return [repliedBefore(message, key)];
    case 'results':
      return message.results.map(({ id, tool, output }) => ({
        role: 'tool',
        tool_name: sentName(tool),
        tool_call_id: sentId(id),
        content: sentText(output),
      }));
  }
}

/** The images have no names: they are in the order in which the text attaches them. */
const said = ({ text, images }: Extract<Message, { role: 'user' }>): OllamaMessage => ({
  role: 'user',
  content: sentText(text),
  ...withoutUndefined({ images: images?.map(({ data }) => data) }),
});

function repliedBefore(message: Assistant, key: string): OllamaReply {
  const native = replayable(message, key, ({ tool_calls: calls = [] }: OllamaReply) =>
    calls.map(({ id }) => id),
  );
  return native ?? rebuilt(message.text, message.calls);
}

/** A reply rebuilt from its parts. */
const rebuilt = (text: string, calls: readonly Call[]): OllamaReply => ({
  role: 'assistant',
  content: sentText(text),
  ...(calls.length === 0 ? {} : { tool_calls: calls.map(rebuiltCall) }),
});

const rebuiltCall = (call: Call): OllamaCall => ({
  id: sentId(call.id),
  function: { name: sentName(call.tool), arguments: sentValue(sentArguments(call)) },
});

const words = z.string().catch('');

const Called = z.object({
  id: words,
  function: z
    .object({ name: words, arguments: z.unknown().optional() })
    .catch({ name: '', arguments: undefined }),
});

/** One line of a reply. Missing fields, or fields of another type, become empty. */
const ReplyLine = z.object({
  message: z
    .object({ content: words, thinking: words, tool_calls: z.array(Called).catch([]) })
    .catch({ content: '', thinking: '', tool_calls: [] }),
  done: z.boolean().catch(false),
  done_reason: words,
  prompt_eval_count: z.unknown().optional(),
  eval_count: z.unknown().optional(),
  error: z.unknown().optional(),
});

type ReplyLine = z.infer<typeof ReplyLine>;

/** An error that arrived instead of a line of the reply. */
export class OllamaError extends Error {
  override readonly name = 'OllamaError';
}

/**
 * Assembles a reply from its lines.
 * @throws {OllamaError} for an error of the server
 * @throws {SyntaxError} for a line that is not JSON
 * @throws {TryLater} if the last line is missing
 */
export async function readOllamaReply(
  lines: AsyncIterable<string>,
  tools: readonly ToolSpec[],
  key: string,
): Promise<UnpricedReply> {
  const calls: Call[] = [];
  let text = '';
  let reasoning = '';
  for await (const written of lines) {
    if (written.trim() === '') continue;
    const line = ReplyLine.parse(JSON.parse(written));
    text += line.message.content;
    reasoning += line.message.thinking;
    calls.push(...line.message.tool_calls.map(callOf));
    const failure = failureIn(line);
    if (failure !== undefined) {
      if (!UNREADABLE.test(failure)) throw new OllamaError(failure);
      calls.push(unreadableCall(failure, tools));
    }
    if (line.done || failure !== undefined) {
      const stop: ModelReply['stop'] = line.done_reason === 'length' ? 'cut' : 'end';
      // Models that think between calls need their thoughts sent back.
      const opaque: OllamaReply | null =
        reasoning === '' ? null : { ...rebuilt(text, calls), thinking: sentText(reasoning) };
      const native = nativeOf(stop, key, opaque);
      return { text, reasoning, calls, stop, usage: usageOf(line), native };
    }
  }
  throw replyEndedEarly();
}

/** The server's message for a call that it could not parse. */
const UNREADABLE = /(pars\w{1,10}|invalid)\b.{0,40}\btool call/i;

function failureIn({ error }: ReplyLine): string | undefined {
  if (error === undefined || error === null) return undefined;
  return typeof error === 'string' ? error : JSON.stringify(error);
}

function callOf({ id, function: called }: z.infer<typeof Called>): Call {
  const { name: tool, arguments: given } = called;
  const read = readArguments(given);
  return { tool, ...read, id: id === '' ? `call_${randomUUID()}` : sentId(id) };
}

/** Ollama caches prompts too but does not report it. */
const usageOf = ({ prompt_eval_count: input, eval_count: output }: ReplyLine): Usage =>
  coherent({
    input: tokenCount(input),
    cached: 0,
    written: 0,
    output: tokenCount(output),
    reasoning: 0,
  });

import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Call, ModelReply, ToolSpec, Usage } from '../../contracts/model.ts';
import { readArguments } from '../wire/call-arguments.ts';
import { endedEarly } from '../wire/decision.ts';
import { nativeOf } from '../wire/native.ts';
import { rebuilt, type OllamaReply } from './messages.ts';
import type { UnpricedReply } from '../provider.ts';
import { sentId, sentText } from '../wire/sent-text.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';
import { unreadableCall } from '../wire/unreadable-call.ts';

const words = z.string().catch('');

const Called = z.object({
  id: words,
  function: z
    .object({ name: words, arguments: z.unknown().optional() })
    .catch({ name: '', arguments: undefined }),
});

/** One line of a reply; whatever is missing, or of another type, is empty. */
const Line = z.object({
  message: z
    .object({ content: words, thinking: words, tool_calls: z.array(Called).catch([]) })
    .catch({ content: '', thinking: '', tool_calls: [] }),
  done: z.boolean().catch(false),
  done_reason: words,
  prompt_eval_count: z.unknown().optional(),
  eval_count: z.unknown().optional(),
  error: z.unknown().optional(),
});

type Line = z.infer<typeof Line>;

/** An error that came where a line of the reply should. */
export class OllamaError extends Error {
  override readonly name = 'OllamaError';
}

/**
 * Gathers the lines of one reply.
 * @throws {OllamaError} for an error of the server
 * @throws {SyntaxError} for a line that is not JSON
 * @throws {TryLater} when they end without the last
 */
export async function readReply(
  lines: AsyncIterable<string>,
  tools: readonly ToolSpec[],
  key: string,
): Promise<UnpricedReply> {
  const calls: Call[] = [];
  let text = '';
  let reasoning = '';
  for await (const written of lines) {
    if (written.trim() === '') continue;
    const line = Line.parse(JSON.parse(written));
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
      const native = nativeOf(stop, key, opaqueIn(text, reasoning, calls));
      return { text, reasoning, calls, stop, usage: usageOf(line), native };
    }
  }
  throw endedEarly();
}

/** How the server says that the model wrote a call which cannot be read. */
const UNREADABLE = /(pars\w+|invalid)\b.{0,40}\btool call/i;

function failureIn({ error }: Line): string | undefined {
  if (error === undefined || error === null) return undefined;
  return typeof error === 'string' ? error : JSON.stringify(error);
}

function callOf({ id, function: called }: z.infer<typeof Called>): Call {
  const { name: tool, arguments: given } = called;
  const read = readArguments(given);
  return { tool, ...read, id: id === '' ? `call_${randomUUID()}` : sentId(id) };
}

/** Models that think between their calls want their thoughts back. */
const opaqueIn = (text: string, reasoning: string, calls: readonly Call[]): OllamaReply | null =>
  reasoning === '' ? null : { ...rebuilt(text, calls), thinking: sentText(reasoning) };

/** Ollama has a cache of prompts too, and does not tell of it. */
const usageOf = ({ prompt_eval_count: input, eval_count: output }: Line): Usage =>
  coherent({
    input: tokenCount(input),
    cached: 0,
    written: 0,
    output: tokenCount(output),
    reasoning: 0,
  });

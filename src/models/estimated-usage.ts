import { weightOf } from '../agent/relief.ts';
import type { ModelReply, ModelRequest, Usage } from '../contracts/model.ts';

const tokensOf = (text: string): number => weightOf({ role: 'user', text });

type Said = Pick<ModelReply, 'text' | 'reasoning' | 'calls' | 'usage'>;

/** What a reply used: as the server counts it or, if it does not, by the length of the texts. */
export function usageOf(
  { system, messages, tools }: Pick<ModelRequest, 'system' | 'messages' | 'tools'>,
  { text, reasoning, calls, usage }: Said,
): Usage {
  const input =
    tokensOf(system) +
    messages.reduce((sum, message) => sum + weightOf(message), 0) +
    (tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools)));
  const output =
    tokensOf(text) +
    tokensOf(reasoning) +
    (calls.length === 0 ? 0 : tokensOf(JSON.stringify(calls)));
  if (usage.input > 0 && usage.output > 0) return usage;
  // Some servers count only one of both.
  return {
    ...usage,
    input: usage.input || input,
    output: usage.output || output,
    isEstimated: true,
  };
}

// Tokens as OpenAI's o200k_base counts them, for every harness and wire alike: of what the model reads, not of the JSON around it.
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Message } from '../../../../src/contracts/model.ts';
import type { WireRequest } from './wires/wire.ts';

/** What looks like a special token in a text is plain text. */
const PLAIN = { disallowedSpecial: new Set<string>() };

export const countedTokens = (text: string): number => countTokens(text, PLAIN);

/** The parts of a request in the order in which providers cache them: each tool, the system prompt, each message. */
export function partsOf({ prompt: [tools = []], system, messages }: WireRequest): string[] {
  const list: readonly unknown[] = Array.isArray(tools) ? tools : [tools];
  return [...list.map((tool) => JSON.stringify(tool)), system, ...messages.map(textOf)];
}

function textOf(message: Message): string {
  switch (message.role) {
    case 'user':
      return message.text;
    case 'assistant':
      return [
        message.text,
        ...message.calls.map(({ tool, arguments: args }) => `${tool} ${JSON.stringify(args)}`),
      ].join('\n');
    case 'results':
      return message.results.map(({ output }) => output).join('\n');
    default:
      return message satisfies never;
  }
}

/** Counts requests one after the other. `cached`: of the longest run of first parts that an earlier request had, too. */
export class PrefixCount {
  readonly #earlier: (readonly string[])[] = [];

  count(parts: readonly string[]): { readonly input: number; readonly cached: number } {
    const tokens = parts.map(countedTokens);
    const common = Math.max(0, ...this.#earlier.map((one) => commonParts(one, parts)));
    this.#earlier.push(parts);
    const sum = (counts: readonly number[]): number => counts.reduce((all, one) => all + one, 0);
    return { input: sum(tokens), cached: sum(tokens.slice(0, common)) };
  }
}

function commonParts(one: readonly string[], other: readonly string[]): number {
  const at = other.findIndex((part, index) => part !== one[index]);
  return at < 0 ? other.length : at;
}

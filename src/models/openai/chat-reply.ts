// Assembles a reply of Chat Completions from the chunks of its stream.
import type { ChatCompletionAssistantMessageParam } from 'openai/resources';
import type { Usage } from '../../contracts/model.ts';
import { TryLater } from '../../lib/errors.ts';
import { ChatCalls } from './chat-calls.ts';
import { contentText, isEmpty, mergedField } from './chat-fields.ts';
import { rebuilt } from './chat-request.ts';
import { nativeOf } from '../wire/native.ts';
import type { UnpricedReply } from '../provider.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';

/** A chunk from a compatible server. Any field may be missing. */
export interface ChatChunk {
  readonly choices?: readonly {
    readonly delta?: object | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: object | null;
}

/** The fields of a delta that we read. All others are kept as extra fields. */
const PARTS = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call']);

const CUT = new Set(['length', 'max_tokens', 'model_length']);
const FILTERED = new Set(['content_filter', 'sensitive', 'refusal']);
/** Finish reasons of OpenRouter, vLLM, Zhipu and DeepSeek for a server-side failure. */
const BROKEN = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource']);

export class ChatReply {
  #text = '';
  #thinking = '';
  #refusal = '';
  #finish = '';
  #usage: ChatChunk['usage'];
  readonly #calls = new ChatCalls();
  readonly #opaque = new Map<string, unknown>();

  add({ choices, usage }: ChatChunk): void {
    const choice = choices?.[0];
    this.#usage = usage ?? this.#usage;
    this.#finish = choice?.finish_reason || this.#finish;
    const delta = recordOf(choice?.delta);
    this.#text += contentText(delta['content'], 'text');
    this.#thinking += contentText(delta['content'], 'thinking');
    this.#refusal += contentText(delta['refusal'], 'text');
    for (const piece of listOf(delta['tool_calls'])) this.#calls.add(recordOf(piece));
    for (const [name, value] of Object.entries(delta)) {
      if (PARTS.has(name) || isEmpty(value)) continue;
      this.#opaque.set(name, mergedField(name, this.#opaque.get(name), value));
    }
  }

  /** The complete reply; `undefined` if the server did not finish it. */
  reply(key: string): UnpricedReply | undefined {
    if (this.#finish === '') return undefined;
    if (BROKEN.has(this.#finish))
      throw new TryLater(`the model provider stopped the reply: ${this.#finish}`);
    const stop = this.#stop();
    return {
      text: this.#text || this.#refusal,
      reasoning: this.#reasoning(),
      calls: stop === 'filtered' ? [] : this.#calls.calls(),
      stop,
      usage: chatUsage(recordOf(this.#usage)),
      native: nativeOf(stop, key, this.#wireMessage()),
    };
  }

  #stop(): UnpricedReply['stop'] {
    if (this.#refusal !== '' || FILTERED.has(this.#finish)) return 'filtered';
    return CUT.has(this.#finish) ? 'cut' : 'end';
  }

  /** Servers that use both names send the same text twice. */
  #reasoning(): string {
    const fields = [this.#opaque.get('reasoning_content'), this.#opaque.get('reasoning')];
    return fields.find((field) => typeof field === 'string') ?? this.#thinking;
  }

  /** The message to send back; `null` if it can be rebuilt from its parts. */
  #wireMessage(): ChatCompletionAssistantMessageParam | null {
    const opaque = this.#calls.opaque();
    if (this.#opaque.size === 0 && opaque.every(isEmpty)) return null;
    const { tool_calls: plain, ...message } = rebuilt({
      text: this.#text,
      calls: this.#calls.calls(),
    });
    const calls = plain?.map((call, index) => ({ ...call, ...opaque[index] }));
    return {
      ...message,
      ...Object.fromEntries(this.#opaque),
      ...(calls === undefined ? {} : { tool_calls: calls }),
    };
  }
}

/**
 * OpenAI includes cached tokens in the input and reasoning in the output. Gemini and xAI count reasoning
 * only in the total.
 */
function chatUsage(usage: Readonly<Record<string, unknown>>): Usage {
  const ofInput = recordOf(usage['prompt_tokens_details']);
  const ofOutput = recordOf(usage['completion_tokens_details']);
  const input = tokenCount(usage['prompt_tokens']);
  return coherent({
    input,
    // DeepSeek and Moonshot use other names.
    cached: tokenCount(
      ofInput['cached_tokens'] ?? usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens'],
    ),
    written: tokenCount(ofInput['cache_write_tokens']),
    output: Math.max(
      tokenCount(usage['completion_tokens']),
      tokenCount(usage['total_tokens']) - input,
    ),
    reasoning: tokenCount(ofOutput['reasoning_tokens']),
  });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

// Assembles a reply of Chat Completions from the chunks of its stream.
import type { ChatCompletionAssistantMessageParam } from 'openai/resources';
import type { Usage } from '../../contracts/model.ts';
import type { NamedTool } from '../../contracts/tool.ts';
import { TryLater } from '../../lib/errors.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { rebuilt } from './chat-request.ts';
import { nativeOf } from '../wire/sent-text.ts';
import { coherent, fieldsOf, tokenCount, type Fields } from '../wire/token-count.ts';
import type { UnpricedReply } from '../provider.ts';
import { ChatCalls, isEmptyField } from './chat-calls.ts';

/** A chunk from a compatible server. Any field may be missing. */
export interface ChatChunk {
  readonly choices?: readonly {
    readonly delta?: object | null;
    /** In place of deltas, from servers that do not stream. */
    readonly message?: object | null;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: object | null;
}

/** The fields of a delta that we read. All others are kept as extra fields. */
const PARTS = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call', 'usage']);

const CUT = new Set(['length', 'max_tokens', 'model_length']);
const FILTERED = new Set(['content_filter', 'sensitive', 'refusal']);
/** Finish reasons of OpenRouter, vLLM, Zhipu and DeepSeek for a server-side failure. */
const BROKEN = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource']);

export class ChatReply {
  #text = '';
  #thinking = '';
  #refusal = '';
  #finish = '';
  #usage: Fields | undefined;
  #isBegun = false;
  readonly #key: string;
  readonly #calls: ChatCalls;
  readonly #opaque = new Map<string, unknown>();

  /** `key`: of the model, for what has to be sent back to it. `tools`: what the request offered. */
  constructor(key: string, tools: readonly NamedTool[] = []) {
    this.#key = key;
    this.#calls = new ChatCalls(new Set(tools.map(({ name }) => name)));
  }

  add(chunk: ChatChunk): void {
    const choice = chunk.choices?.[0];
    this.#usage = usageIn(chunk) ?? this.#usage;
    this.#finish = choice?.finish_reason || this.#finish;
    // Some servers repeat all of it as a message at the end.
    const delta = fieldsOf(choice?.delta ?? (this.#isBegun ? undefined : choice?.message));
    this.#isBegun ||= Object.values(delta).some((value) => !isEmptyField(value));
    this.#text += contentText(delta['content'], 'text');
    this.#thinking += contentText(delta['content'], 'thinking');
    this.#refusal += contentText(delta['refusal'], 'text');
    const { tool_calls: given } = delta;
    const pieces: readonly unknown[] = Array.isArray(given) ? given : [];
    for (const piece of pieces) this.#calls.add(fieldsOf(piece));
    for (const [name, value] of Object.entries(delta)) {
      if (PARTS.has(name) || isEmptyField(value)) continue;
      this.#opaque.set(name, mergedField(name, this.#opaque.get(name), value));
    }
  }

  /**
   * The complete reply; `undefined` if the server did not finish it. `isDone`: it sent the end mark of the stream. Servers that
   * give no reason for the end are believed if all calls are whole, or if a text is followed by both the usage and the mark.
   */
  reply(isDone: boolean): UnpricedReply | undefined {
    const isWholeText =
      this.#text !== '' && this.#calls.isEmpty && isDone && this.#usage !== undefined;
    if (this.#finish === '' && !this.#calls.areWhole && !isWholeText) return undefined;
    if (BROKEN.has(this.#finish))
      throw new TryLater(`the model provider stopped the reply: ${this.#finish}`);
    const stop = this.#stop();
    return {
      text: this.#text || this.#refusal,
      reasoning: this.#reasoning(),
      calls: stop === 'filtered' ? [] : this.#calls.calls(),
      stop,
      usage: chatUsage(this.#usage ?? {}),
      native: nativeOf(stop, this.#key, this.#wireMessage()),
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
    const opaqueFields = [...this.#opaque]
      .map(([name, value]) => [name, withoutUnsigned(value)] as const)
      .filter(([, value]) => !isEmptyField(value));
    if (opaqueFields.length === 0 && opaque.every(isEmptyField)) return null;
    const { tool_calls: plain, ...message } = rebuilt({
      text: this.#text,
      calls: this.#calls.calls(),
    });
    const calls = plain?.map((call, index) => ({ ...call, ...opaque[index] }));
    return {
      ...message,
      ...Object.fromEntries(opaqueFields),
      ...withoutUndefined({ tool_calls: calls }),
    };
  }
}

/**
 * The text of a `content` field: the string itself, or its parts of one type. Mistral sends thoughts as
 * parts of type `thinking` that contain parts of type `text`.
 */
function contentText(content: unknown, type: 'text' | 'thinking'): string {
  if (typeof content === 'string') return type === 'text' ? content : '';
  if (!Array.isArray(content)) return '';
  return (content as readonly (ContentPart | null)[])
    .filter((part) => part?.type === type)
    .map((part) => {
      if (type === 'thinking') return contentText(part?.thinking, 'text');
      return typeof part?.text === 'string' ? part.text : '';
    })
    .join('');
}

interface ContentPart {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

/**
 * Merges the next piece of an extra field: reasoning texts and lists grow, anything else is replaced.
 */
function mergedField(name: string, before: unknown, piece: unknown): unknown {
  if (name.startsWith('reasoning') && typeof before === 'string' && typeof piece === 'string') {
    return before + piece;
  }
  if (!Array.isArray(piece)) return piece;
  return piece.reduce<readonly unknown[]>(withItem, Array.isArray(before) ? before : []);
}

/** Pieces of one item share its index and type. An item without an index is complete. */
function withItem(items: readonly unknown[], item: unknown): readonly unknown[] {
  if (isThinking(item)) return withThinking(items, item);
  const known = items.findIndex((one) => isPieceOf(one, item));
  return known === -1 ? [...items, item] : items.with(known, mergedItem(items[known], item));
}

interface ThinkingBlock {
  readonly thinking: string;
  readonly signature?: unknown;
}

const isThinking = (item: unknown): item is ThinkingBlock =>
  typeof fieldsOf(item)['thinking'] === 'string' && fieldsOf(item)['index'] === undefined;

/** LiteLLM sends thinking in blocks without an index. The signature ends one, in some versions with all of its text again. */
function withThinking(items: readonly unknown[], item: ThinkingBlock): readonly unknown[] {
  const open = items.at(-1);
  if (!isThinking(open) || !isEmptyField(open.signature)) return [...items, item];
  const isSigned = !isEmptyField(item.signature);
  const isWhole = isSigned && open.thinking !== '' && item.thinking.startsWith(open.thinking);
  const thinking = isWhole ? item.thinking : open.thinking + item.thinking;
  return items.with(-1, { ...open, ...item, thinking });
}

/** Thinking without a signature is not accepted back. */
const withoutUnsigned = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.filter((item) => !isThinking(item) || !isEmptyField(item.signature))
    : value;

function isPieceOf(one: unknown, other: unknown): boolean {
  if (!isRecord(one) || !isRecord(other)) return false;
  return (
    typeof other['index'] === 'number' &&
    one['index'] === other['index'] &&
    one['type'] === other['type']
  );
}

/** The fields of an item that arrive in pieces. */
const GROWING = new Set(['text', 'summary', 'data']);

function mergedItem(before: unknown, piece: unknown): unknown {
  if (!isRecord(before) || !isRecord(piece)) return piece;
  const fields = Object.entries(piece).filter(([, value]) => value !== null);
  const merged = fields.map(([name, value]) => {
    const old = before[name];
    const grows = GROWING.has(name) && typeof old === 'string' && typeof value === 'string';
    return [name, grows ? old + value : value];
  });
  return { ...before, ...Object.fromEntries(merged) };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** The usage that a chunk reports, wherever it stands; `undefined` if it reports none. Chunks in between may have zeros. */
function usageIn(chunk: object): Fields | undefined {
  const { usage, choices, x_groq: groq } = fieldsOf(chunk);
  const choice = fieldsOf(Array.isArray(choices) ? choices[0] : undefined);
  const places = [
    usage,
    choice['usage'], // Moonshot
    fieldsOf(choice['delta'])['usage'],
    fieldsOf(groq)['usage'],
  ];
  return places
    .map(fieldsOf)
    .find((fields) => chatUsage(fields).input + chatUsage(fields).output > 0);
}

/**
 * OpenAI includes cached tokens in the input and reasoning in the output. Gemini and xAI count reasoning
 * only in the total.
 */
function chatUsage(usage: Fields): Usage {
  const ofInput = fieldsOf(usage['prompt_tokens_details']);
  const ofOutput = fieldsOf(usage['completion_tokens_details']);
  // Some proxies use Anthropic's names.
  const input = tokenCount(usage['prompt_tokens'] ?? usage['input_tokens']);
  return coherent({
    input,
    // DeepSeek and Moonshot use other names.
    cached: tokenCount(
      ofInput['cached_tokens'] ?? usage['prompt_cache_hit_tokens'] ?? usage['cached_tokens'],
    ),
    written: tokenCount(ofInput['cache_write_tokens']),
    output: Math.max(
      tokenCount(usage['completion_tokens'] ?? usage['output_tokens']),
      tokenCount(usage['total_tokens']) - input,
    ),
    reasoning: tokenCount(ofOutput['reasoning_tokens']),
  });
}

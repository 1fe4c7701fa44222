// Assembles a reply of Chat Completions from the chunks of its stream.
import type { ChatCompletionAssistantMessageParam } from 'openai/resources';
import type { Usage, Call } from '../../contracts/model.ts';
import { TryLater } from '../../lib/errors.ts';
import { rebuilt } from './chat-request.ts';
import { nativeOf } from '../wire/sent-text.ts';
import type { UnpricedReply } from '../provider.ts';
import { coherent, tokenCount } from '../wire/token-count.ts';
import { randomUUID } from 'node:crypto';
import { readArguments } from '../wire/calls.ts';

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

/** A piece of a call from the stream. Any field may be missing or of another type. */
interface CallPiece {
  readonly id?: unknown;
  readonly index?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

interface OpenCall {
  readonly index: unknown;
  readonly id: string;
  tool: string;
  arguments: string;
  /** Fields that are not part of the wire format, such as Gemini's thought signature. */
  readonly opaque: Map<string, unknown>;
}

const FIELDS = new Set(['id', 'index', 'type', 'function']);

/** Assembles the calls of a reply from their pieces. */
class ChatCalls {
  readonly #calls: OpenCall[] = [];

  add(piece: CallPiece): void {
    const call = this.#callOf(piece);
    // Some servers send the whole name with every piece.
    if (call.tool === '') call.tool = textOf(piece.function?.name);
    call.arguments += argumentsOf(piece.function?.arguments);
    for (const [name, value] of Object.entries(piece)) {
      if (!FIELDS.has(name) && !isEmpty(value)) call.opaque.set(name, value);
    }
  }

  calls(): readonly Call[] {
    return this.#calls.map(({ id, tool, arguments: text }) => ({
      tool,
      id,
      ...readArguments(text),
    }));
  }

  /** The extra fields of each call, in order. */
  opaque(): readonly Readonly<Record<string, unknown>>[] {
    return this.#calls.map((call) => Object.fromEntries(call.opaque));
  }

  /**
   * A new id starts a new call, even if its index repeats. A piece without an id belongs to the last call
   * with its index. Without id and index, a name starts a new call.
   */
  #callOf(piece: CallPiece): OpenCall {
    const id = textOf(piece.id);
    const { index } = piece;
    const known = this.#calls.findLast((call) => {
      if (id !== '') return call.id === id;
      return typeof index === 'number' ? call.index === index : textOf(piece.function?.name) === '';
    });
    if (known !== undefined) return known;
    const call = { index, id: id || newId(), tool: '', arguments: '', opaque: new Map() };
    this.#calls.push(call);
    return call;
  }
}

const newId = (): string => `call_${randomUUID()}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Some servers send the arguments as an object instead of text. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : '';
}

/**
 * The text of a `content` field: the string itself, or its parts of one type. Mistral sends thoughts as
 * parts of type `thinking` that contain parts of type `text`.
 */
function contentText(content: unknown, type: 'text' | 'thinking'): string {
  if (typeof content === 'string') return type === 'text' ? content : '';
  if (!Array.isArray(content)) return '';
  return (content as readonly (Part | null)[])
    .filter((part) => part?.type === type)
    .map((part) => (type === 'text' ? stringOf(part?.text) : contentText(part?.thinking, 'text')))
    .join('');
}

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly thinking?: unknown;
}

/** Some servers send empty fields with every piece. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/**
 * Merges the next piece of an extra field: reasoning texts and lists grow, anything else is replaced.
 */
function mergedField(name: string, before: unknown, piece: unknown): unknown {
  if (name.startsWith('reasoning') && typeof before === 'string' && typeof piece === 'string') {
    return before + piece;
  }
  if (!Array.isArray(before) || !Array.isArray(piece)) return piece;
  return piece.reduce<readonly unknown[]>(withItem, before);
}

/** Pieces of one item share its index and type. An item without an index is complete. */
function withItem(items: readonly unknown[], item: unknown): readonly unknown[] {
  const known = items.findIndex((one) => isPieceOf(one, item));
  return known === -1 ? [...items, item] : items.with(known, mergedItem(items[known], item));
}

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

const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '');

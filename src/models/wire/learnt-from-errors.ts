// What one model takes is learnt from its errors, and kept as long as it is open: no model's name decides.
import type { Effort } from '../../contracts/model.ts';
import type { ServerFault } from './server-fault.ts';

/** Only the beginning of an error counts: servers may quote the request after it. */
const READ_CHARACTERS = 2000;

// How much a model is to think, in the words of each API. Which values it takes, or whether any, is learnt.
// `test/models/efforts.test.ts` has the bodies.

/** For each effort what the API takes for it, the closest first. After the last one, nothing is sent. */
type EffortValues<Value> = Readonly<Record<Effort, readonly Value[]>>;

/**
 * `reasoning_effort`, and `reasoning.effort` of Responses: the type `ReasoningEffort` of the package `openai` has `max`; models before
 * have no more than `xhigh` (nguyenphutrong/quotio#287) or `high`.
 */
export const OPENAI_EFFORTS: EffortValues<string> = {
  low: ['low'],
  medium: ['medium'],
  high: ['high'],
  max: ['max', 'xhigh', 'high'],
};

export interface AnthropicEffort {
  readonly effort?: 'low' | 'medium' | 'high' | 'max';
  /** The model decides how much it thinks. Without it, some models do not think at all. */
  readonly isAdaptive?: true;
  /** Tokens, for models without `effort`. */
  readonly budget?: number;
}

/**
 * `output_config.effort`, with adaptive thinking where more than the default is wanted
 * (platform.claude.com/docs/en/build-with-claude/effort). Models before Claude 4.6 have neither (anthropics/claude-code#30795: "This
 * model does not support the effort parameter"), but a budget for their thinking, whose sizes here are ours. *Unproven*: that it takes
 * adaptive thinking after replies that have none.
 */
export const ANTHROPIC_EFFORTS: EffortValues<AnthropicEffort> = {
  low: [{ effort: 'low' }],
  medium: [{ effort: 'medium' }, { budget: 4_000 }],
  high: [{ effort: 'high', isAdaptive: true }, { effort: 'high' }, { budget: 16_000 }],
  max: [
    { effort: 'max', isAdaptive: true },
    { effort: 'high', isAdaptive: true },
    { effort: 'high' },
    { budget: 32_000 },
  ],
};

/** A level, or tokens. */
export type GeminiEffort = 'LOW' | 'MEDIUM' | 'HIGH' | number;

/**
 * `thinkingLevel` of Gemini 3 and later, `thinkingBudget` of 2.5 (RooCodeInc/Roo-Code#10700: "Thinking level is not supported for this
 * model"), whose bounds are 32,768 and 24,576 tokens (hexdocs.pm/gemini_ex, Gemini.Validation.ThinkingConfig). The budgets are those
 * that Google takes for `reasoning_effort` (ai.google.dev/gemini-api/docs/openai, as 1K, 8K and 24K; *unproven*: the exact numbers).
 */
export const GEMINI_EFFORTS: EffortValues<GeminiEffort> = {
  low: ['LOW', 1_024],
  medium: ['MEDIUM', 8_192],
  high: ['HIGH', 24_576],
  max: ['HIGH', 32_768, 24_576],
};

/** `think`: levels of gpt-oss, and `true` for all others that think (ollama/ollama-js PR#239). */
export const OLLAMA_EFFORTS: EffortValues<string | true> = {
  low: ['low', true],
  medium: ['medium', true],
  high: ['high', true],
  max: ['high', true],
};

/** What errors about it mention, whatever else they say. */
const MENTIONED = /effort|reasoning|think|output_config|\blevels?\b/i;

/** What of an effort one model takes. */
export class Efforts<Value> {
  readonly #values: EffortValues<Value>;
  readonly #rejected = new Set<Value>();

  constructor(values: EffortValues<Value>) {
    this.#values = values;
  }

  /** What to send; `undefined`: nothing. */
  valueOf(effort: Effort | undefined): Value | undefined {
    if (effort === undefined) return undefined;
    return this.#values[effort].find((value) => !this.#rejected.has(value));
  }

  /** Whether an error is about the value that was sent, so that the next request has another one, or none. */
  rejects(sent: Value | undefined, error: FailedRequest): boolean {
    if (sent === undefined || (error.status !== 400 && error.status !== 422)) return false;
    if (!MENTIONED.test(error.message.slice(0, READ_CHARACTERS))) return false;
    this.#rejected.add(sent);
    return true;
  }
}

interface FailedRequest {
  readonly status: number | undefined;
  readonly message: string;
}

/** What some servers want of a request beyond its API, and say only in an error. */
export interface Wish<Body> {
  readonly name: string;
  /** The servers, and reports of it. */
  readonly source: string;
  /** What the error says. */
  readonly said: RegExp;
  /** Makes a request as the server wants it. Equal parts of two requests stay equal. */
  readonly fulfil: (body: Body) => Body;
  /** If the server still says it, it supports no tools for this model. */
  readonly isOfTools?: true;
}

/** The wishes of one model on one server. */
export class Wishes<Body> {
  readonly #known: readonly Wish<Body>[];
  readonly #held = new Set<Wish<Body>>();

  constructor(known: readonly Wish<Body>[]) {
    this.#known = known;
  }

  /** The request as the server wants it, as far as that is known. */
  fulfilled(body: Body): Body {
    return this.#known
      .filter((wish) => this.#held.has(wish))
      .reduce((made, { fulfil }) => fulfil(made), body);
  }

  /** For people. */
  get learnt(): readonly string[] {
    return [...this.#held].map(({ name }) => `sends ${name}`);
  }

  holds(name: string): boolean {
    return [...this.#held].some((wish) => wish.name === name);
  }

  /**
   * Learns a wish from an error. `unfulfilled`: the request was already made as the error wants it, and it was about tools.
   * @returns `undefined` if the error is about no wish, or about one that does not help
   */
  learn({ message }: Pick<ServerFault, 'message'>): 'learnt' | 'unfulfilled' | undefined {
    const words = message.slice(0, READ_CHARACTERS);
    const wish = this.#known.find(({ said }) => said.test(words));
    if (wish === undefined) return undefined;
    if (this.#held.has(wish)) return wish.isOfTools === true ? 'unfulfilled' : undefined;
    this.#held.add(wish);
    return 'learnt';
  }
}

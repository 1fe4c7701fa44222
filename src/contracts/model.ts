import type { ImageType, ModelImage } from './image.ts';

/** Tokens as the provider counts them. */
export interface Usage {
  /** The request, whole: `cached` of them were read from the provider's cache, `written` to it. */
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  /** The reply, whole: `reasoning` of them were never shown. */
  readonly output: number;
  readonly reasoning: number;
  /** The provider did not count all of it; missing if it did. */
  readonly isEstimated?: true;
}

/** A tool call as a model wrote it. */
export interface Call {
  readonly tool: string;
  readonly arguments: unknown;
  /** The provider's name for it, unique in the conversation; text protocols have none. */
  readonly id?: string;
  /** Why the arguments cannot be read, to show to the model; such a call is not run. */
  readonly fault?: string;
}

/** Opaque wire items of a reply: sent back verbatim to the server that they came from, and to no other. */
export interface Native {
  /** Provider, address and model; items of another key are left out, and rebuilt from the parts. */
  readonly key: string;
  readonly value: unknown;
}

/** What came of a call, for the model. */
export interface CallResult {
  readonly id: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly output: string;
}

/** `results` follow the assistant's message that holds their calls, all of them together. */
export type Message =
  | {
      readonly role: 'user';
      readonly text: string;
      /** Missing if there are none. The text refers to them by their numbers. */
      readonly images?: readonly ModelImage[];
    }
  | {
      readonly role: 'assistant';
      readonly text: string;
      /** Each has an `id` here. */
      readonly calls: readonly Call[];
      readonly native: Native | null;
    }
  | { readonly role: 'results'; readonly results: readonly CallResult[] };

/** A tool as the provider is told of it; `parameters` is a JSON schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** How much a model is to think before it replies. Each provider has values of its own for it. */
export type Effort = 'low' | 'medium' | 'high' | 'max';

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** Given to the provider in its own form; empty if the system prompt describes them. */
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  /** Equal for all requests of one session: lets providers keep its prefix in their cache. */
  readonly cacheKey: string;
  readonly signal: AbortSignal;
  /** Missing: the model's own default. A model that takes none ignores it. */
  readonly effort?: Effort;
}

export interface ModelReply {
  readonly text: string;
  /** What the provider shows of the model's thinking; never sent back but inside `native`. */
  readonly reasoning: string;
  /** Calls made through the provider's tool calling, each with an `id`. */
  readonly calls: readonly Call[];
  /** `cut`: the output limit was reached. `filtered`: the provider's safety filter stopped it. */
  readonly stop: 'end' | 'cut' | 'filtered';
  readonly usage: Usage;
  /** US dollars; `null` if the price of the model is unknown. */
  readonly cost: number | null;
  /** `null` if the other fields contain everything. */
  readonly native: Native | null;
}

/** A language model behind an adapter of `models/`. */
export interface Model {
  /** `provider:name`, as the operator wrote it. */
  readonly name: string;
  /** Who receives what it is sent, for people: "OpenAI (api.openai.com)". */
  readonly destination: string;
  /** Whether the provider has tool calling of its own. */
  readonly callsTools: boolean;
  /** The types of images that it can see; empty if it sees none, or if that is not known. */
  readonly imageTypes: ReadonlySet<ImageType>;
  /** Tokens that a request and its reply may have together; `undefined` if unknown. */
  readonly contextWindow: number | undefined;
  /** What it does since the server rejected something, for people: "leaves out `stream_options`". Missing if it learns nothing. */
  readonly learnt?: () => readonly string[];
  /**
   * One request, one complete reply.
   * @throws {ToolsUnsupported} if the server supports no tools for this model
   * @throws {ContextOverflow} if the conversation exceeds its context window
   * @throws {ImagesRejected} if the server does not accept the images in it
   * @throws {TellPerson} if asking again cannot help (invalid key, unknown model, …)
   * @throws {TryLater} if it can, after the adapter's own retries
   */
  reply(request: ModelRequest): Promise<ModelReply>;
}

/** Turns texts into vectors, so that texts of a similar meaning have vectors of a similar direction. */
export interface Embedder {
  /** `provider:model`. Vectors of two models cannot be compared. */
  readonly name: string;
  /** Who receives the texts, for people: "OpenAI (api.openai.com)". */
  readonly destination: string;
  /** Makes one attempt. Rejects if it fails, for whatever reason. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Embedding>;
}

export interface Embedding {
  /** One for each text, in their order, each of length 1. */
  readonly vectors: readonly Float32Array[];
  /** Its input is 0 if the server does not say. */
  readonly usage: Usage;
  /** US dollars; `null` if the price or the number of tokens is not known. */
  readonly cost: number | null;
}

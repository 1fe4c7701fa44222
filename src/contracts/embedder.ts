import type { Usage } from './model.ts';

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

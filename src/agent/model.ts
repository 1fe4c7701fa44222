/** Tokens as the provider counts them. `cached` is part of `input`, `reasoning` part of `output`. */
export interface Usage {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly reasoning: number;
}

export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string };

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly maxOutputTokens: number;
  /** Equal for all requests of one session: lets providers keep its prefix in their cache. */
  readonly cacheKey: string;
  readonly signal: AbortSignal;
}

export interface ModelReply {
  readonly text: string;
  /** `cut`: the output limit was reached. `refused`: the provider's safety filter stopped it. */
  readonly stop: 'end' | 'cut' | 'refused';
  readonly usage: Usage;
}

/** A language model behind an adapter of `models/`. */
export interface Model {
  /** `provider:name`, as the operator wrote it. */
  readonly name: string;
  /**
   * One request, one complete reply.
   * @throws {TellPerson} when asking again cannot help (key refused, model unknown, …)
   * @throws {TryLater} when it can, after the adapter's own retries
   */
  reply(request: ModelRequest): Promise<ModelReply>;
}

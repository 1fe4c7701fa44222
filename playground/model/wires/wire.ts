import type { IncomingHttpHeaders } from 'node:http';
import type { Message } from '../../../src/contracts/model.ts';

/**
 * What a client may ask for: that the request is kept in the vendor's cache, that the stream tells the
 * usage, that reasoning comes with its seal.
 */
type Want = 'cache' | 'usage' | 'seal';

/** A request, whatever wire it came over. */
export interface WireRequest {
  readonly model: string;
  readonly system: string;
  /** In an assistant's message, `native` holds the item that `Wire.opaque` made of its reasoning. */
  readonly messages: readonly Message[];
  readonly hasTools: boolean;
  /** What a cache would hold of it, in the vendor's order: tools, system, messages. */
  readonly prompt: readonly unknown[];
  readonly cacheKey: string | undefined;
  readonly streams: boolean;
  readonly wants: ReadonlySet<Want>;
}

export interface WireCall {
  readonly id: string;
  readonly tool: string;
  /** The arguments as JSON; of the last call of a reply that was cut, only their first half. */
  readonly json: string;
}

/** What the model shows of its thinking, and the seal by which it is known when it comes back. */
export interface Reasoning {
  readonly text: string;
  readonly seal: string;
}

export interface Answer {
  /** Unique, without a prefix. */
  readonly id: string;
  readonly model: string;
  readonly created: Date;
  readonly reasoning: Reasoning | undefined;
  readonly text: string;
  readonly calls: readonly WireCall[];
  readonly isCut: boolean;
  /** Tokens: `cached` are part of `input`, `reasoning` of `output`. */
  readonly usage: {
    readonly input: number;
    readonly cached: number;
    readonly output: number;
    readonly reasoning: number;
  };
}

/** A refusal in the vendor's words. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
}

/** Reasoning that did not come back with the call that it led to. */
interface LostReasoning {
  /** The place of the message among all, from 0. */
  readonly index: number;
  readonly tool: string;
  readonly callId: string;
  readonly reasoning: Reasoning;
}

/** What vendors refuse, each in its own words: clients go by them. */
interface Refusals {
  toolsRefused(model: string): Problem;
  tooLong(tokens: number, limit: number): Problem;
  /** Absent where the wire has nothing opaque that has to come back. */
  reasoningLost?(lost: LostReasoning): Problem;
}

/** The events of a streamed answer; with the first of `end`, a client takes it for complete. */
export interface Frames {
  readonly content: readonly string[];
  readonly end: readonly string[];
}

/** A vendor's API: one file, and one line in `index.ts`. */
export interface Wire {
  readonly name: string;
  /** Paths as fastify has them; all are POST. */
  readonly routes: readonly string[];
  readonly contentType: string;
  /** Absent where no key is asked for. */
  readonly key?: {
    isGiven(headers: IncomingHttpHeaders): boolean;
    readonly missing: Problem;
  };
  /** `path` is the request's, with its query. Throws a ZodError when the body is not the vendor's. */
  parse(body: unknown, path: string): WireRequest;
  /** The item that carries reasoning, as `parse` puts it into a message's `native` when it comes back. */
  opaque?(reasoning: Reasoning): unknown;
  frames(answer: Answer, request: WireRequest): Frames;
  /** The answer to a request that is not to be streamed; absent where this server only streams. */
  whole?(answer: Answer): unknown;
  readonly refusals: Refusals;
  errorBody(problem: Problem): unknown;
}

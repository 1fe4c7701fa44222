import type { IncomingHttpHeaders } from 'node:http';
import type { Message } from '../../../../../src/contracts/model.ts';

/**
 * Optional features of a request: caching of the prompt, usage in the stream, and reasoning with its seal.
 */
type Want = 'cache' | 'usage' | 'seal';

/** A request of any wire. */
export interface WireRequest {
  readonly model: string;
  readonly system: string;
  /** In an assistant's message, `native` is the item that `Wire.opaque` made from its reasoning. */
  readonly messages: readonly Message[];
  readonly hasTools: boolean;
  /** What the vendor would cache, in this order: tools, system, messages. */
  readonly prompt: readonly unknown[];
  readonly cacheKey: string | undefined;
  readonly streams: boolean;
  readonly wants: ReadonlySet<Want>;
}

export interface WireCall {
  readonly id: string;
  readonly tool: string;
  /** The arguments as JSON. The last call of a cut reply has only the first half. */
  readonly json: string;
}

/** The visible reasoning, and the seal that identifies it when the client sends it back. */
export interface Reasoning {
  readonly text: string;
  readonly seal: string;
}

export interface Answer {
  /** Unique; has no prefix yet. */
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

/** An error in the vendor's words. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly code?: string;
}

/** Reasoning that the client did not send back with the call that followed it. */
interface LostReasoning {
  /** Index of the message. */
  readonly index: number;
  readonly tool: string;
  readonly callId: string;
  readonly reasoning: Reasoning;
}

/** Errors in the vendor's own words, because clients recognise them by their text. */
interface WireErrors {
  toolsUnsupported(model: string): Problem;
  tooLong(tokens: number, limit: number): Problem;
  /** Absent if the wire has no opaque items that clients must send back. */
  reasoningLost?(lost: LostReasoning): Problem;
}

/** The events of a streamed answer. A client considers it complete after the first event of `end`. */
export interface Frames {
  readonly content: readonly string[];
  readonly end: readonly string[];
}

/** A vendor's API: one file, and one line in `index.ts`. */
export interface Wire {
  readonly name: string;
  /** Paths in fastify's syntax; the method is POST. */
  readonly routes: readonly string[];
  readonly contentType: string;
  /** Absent if the API needs no key. */
  readonly key?: {
    isGiven(headers: IncomingHttpHeaders): boolean;
    readonly missing: Problem;
  };
  /** `path` includes the query. Throws a ZodError if the body is invalid. */
  parse(body: unknown, path: string): WireRequest;
  /** The item that carries reasoning. `parse` puts it in a message's `native` when the client sends it back. */
  opaque?(reasoning: Reasoning): unknown;
  frames(answer: Answer, request: WireRequest): Frames;
  /** The answer to a request without streaming; absent if this server only streams. */
  whole?(answer: Answer): unknown;
  readonly errors: WireErrors;
  errorBody(problem: Problem): unknown;
}

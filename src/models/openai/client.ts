// What the two wires of OpenAI share: the client, an attempt, and what its errors mean.
import OpenAI, { APIConnectionError, APIError, APIUserAbortError } from 'openai';
import type { ModelRequest } from '../../agent/model.ts';
import { apiFetch, thrownBelow } from '../wire/api-fetch.ts';
import type { Line } from '../wire/attempt-limits.ts';
import { ATTEMPT_LIMITS, withinLimits } from '../wire/attempt-limits.ts';
import type { Attempt } from '../wire/decision.ts';
import { brokenOff, decisionOn, endedEarly } from '../wire/decision.ts';
import { OptionalParameters } from './optional-parameters.ts';

/** A server that speaks one of OpenAI's wires, and a model of it. */
export interface OpenAIEndpoint {
  readonly model: string;
  /** Ends before `/chat/completions` or `/responses`, with no slash. */
  readonly baseUrl: string;
  /** What tells the server who asks, as it wants to be told. */
  readonly headers: Readonly<Record<string, string>>;
  /** OpenAI itself, or Azure: they have parameters that other servers may refuse. */
  readonly isOpenAI: boolean;
  readonly addressSetting: string;
}

/** A request on its way; `sent` names the parts that it could do without. */
export interface Outgoing<Event> {
  readonly sent: readonly string[];
  readonly stream: Promise<AsyncIterable<Event>>;
}

export class OpenAIServer {
  readonly endpoint: OpenAIEndpoint;
  readonly optional = new OptionalParameters();

  constructor(endpoint: OpenAIEndpoint) {
    this.endpoint = endpoint;
  }

  /**
   * One attempt: sends a request, and reads its stream of events to the end. `read` resolves with
   * `undefined` when the mark that ends a reply was missing.
   */
  ask<Event, T extends object>(
    request: ModelRequest,
    send: (client: OpenAI, line: Line) => Outgoing<Event>,
    read: (events: AsyncIterable<Event>, line: Line) => Promise<T | undefined>,
  ): Promise<T> {
    const { model, addressSetting } = this.endpoint;
    const attempt = { model, addressSetting, withTools: request.tools.length > 0 };
    return withinLimits(request.signal, async (line) => {
      for (;;) {
        const { sent, stream } = send(this.#client(line, attempt), line);
        try {
          const reply = await read(await stream, line);
          if (reply !== undefined) return reply;
          throw endedEarly();
        } catch (error) {
          if (!this.#leavesOut(error, sent)) throw decided(error, attempt);
        }
      }
    });
  }

  /** Retries are the caller's: a client that retries by itself waits for no `retry-after`. */
  #client(line: Line, attempt: Attempt): OpenAI {
    const { baseUrl, headers } = this.endpoint;
    return new OpenAI({
      baseURL: baseUrl,
      // The client refuses to be built without a key, and takes what is not given from the environment.
      apiKey: 'none',
      organization: null,
      project: null,
      defaultHeaders: { authorization: null, ...headers },
      maxRetries: 0,
      timeout: ATTEMPT_LIMITS.totalMs,
      logLevel: 'off',
      fetch: apiFetch(line, attempt),
    });
  }

  #leavesOut(error: unknown, sent: readonly string[]): boolean {
    if (!(error instanceof APIError)) return false;
    const { status, param, message: words } = error;
    return this.optional.leaveOut({ status, param, words }, sent);
  }
}

function decided(error: unknown, attempt: Attempt): Error {
  const below = thrownBelow(error);
  if (below !== undefined) return below;
  const isAnswer = !(error instanceof APIConnectionError || error instanceof APIUserAbortError);
  if (!(error instanceof APIError) || !isAnswer) return brokenOff(error);
  const { status, code, type, message: words, headers } = error;
  return decisionOn(
    { status: status ?? statusIn(code), codes: [code, type], words, headers },
    attempt,
    error,
  );
}

/** Inside a stream, llama.cpp and OpenRouter send the HTTP status that it is too late for as code. */
function statusIn(code: unknown): number | undefined {
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
}

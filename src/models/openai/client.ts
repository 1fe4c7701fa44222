// What the two wires of OpenAI share: the client, an attempt, and what its errors mean.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import type { ModelRequest } from '../../contracts/model.ts';
import { apiFetch, thrownBelow } from '../wire/api-fetch.ts';
import type { Line } from '../wire/attempt-limits.ts';
import { ATTEMPT_LIMITS, withinLimits } from '../wire/attempt-limits.ts';
import type { Attempt } from '../wire/decision.ts';
import { brokenOff, decisionOn, endedEarly } from '../wire/decision.ts';
import { linesOf } from '../wire/lines.ts';
import { serverEvents } from '../wire/server-events.ts';
import { OptionalParameters } from './optional-parameters.ts';
import { faultBelow, faultIn, ServerFault } from './server-fault.ts';

/** A server may leave the connection open. */
const REST_MS = 100;

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

export interface Outgoing<Body> {
  /** Below the server's address. */
  readonly path: string;
  readonly body: Body;
  /** The names of the parts that it could do without. */
  readonly sent: readonly string[];
}

/** A request on its way through the client, which is one for all. */
interface Call {
  readonly attempt: Attempt;
  readonly line: Line;
}

/**
 * OpenAI's client sends; we read. A client for each request, and its own reading of the stream, took
 * longer than everything else between two requests.
 */
export class OpenAIServer {
  readonly endpoint: OpenAIEndpoint;
  readonly optional = new OptionalParameters();
  readonly #client: OpenAI;
  readonly #calls = new AsyncLocalStorage<Call>();

  constructor(endpoint: OpenAIEndpoint) {
    this.endpoint = endpoint;
    this.#client = clientOf(endpoint, (...call) => this.#fetch(...call));
  }

  /**
   * One attempt: sends a request, and reads its stream of events to the end. `read` resolves with
   * `undefined` when the mark that ends a reply was missing.
   */
  ask<Event, T extends object>(
    request: ModelRequest,
    outgoing: () => Outgoing<object>,
    read: (events: AsyncIterable<Event>, line: Line) => Promise<T | undefined>,
  ): Promise<T> {
    const { model, addressSetting } = this.endpoint;
    const attempt = { model, addressSetting, withTools: request.tools.length > 0 };
    return withinLimits(request.signal, async (line) => {
      for (;;) {
        const { path, body, sent } = outgoing();
        try {
          const answer = await this.#post(path, body, attempt, line);
          const reply = await read(eventsOf<Event>(answer, line), line);
          if (reply === undefined) throw endedEarly();
          await restOf(answer);
          return reply;
        } catch (error) {
          if (!this.#leavesOut(error, sent)) throw decided(error, attempt);
        }
      }
    });
  }

  #post(path: string, body: object, attempt: Attempt, line: Line): Promise<Response> {
    const { signal } = line;
    return this.#calls.run({ attempt, line }, () =>
      this.#client.post(`/${path}`, { body, signal }).asResponse(),
    );
  }

  /** @throws {ServerFault} for an answer that is no success: the client wraps it */
  async #fetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const call = this.#calls.getStore();
    if (call === undefined) throw new Error('the client was used from elsewhere');
    const answer = await apiFetch(fetch, call.attempt)(input, init);
    if (answer.ok) return answer;
    let said = '';
    for await (const words of linesOf(answer.body, call.line.came)) said += `${words}\n`;
    throw faultIn(said, answer);
  }

  #leavesOut(error: unknown, sent: readonly string[]): boolean {
    const fault = faultBelow(error);
    if (fault === undefined) return false;
    const { status, param, message: words } = fault;
    return this.optional.leaveOut({ status, param, words }, sent);
  }
}

/** Retries are the caller's: a client that retries by itself waits for no `retry-after`. */
const clientOf = ({ baseUrl, headers }: OpenAIEndpoint, send: typeof fetch): OpenAI =>
  new OpenAI({
    baseURL: baseUrl,
    // The client refuses to be built without a key, and takes what is not given from the environment.
    apiKey: 'none',
    organization: null,
    project: null,
    defaultHeaders: { authorization: null, ...headers },
    maxRetries: 0,
    timeout: ATTEMPT_LIMITS.totalMs,
    logLevel: 'off',
    fetch: send,
  });

/**
 * The events of one wire, which nothing checks.
 * @throws {ServerFault} for an error among them
 */
async function* eventsOf<Event>({ body, headers }: Response, line: Line): AsyncGenerator<Event> {
  const parts = body?.values({ preventCancel: true }) ?? null;
  for await (const { name, data } of serverEvents(parts, line.came)) {
    const { error } = Object(data) as { readonly error?: unknown };
    if (error || name === 'error') throw new ServerFault(error ?? data, { headers });
    yield data as Event;
  }
}

/** Nothing is in it; but only a connection that was read to its end serves the next request, too. */
async function restOf({ body }: Response): Promise<void> {
  const end = body?.pipeTo(new WritableStream()).catch(() => undefined);
  await Promise.race([end, sleep(REST_MS, undefined, { ref: false })]);
}

function decided(error: unknown, attempt: Attempt): Error {
  const below = thrownBelow(error);
  if (below !== undefined) return below;
  const fault = faultBelow(error);
  if (fault === undefined) return brokenOff(error);
  const { status, code, type, message: words, headers } = fault;
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

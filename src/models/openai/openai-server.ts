// What both OpenAI APIs share: the client, one attempt, and the meaning of errors.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import type { ModelRequest } from '../../contracts/model.ts';
import {
  apiFetch,
  thrownBelow,
  ATTEMPT_LIMITS,
  fetchWithin,
  withinAttemptLimits,
  type AttemptLimits,
  type LimitedAttempt,
} from '../wire/attempt-limits.ts';
import {
  attemptOf,
  connectionFailed,
  errorFor,
  replyEndedEarly,
  toolsUnsupported,
  type AttemptedRequest,
} from '../wire/server-error.ts';
import { Efforts, OPENAI_EFFORTS, Wishes, type Wish } from '../wire/learnt-from-errors.ts';
import { eventsOf, linesOf } from '../wire/server-events.ts';
import { faultBelow, faultInBody } from '../wire/server-fault.ts';
import { jsonFetch, type Embed } from '../wire/vectors.ts';

/** How long to wait for the end of an answer that a server leaves open. */
const REST_MS = 100;

/** A model on a server with one of OpenAI's APIs. */
export interface OpenAIEndpoint {
  readonly model: string;
  /** The address without `/chat/completions` or `/responses` and without a trailing slash. */
  readonly baseUrl: string;
  /** The headers that authenticate the request. */
  readonly headers: Readonly<Record<string, string>>;
  /** OpenAI itself or Azure. They have parameters that other servers may not accept. */
  readonly isOpenAI: boolean;
  readonly addressSetting: string;
  /** `ATTEMPT_LIMITS` if missing. */
  readonly limits?: AttemptLimits;
}

export interface OutgoingRequest<Body> {
  /** Relative to the server's address. */
  readonly path: string;
  readonly body: Body;
  /** The names of its optional parts. */
  readonly sent: readonly string[];
  /** What it says of the effort. */
  readonly effort: string | undefined;
}

/** The context of one request. All requests share one client. */
interface Call {
  readonly attempt: AttemptedRequest;
  readonly line: LimitedAttempt;
}

/**
 * OpenAI's client sends, and we read the stream. A new client for each request and its own stream reader
 * took longer than everything else between two requests.
 */
export class OpenAIServer<Body extends object> {
  readonly endpoint: OpenAIEndpoint;
  readonly optional = new OptionalParameters();
  readonly efforts = new Efforts(OPENAI_EFFORTS);
  readonly #wishes: Wishes<Body>;
  readonly #client: OpenAI;
  readonly #calls = new AsyncLocalStorage<Call>();

  constructor(endpoint: OpenAIEndpoint, wishes: readonly Wish<Body>[] = []) {
    this.endpoint = endpoint;
    this.#wishes = new Wishes(wishes);
    this.#client = clientOf(endpoint, (...call) => this.#fetch(...call));
  }

  /** What it does since the server rejected something, for people. */
  get learnt(): readonly string[] {
    return [...this.optional.learnt, ...this.#wishes.learnt];
  }

  /**
   * Makes one attempt: sends a request and reads its event stream to the end. `read` resolves with
   * `undefined` if the reply is not complete; `isDone` says whether the server said so, once the events have ended.
   */
  ask<Event, T extends object>(
    request: ModelRequest,
    outgoing: () => OutgoingRequest<Body>,
    read: (
      events: AsyncIterable<Event>,
      line: LimitedAttempt,
      isDone: () => boolean,
    ) => Promise<T | undefined>,
  ): Promise<T> {
    const { model, addressSetting, limits } = this.endpoint;
    const attempt = attemptOf(request, { model, addressSetting });
    const attempted = async (line: LimitedAttempt): Promise<T> => {
      for (;;) {
        const { path, body, ...parts } = outgoing();
        try {
          const answer = await this.#post(path, this.#wishes.fulfilled(body), attempt, line);
          let isDone = false;
          const events = eventsOf<Event>(answer, line.came, () => (isDone = true));
          const reply = await read(events, line, () => isDone);
          if (reply === undefined) throw replyEndedEarly();
          await restOf(answer);
          return reply;
        } catch (error) {
          if (!this.#changes(error, parts, attempt)) throw decided(error, attempt);
        }
      }
    };
    return withinAttemptLimits(request.signal, attempted, limits);
  }

  #post(
    path: string,
    body: object,
    attempt: AttemptedRequest,
    line: LimitedAttempt,
  ): Promise<Response> {
    const { signal } = line;
    return this.#calls.run({ attempt, line }, () =>
      this.#client.post(`/${path}`, { body, signal }).asResponse(),
    );
  }

  /** @throws {ServerFault} for an unsuccessful answer; the client wraps it */
  async #fetch(...[input, init]: Parameters<typeof fetch>): Promise<Response> {
    const call = this.#calls.getStore();
    if (call === undefined) throw new Error('the client was used from elsewhere');
    const send = fetchWithin(this.endpoint.limits ?? ATTEMPT_LIMITS);
    const answer = await apiFetch(send, call.attempt, 'any')(input, init);
    if (answer.ok) return answer;
    let said = '';
    for await (const words of linesOf(answer.body, call.line.came)) said += `${words}\n`;
    throw faultInBody(said, answer);
  }

  /** Whether the next request will be another one, because of what the server said of this one. */
  #changes(
    error: unknown,
    { sent, effort }: Pick<OutgoingRequest<Body>, 'sent' | 'effort'>,
    attempt: AttemptedRequest,
  ): boolean {
    const fault = faultBelow(error);
    if (fault === undefined) return false;
    const { status, param, message: words } = fault;
    if (this.optional.leaveOut({ status, param, words }, sent)) return true;
    const learnt = this.#wishes.learn(fault);
    if (learnt === 'unfulfilled' && attempt.withTools) throw toolsUnsupported(fault, attempt);
    return learnt === 'learnt' || this.efforts.rejects(effort, fault);
  }
}

/** The client does not retry: its own retries ignore `retry-after`. `retried` does instead. */
const clientOf = (
  { baseUrl, headers, limits = ATTEMPT_LIMITS }: OpenAIEndpoint,
  send: typeof fetch,
): OpenAI =>
  new OpenAI({
    baseURL: baseUrl,
    // The client requires a key and reads everything else that is missing from the environment.
    apiKey: 'none',
    organization: null,
    project: null,
    defaultHeaders: { authorization: null, ...headers },
    maxRetries: 0,
    timeout: limits.totalMs,
    logLevel: 'off',
    fetch: send,
  });

/** Reads the empty rest of an answer, because only then can the connection be used again. */
async function restOf({ body }: Response): Promise<void> {
  const end = body?.pipeTo(new WritableStream()).catch(() => undefined);
  await Promise.race([end, sleep(REST_MS, undefined, { ref: false })]);
}

function decided(error: unknown, attempt: AttemptedRequest): Error {
  const below = thrownBelow(error);
  if (below !== undefined) return below;
  const fault = faultBelow(error);
  if (fault === undefined) return connectionFailed(error);
  const { status, code, type, message: words, headers } = fault;
  return errorFor({ status, codes: [code, type], words, headers }, attempt, error);
}

/** Phrases of errors about an unsupported part of a request. */
const UNSUPPORTED =
  /unsupported|not supported|unrecognized|unknown|unexpected|not permitted|not allowed|extra_forbidden|please remove/i;

interface FailedRequest {
  readonly status: number | undefined;
  /** The part that the server names as the cause. */
  readonly param: unknown;
  readonly words: string;
}

/**
 * Parts of requests that some servers do not support. There is no way to know in advance: the adapter
 * repeats the request without the part and remembers that.
 */
class OptionalParameters {
  readonly #leftOut = new Set<string>();

  /** For people. */
  get learnt(): readonly string[] {
    return [...this.#leftOut].map((name) => `leaves out \`${name}\``);
  }

  /** Whether to send a part. */
  allows(name: string): boolean {
    return !this.#leftOut.has(name);
  }

  /** Those of the parts that should be sent. */
  allowed<T extends object>(parts: T): Partial<T> {
    const entries = Object.entries(parts).filter(([name]) => this.allows(name));
    return Object.fromEntries(entries) as Partial<T>;
  }

  /**
   * From now on leaves out the part that an error is about. `sent` names the optional parts of the request.
   * @returns whether the error was about one of them
   */
  leaveOut({ status, param, words }: FailedRequest, sent: readonly string[]): boolean {
    if ((status !== 400 && status !== 422) || !UNSUPPORTED.test(words)) return false;
    const first = sent
      .filter((name) => words.includes(name))
      .toSorted((one, other) => words.indexOf(one) - words.indexOf(other))[0];
    const name = sent.find((one) => one === param) ?? first;
    if (name === undefined) return false;
    this.#leftOut.add(name);
    return true;
  }
}

/** OpenAI's `/embeddings`, and the same API of other servers. */
export function openAIEmbeddings(endpoint: OpenAIEndpoint): Embed {
  const { model } = endpoint;
  const client = clientOf(endpoint, jsonFetch);
  return async (texts, signal) => {
    const { data, usage } = await client.embeddings.create(
      { model, input: [...texts], encoding_format: 'float' },
      { signal },
    );
    const inOrder = data.toSorted((one, other) => one.index - other.index);
    return { vectors: inOrder.map(({ embedding }) => embedding), tokens: usage?.prompt_tokens };
  };
}

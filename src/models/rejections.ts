import { ContextOverflow } from '../agent/model-errors.ts';
import { weightOf } from '../agent/relief.ts';
import type { ModelRequest } from '../contracts/model.ts';
import { RequestRejected } from './wire/server-error.ts';

/** Tokens of a reply that every model can write. */
const FEW = 4_096;
/** A number below is not that of an output limit. */
const LEAST = 256;
/** A conversation with more messages, and more tokens, may be too long for a model. */
const SHORT = { messages: 6, tokens: 4_000 };
/** Sessions that are remembered. */
const MOST_SESSIONS = 1_000;

/**
 * What is done about a request that a server rejected for a reason that nobody knows: servers say it in any words. First it is
 * made again for a shorter reply, which costs nothing if that was not the reason. Then, if it was long, the conversation is taken for
 * too long, once. Then people read what the server says.
 */
export class Rejections {
  #mostOutput = Infinity;
  /** Sessions whose conversation was taken for too long, by their cache key, until the next reply. */
  readonly #shortened = new Set<string>();

  /** For people. */
  get learnt(): readonly string[] {
    if (this.#mostOutput === Infinity) return [];
    return [`asks for at most ${this.#mostOutput.toLocaleString('en')} tokens per reply`];
  }

  /** @throws {ContextOverflow} if the conversation may be too long */
  async answer<T>(request: ModelRequest, send: (request: ModelRequest) => Promise<T>): Promise<T> {
    const first = withOutput(request, Math.min(request.maxOutputTokens, this.#mostOutput));
    const sent = await answered(first, send);
    const { reply, rejection } =
      sent.rejection === undefined ? sent : await this.#shorter(first, sent.rejection, send);
    if (rejection === undefined) {
      this.#shortened.delete(request.cacheKey);
      return reply as T;
    }
    const isNew = !this.#shortened.delete(request.cacheKey);
    const { messages } = request;
    const isLong =
      messages.length > SHORT.messages &&
      messages.reduce((sum, message) => sum + weightOf(message), 0) > SHORT.tokens;
    if (!isNew || rejection.isAboutOutput || !isLong) throw rejection;
    if (this.#shortened.size < MOST_SESSIONS) this.#shortened.add(request.cacheKey);
    throw new ContextOverflow(`The conversation may be too long: ${rejection.message}`, {
      cause: rejection,
    });
  }

  /** Asks for shorter replies, and remembers what the server accepted. */
  async #shorter<T>(
    request: ModelRequest,
    rejection: RequestRejected,
    send: (request: ModelRequest) => Promise<T>,
  ): Promise<ReplyOrRejection<T>> {
    for (const tokens of shorterReplies(request.maxOutputTokens, rejection)) {
      const sent = await answered(withOutput(request, tokens), send);
      if (sent.rejection !== undefined) continue;
      this.#mostOutput = tokens;
      return sent;
    }
    return { rejection };
  }
}

interface ReplyOrRejection<T> {
  readonly reply?: T;
  readonly rejection?: RequestRejected;
}

async function answered<T>(
  request: ModelRequest,
  send: (request: ModelRequest) => Promise<T>,
): Promise<ReplyOrRejection<T>> {
  try {
    return { reply: await send(request) };
  } catch (error) {
    if (error instanceof RequestRejected) return { rejection: error };
    throw error;
  }
}

const withOutput = (request: ModelRequest, maxOutputTokens: number): ModelRequest => ({
  ...request,
  maxOutputTokens,
});

/** What a rejection is about that has such a word. Numbers of others are no limits of a reply. */
const OUTPUT = /max_\w{0,12}tokens|output|completion/i;
/** With or without commas between thousands. */
const NUMBER = /(?<![\d,])\d{1,3}(?:,\d{3}){1,2}(?![\d,])|(?<!\d)\d{3,8}(?!\d)/g;
/** Only the beginning counts: servers may quote the request after it. */
const READ_CHARACTERS = 2_000;

/** Tokens to ask for instead: the largest number below that the server names, then few. */
function shorterReplies(asked: number, { said }: RequestRejected): readonly number[] {
  const words = said.slice(0, READ_CHARACTERS);
  const numbers = OUTPUT.test(words) ? (words.match(NUMBER) ?? []) : [];
  const stated = Math.max(
    0,
    ...numbers
      .map((one) => Number(one.replaceAll(',', '')))
      .filter((number) => number >= LEAST && number < asked),
  );
  return [...new Set([stated, FEW])].filter((tokens) => tokens >= LEAST && tokens < asked);
}

import { TellPerson, TryLater } from '../../lib/errors.ts';

export interface AttemptLimits {
  /** From the request to the end of the reply. */
  readonly totalMs: number;
  /** From one sign of life to the next, and to the first. */
  readonly silenceMs: number;
  /** Many times what a reply may hold, as it came over the line: a server that never ends is cut off. */
  readonly bytes: number;
  /** The same for what is gathered of it. */
  readonly characters: number;
}

export const ATTEMPT_LIMITS: AttemptLimits = {
  totalMs: 15 * 60_000,
  silenceMs: 5 * 60_000,
  bytes: 64_000_000,
  characters: 4_000_000,
};

/** One for all: to build the usual one costs more than the rest of an attempt's end. */
const OVER = new Error('the attempt is over');

/** The line to a server during one attempt. */
export interface Line {
  /** For the SDK: ends the attempt at any of its limits, and when the caller's signal does. */
  readonly signal: AbortSignal;
  /** For SDKs that take one: holds whole answers, errors too, within the limits. */
  readonly fetch: typeof fetch;
  /**
   * To be called with each part of an answer that came otherwise.
   * @throws {TellPerson} when there were too many bytes
   */
  readonly came: (bytes: number) => void;
  /**
   * To be called with each part of the reply that came.
   * @throws {TellPerson} when there were too many characters
   */
  readonly heard: (characters: number) => void;
}

/**
 * Makes one attempt within limits of time and size. SDKs end a stream that was aborted as if it were
 * whole, or throw errors of their own: what ended the attempt is told here, whatever `work` does.
 * @throws the reason of `signal` when it was aborted
 * @throws {TryLater} when the server was silent, or took, for too long
 * @throws {TellPerson} when it sent a reply without end
 */
export async function withinLimits<T>(
  signal: AbortSignal,
  work: (line: Line) => Promise<T>,
  limits: AttemptLimits = ATTEMPT_LIMITS,
): Promise<T> {
  signal.throwIfAborted();
  const own = new AbortController();
  const end = (words: string) => () => own.abort(new TryLater(words));
  const total = setTimeout(end('the model took too long to reply'), limits.totalMs);
  const silence = setTimeout(end('the model server stopped responding'), limits.silenceMs);
  const count = (limit: number) => upTo(limit, silence, own);
  const came = count(limits.bytes);
  const both = AbortSignal.any([signal, own.signal]);
  try {
    const line = {
      signal: both,
      fetch: counted(came),
      came,
      heard: count(limits.characters),
    };
    const result = await work(line);
    both.throwIfAborted();
    return result;
  } catch (error) {
    both.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(total);
    clearTimeout(silence);
    // Whatever else is on the line is not worth its bytes.
    own.abort(OVER);
  }
}

type Count = (more: number) => void;

function upTo(limit: number, silence: NodeJS.Timeout, attempt: AbortController): Count {
  let sum = 0;
  return (more) => {
    silence.refresh();
    sum += more;
    if (sum <= limit) return;
    const words = 'The model server sent an endless reply. Check its address.';
    attempt.abort(new TellPerson(words));
    attempt.signal.throwIfAborted();
  };
}

const counted =
  (count: Count): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const counting = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, next) => {
        count(bytes.byteLength);
        next.enqueue(bytes);
      },
    });
    return new Response(body.pipeThrough(counting), { status, statusText, headers });
  };

import { setTimeout as sleep } from 'node:timers/promises';

// An error's class says what to do about it. The code that knows the cause chooses the class, so that no
// caller has to compare messages.

/** The model gets the message as the result of its call, and the run continues. */
export class TellModel extends Error {
  override readonly name = 'TellModel';
}

/** The run ends, and people read the message on the issue: what happened, why, what to do. */
export class TellPerson extends Error {
  override readonly name = 'TellPerson';
}

/**
 * The base branch is not merged into the branch, and only people can change that. The run ends in the same way, and those after it
 * continue without the merge, until someone asks for it again.
 */
export class MergeRejected extends TellPerson {}

/** The server does not have the commit that is to be merged, or not any more. */
export class MergedCommitGone extends TellPerson {}

/** A webhook is answered with 400 and the message, which names what is missing or wrong. */
export class InvalidPayload extends Error {
  override readonly name = 'InvalidPayload';
}

/** The step may succeed later. The message is logged, and shown to people while the run waits or if it gives up. */
export class TryLater extends Error {
  override readonly name = 'TryLater';
  /** Milliseconds that the server asked us to wait, if it did. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: ErrorOptions & { retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** The reason of a run's signal when its work is over. Any other reason is a shutdown, after which the run is resumed. */
export class Termination extends Error {
  override readonly name = 'Termination';
}

/** The text of anything that was thrown. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** The `code` that Node and isomorphic-git give their errors, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const hasCodeField = typeof error === 'object' && error !== null && 'code' in error;
  return hasCodeField && typeof error.code === 'string' ? error.code : undefined;
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  const code = codeOf(error);
  return code !== undefined && codes.includes(code);
}

/** What `work` resolves with; `undefined` if it fails with an error of this class. */
export const unless = <T>(
  kind: new (...args: never[]) => Error,
  work: Promise<T>,
): Promise<T | undefined> =>
  work.catch((error: unknown) => {
    if (error instanceof kind) return undefined;
    throw error;
  });

export interface RetryPolicy {
  readonly attempts: number;
  /** Milliseconds, doubled for each further wait. */
  readonly firstDelayMs: number;
  /** If a server asks for a longer wait, the error is thrown: the caller waits without holding anything. */
  readonly longestDelayMs: number;
  /** Milliseconds after which no further attempt begins; no limit if omitted. */
  readonly withinMs?: number | undefined;
}

/** Injected by tests. */
export interface RetryClock {
  /** Rejects as soon as `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<unknown>;
  /** At least 0, below 1. */
  random(): number;
}

export interface Retries {
  readonly policy: RetryPolicy;
  /** Whether an error is worth another attempt; those of `TryLater` if omitted. */
  readonly mayPass?: ((error: unknown) => boolean) | undefined;
  /** Ends the waits. */
  readonly signal?: AbortSignal | undefined;
  readonly waiting?: RetryClock | undefined;
}

const WAITING: RetryClock = {
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  random: Math.random,
};

/**
 * Repeats what failed for a moment: exponential back-off with jitter, and never sooner than the server asked for.
 * @throws the last error; the reason of the signal if it is aborted during a wait
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { policy, mayPass = (error) => error instanceof TryLater, signal, waiting = WAITING }: Retries,
): Promise<T> {
  const began = performance.now();
  for (let made = 1; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      if (made >= policy.attempts || !mayPass(error)) throw error;
      const backOff = policy.firstDelayMs * 2 ** (made - 1) * (0.5 + waiting.random());
      const delay = Math.max(backOff, (error instanceof TryLater && error.retryAfterMs) || 0);
      if (delay > policy.longestDelayMs) throw error;
      if (performance.now() - began > (policy.withinMs ?? Infinity)) throw error;
      await waiting.sleep(delay, signal).catch(() => signal?.throwIfAborted());
    }
  }
}

/** Headers by their names in lower case. */
type Headers = Readonly<Record<string, unknown>>;

/** If GitHub does not say how long to wait (rule `wait-without-retry-after` of docs/github-rules.md). */
const SECONDARY_LIMIT_MS = 60_000;

/** Milliseconds that GitHub asks to wait; `undefined` if the answer is not a rate limit. `said`: its words. */
export function rateLimitWait(status: number, headers: Headers, said: string): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const retryAfter = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && retryAfter >= 0) return retryAfter * 1000;
  if (Number(headers['x-ratelimit-remaining'] ?? Number.NaN) === 0) {
    const reset = Number(headers['x-ratelimit-reset']) * 1000;
    // By GitHub's clock, which the answer has too.
    const now = Date.parse(String(headers['date'])) || Date.now();
    return Number.isFinite(reset) ? Math.max(reset - now, 1000) : SECONDARY_LIMIT_MS;
  }
  const named = /rate limit|abuse detection/i.test(said);
  return named || status === 429 ? SECONDARY_LIMIT_MS : undefined;
}

/**
 * A step that is taken once the work is done, or beside it: what comes of it or, if it is denied for good, what `denied`
 * makes of the reason. The work is there all the same, so such a denial is no failure of it. What may pass, and faults of
 * our own, are thrown.
 */
export async function besideTheWork<T>(
  step: () => Promise<T>,
  denied: (reason: string) => T | Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!(error instanceof TellPerson)) throw error;
    return denied(messageOf(error));
  }
}

/** `undefined` if it fails: for looks at files that may vanish. */
export function unlessItFails<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}

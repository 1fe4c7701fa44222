import { setTimeout as sleep } from 'node:timers/promises';
import { TryLater } from './errors.ts';

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
  { policy, mayPass = isTemporary, signal, waiting = WAITING }: Retries,
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

const isTemporary = (error: unknown): boolean => error instanceof TryLater;

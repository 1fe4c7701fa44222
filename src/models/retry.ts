import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from '../contracts/model.ts';
import { TryLater } from '../lib/errors.ts';
import { NotTheApi } from './wire/server-error.ts';

interface RetryPolicy {
  readonly attempts: number;
  readonly firstDelayMs: number;
  /** If a server asks for a longer wait, the error is thrown and the run is deferred: it gives up its slot. */
  readonly longestDelayMs: number;
}

const POLICY: RetryPolicy = { attempts: 4, firstDelayMs: 500, longestDelayMs: 5_000 };

/** Injected by tests. */
interface Waiting {
  /** Rejects as soon as `signal` is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
  /** At least 0, below 1. */
  random(): number;
}

const WAITING: Waiting = {
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
  random: Math.random,
};

/**
 * The only place where a model request is retried: exponential back-off with jitter, and never sooner than
 * the server asked for.
 * @throws the reason of the request's signal if it is aborted during a wait
 */
export function withRetries(
  attempt: Model['reply'],
  policy = POLICY,
  waiting = WAITING,
): Model['reply'] {
  return async (request) => {
    for (let made = 1; ; made++) {
      try {
        return await attempt(request);
      } catch (error) {
        if (made >= policy.attempts || !mayPass(error)) throw error;
        const backoff = policy.firstDelayMs * 2 ** (made - 1) * (0.5 + waiting.random());
        const asked = error instanceof TryLater ? error.retryAfterMs : undefined;
        const delay = Math.max(backoff, asked ?? 0);
        if (delay > policy.longestDelayMs) throw error;
        await waiting.sleep(delay, request.signal).catch(() => request.signal.throwIfAborted());
      }
    }
  };
}

/** A page instead of a reply may be that of a proxy whose server restarts. A person is told if it stays. */
const mayPass = (error: unknown): boolean =>
  error instanceof TryLater || error instanceof NotTheApi;

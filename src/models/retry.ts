import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from '../agent/model.ts';
import { TryLater } from '../lib/errors.ts';

export interface RetryPolicy {
  readonly attempts: number;
  readonly firstDelayMs: number;
  /** A server that asks for a longer wait is obeyed by the caller: the session is put aside. */
  readonly longestDelayMs: number;
}

const POLICY: RetryPolicy = { attempts: 4, firstDelayMs: 500, longestDelayMs: 20_000 };

/** The one retry of a model: exponential with jitter, never sooner than the server asked for. */
export function withRetries(model: Model, policy: RetryPolicy = POLICY): Model {
  return {
    name: model.name,
    reply: async (request) => {
      for (let attempt = 1; ; attempt++) {
        try {
          return await model.reply(request);
        } catch (error) {
          if (!(error instanceof TryLater) || attempt >= policy.attempts) throw error;
          const backoff = policy.firstDelayMs * 2 ** (attempt - 1) * (0.5 + Math.random());
          const delay = Math.max(backoff, error.retryAfterMs ?? 0);
          if (delay > policy.longestDelayMs) throw error;
          await sleep(delay, undefined, { signal: request.signal });
        }
      }
    },
  };
}

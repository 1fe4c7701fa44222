import type { Model } from '../contracts/model.ts';
import { TryLater } from '../lib/errors.ts';
import { withRetries, type RetryPolicy, type Waiting } from '../lib/retries.ts';
import { NotTheApi } from './wire/server-error.ts';

const POLICY: RetryPolicy = { attempts: 4, firstDelayMs: 500, longestDelayMs: 5_000 };

/** The only place where a model request is retried. @throws the reason of its signal if that is aborted during a wait */
export const retried =
  (reply: Model['reply'], policy = POLICY, waiting?: Waiting): Model['reply'] =>
  (request) =>
    withRetries(() => reply(request), { policy, mayPass, signal: request.signal, waiting });

/** A page instead of a reply may be that of a proxy whose server restarts. A person is told if it stays. */
const mayPass = (error: unknown): boolean =>
  error instanceof TryLater || error instanceof NotTheApi;

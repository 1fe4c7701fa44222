// The policy for all requests to GitHub: a deadline, a fresh token, retries of failed reads but not of
// writes, the write budget, and errors that say what to do.
import type { ProbotOctokit } from 'probot';
import { measured, timed } from '../../lib/measurements.ts';
import { messageOf, TryLater } from '../../lib/errors.ts';
import { withRetries } from '../../lib/retries.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import type { JoinedReads } from './joined-reads.ts';
import type { KnownReads } from './known-reads.ts';
import { pauseRequests, untilAllowed, type Limits } from './limits.ts';
import { hearLimits } from './request-pace.ts';
import type { SharedAnswers } from './shared-answers.ts';
import { inTurn } from './write-room.ts';
import { GitHubDenied, Suspended, WaitEnded, WriteBudgetExhausted } from '../errors.ts';
import { errorForFailure, type Advice } from './error-for-failure.ts';
import { sendAndFollow } from './redirects.ts';
import { assertWhole, RENDERING } from './whole-responses.ts';

export interface RequestPolicy extends Limits {
  readonly redactor: Redactor;
  /** Milliseconds that one attempt may take; 15,000 if omitted. */
  readonly deadlineMs?: number | undefined;
  /** Redirects to this repository are followed, as it may have been renamed; no others. */
  readonly repositoryId?: number | undefined;
  readonly reads?: SharedReads | undefined;
  /** What people are advised if GitHub denies a request; if omitted, that of an App. */
  readonly advice?: Advice;
  /** Milliseconds before the first retry of a read, doubled for each further one; 500 if omitted. */
  readonly backoffMs?: number | undefined;
}

/** What requests of an installation share of what they read. */
export interface SharedReads {
  readonly installation: number;
  readonly known: KnownReads;
  readonly joined: JoinedReads<Answer>;
  /** With other processes. */
  readonly shared?: SharedAnswers | undefined;
  /** What the token is for: only those who may see the same share an answer. */
  readonly audience: string;
}

/** Returns the token for a request. `invalidToken` is one that GitHub has just answered with 401. */
export type TokenSource = (invalidToken: string | undefined) => Promise<string>;

type WrapHook = Parameters<typeof ProbotOctokit.prototype.hook.wrap<'request'>>[1];
type Send = Parameters<WrapHook>[0];
type Options = Parameters<WrapHook>[1];
type Answer = Awaited<ReturnType<Send>>;

const DEADLINE_MS = 15_000;
const BACKOFF_MS = 500;
const RETRIES = { attempts: 4, longestDelayMs: 5_000 };

/**
 * Applies the policy to every request of this octokit. Without `token`, its own authentication is used.
 * A write is retried only if it has `request: { repeatable: true }`.
 */
export function applyRequestPolicy(
  octokit: ProbotOctokit,
  policy: RequestPolicy,
  token?: TokenSource,
): void {
  octokit.hook.wrap('request', async (send, options) => {
    const authorised = token === undefined ? twice(send) : await withToken(send, token);
    const { reads, signal } = policy;
    const ask = () => untilAnswered(authorised, options, policy);
    const key = reads && keyOf(options, reads.installation);
    if (reads === undefined || key === undefined) return ask();
    return reads.joined.read(`${reads.audience} ${key}`, ask).catch((error: unknown) => {
      // The one who sent it for all was stopped.
      if (error instanceof WaitEnded && signal?.aborted !== true) return ask();
      throw error;
    });
  });
}

/** @throws {WaitEnded} with the last failure as its cause, if the signal is aborted before another attempt */
async function untilAnswered(send: Send, options: Options, policy: RequestPolicy): Promise<Answer> {
  const { signal, backoffMs = BACKOFF_MS } = policy;
  let failure: unknown;
  const attempt = () =>
    timed(
      { kind: 'github_request', method: options.method, route: options.url },
      () => once(send, options, policy),
      ({ outcome, seconds }) => measured('github_request', { outcome, seconds }),
    ).catch((error: unknown) => {
      failure = error;
      throw error;
    });
  const retries = {
    policy: { ...RETRIES, firstDelayMs: backoffMs },
    mayPass: mayPass(options),
    signal,
  };
  try {
    return await withRetries(attempt, retries);
  } catch (error) {
    if (error === failure) throw error;
    const why = `the wait for another attempt was ended after a failure: ${messageOf(failure)}`;
    throw new WaitEnded(why, { cause: failure });
  }
}

/** No room to write is for the caller, and so is what a write that must not be repeated came to. */
const mayPass = (options: Options) => {
  const isRepeatable = options.method === 'GET' || options.request['repeatable'] === true;
  return (error: unknown): boolean =>
    isRepeatable && error instanceof TryLater && !(error instanceof WriteBudgetExhausted);
};

/**
 * One attempt, with a deadline. All errors are converted to ours and redacted. Changes the options in
 * place, because octokit's inner hooks ignore those passed to `send`, but replaces their nested objects,
 * which other requests may share.
 */
async function once(send: Send, options: Options, policy: RequestPolicy): Promise<Answer> {
  const asked = { method: options.method, route: options.url };
  const { requestLimiter, pace } = policy;
  await untilAllowed(policy, options.method);
  const made = makesContent(options) && requestLimiter ? await inTurn(requestLimiter) : undefined;
  const signal = AbortSignal.timeout(policy.deadlineMs ?? DEADLINE_MS);
  options.request = { ...options.request, signal };
  try {
    const answer = await sendUnlessKnown(send, options, policy);
    if (pace !== undefined) hearLimits(pace, answer.headers);
    tellLimit(policy);
    return answer;
  } catch (thrown) {
    const error = isKnownError(thrown)
      ? thrown
      : errorForFailure(thrown, asked, policy.redactor, policy.advice);
    if (error instanceof TryLater && !(error instanceof Suspended))
      await pauseRequests(policy, error.retryAfterMs ?? 0);
    throw error;
  } finally {
    await made?.();
  }
}

function tellLimit({ pace, reads }: RequestPolicy): void {
  if (pace?.left === undefined || reads === undefined) return;
  const { requests, resetAt } = pace.left;
  measured('github_limit', { installation: reads.installation, requests, resetAt });
}

/** Asks GitHub whether what is known of a read is still so. Only what is whole is known from then on. */
async function sendUnlessKnown(
  send: Send,
  options: Options,
  { reads, repositoryId }: RequestPolicy,
): Promise<Answer> {
  const key = reads && keyOf(options, reads.installation);
  const asked = { method: options.method, url: options.url };
  const ask = async (): Promise<Answer> => {
    const answer = await sendAndFollow(send, options, repositoryId);
    assertWhole(answer, asked);
    return answer;
  };
  if (reads === undefined || key === undefined) return ask();
  const { known, shared, installation } = reads;
  const { headers, url } = options;
  if (known.etagOf(key) === undefined) {
    const found = await shared?.find(installation, url, key);
    if (found !== undefined) known.keep(key, found);
  }
  const etag = known.etagOf(key);
  if (etag !== undefined) options.headers = { ...headers, 'if-none-match': etag };
  try {
    const answer = await ask();
    known.keep(key, answer);
    await shared?.keep(installation, url, key, answer);
    return answer;
  } catch (error) {
    const answer = isNotModified(error) ? known.answerOf<Answer>(key) : undefined;
    if (answer === undefined) throw error;
    return answer;
  } finally {
    options.headers = headers;
  }
}

const isNotModified = (thrown: unknown): boolean =>
  thrown instanceof Error && 'status' in thrown && thrown.status === 304;

/** Of all that decides what GitHub answers; `undefined`: no such read, or the caller has an ETag of its own. */
function keyOf(options: Options, installation: number): string | undefined {
  const { method, url, headers, baseUrl: _base, request, mediaType, ...parameters } = options;
  const isOther = headers['if-none-match'] !== undefined || request['returnsRedirect'] === true;
  if (method !== 'GET' || isOther) return undefined;
  return JSON.stringify([installation, url, headers.accept, mediaType, parameters]);
}

/** All requests but reads. GraphQL queries and renderings are reads too, although they use POST. */
function makesContent({ method, url, query }: Options): boolean {
  if (method === 'GET' || url === RENDERING) return false;
  return !url.endsWith('/graphql') || /^\s*mutation\b/.test(String(query));
}

const isKnownError = (thrown: unknown): thrown is Error =>
  thrown instanceof TryLater || thrown instanceof GitHubDenied;

/** Sends with a token and, if GitHub does not accept it, once more with a fresh one. */
async function withToken(send: Send, token: TokenSource): Promise<Send> {
  let value = await token(undefined);
  const sendNow = (options: Options) => {
    options.headers = { ...options.headers, authorization: `token ${value}` };
    return send(options);
  };
  return async (options) => {
    try {
      return await sendNow(options);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      value = await token(value);
      return sendNow(options);
    }
  };
}

/** Sends once more if GitHub does not accept the App's own signature: the next request is signed again. */
const twice =
  (send: Send): Send =>
  async (options) => {
    try {
      return await send(options);
    } catch (error) {
      if (!isUnauthorized(error)) throw error;
      return send(options);
    }
  };

const isUnauthorized = (thrown: unknown): boolean =>
  thrown instanceof Error && 'status' in thrown && thrown.status === 401;

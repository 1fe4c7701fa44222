// The policy for all requests to GitHub: a deadline, a fresh token, retries of failed reads but not of
// writes, GitHub's limits, and errors that say what to do.
import { setTimeout as pause } from 'node:timers/promises';
import type { ProbotOctokit } from 'probot';
import { measured, timed } from '../../lib/measurements.ts';
import { messageOf, TryLater, withRetries } from '../../lib/errors.ts';
import type { TriedKey } from '../../lib/tried-key.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import type { Writer, WriteRank } from '../../lib/write-budget.ts';
import {
  GitHubDenied,
  Moved,
  NoAccess,
  Unauthorized,
  WaitEnded,
  WriteBudgetExhausted,
} from '../errors.ts';
import { errorForFailure, type Advice } from './error-for-failure.ts';
import { assertWhole, RENDERING } from './whole-responses.ts';

export interface RequestPolicy {
  readonly redactor: Redactor;
  /** Those of the installation whose token is used. */
  readonly limits?: GitHubLimits | undefined;
  /** Milliseconds that one attempt may take; 15,000 if omitted. */
  readonly deadlineMs?: number | undefined;
  /** Redirects to this repository are followed, as it may have been renamed; no others. */
  readonly repositoryId?: number | undefined;
  /** Those of the requests. If omitted, a 401 always means that they are wrong. */
  readonly credentials?: TriedCredentials;
  /** What people are advised if GitHub denies a request; if omitted, that of an App. */
  readonly advice?: Advice;
  /** Milliseconds before the first retry of a read, doubled for each further one; 500 if omitted. */
  readonly backoffMs?: number | undefined;
}

/** Whoever signs a request: the key of the App, also for tokens that were made with it, or the token of a person. */
export type TriedCredentials = Pick<TriedKey, 'accepted' | 'mayBeValid'>;

/** To try again, if GitHub accepted the credentials a while ago. */
export function unlessDoubted(error: Error, credentials: TriedCredentials | undefined): Error {
  if (!(error instanceof Unauthorized)) return error;
  if (credentials?.mayBeValid !== true) {
    if (credentials !== undefined)
      measured('credentials', { of: 'GitHub', answer: 'key_rejected' });
    return error;
  }
  return new TryLater(`${error.message} ${ACCEPTED_BEFORE}`, { cause: error });
}

const ACCEPTED_BEFORE = 'GitHub accepted the same credentials before, so this may be an outage.';

/** Returns the token for a request. `invalidToken` is one that GitHub has just answered with 401. */
export type TokenSource = (invalidToken: string | undefined) => Promise<string>;

type WrapHook = Parameters<typeof ProbotOctokit.prototype.hook.wrap<'request'>>[1];
type Send = Parameters<WrapHook>[0];
type RequestOptions = Parameters<WrapHook>[1];
type SendResult = Awaited<ReturnType<Send>>;

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
    return untilAnswered(authorised, options, policy);
  });
}

/** @throws {WaitEnded} with the last failure as its cause, if the signal is aborted before another attempt */
async function untilAnswered(
  send: Send,
  options: RequestOptions,
  policy: RequestPolicy,
): Promise<SendResult> {
  const { limits, backoffMs = BACKOFF_MS } = policy;
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
    signal: limits?.signal,
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
const mayPass = (options: RequestOptions) => {
  const isRepeatable = options.method === 'GET' || options.request['repeatable'] === true;
  return (error: unknown): boolean =>
    isRepeatable && error instanceof TryLater && !(error instanceof WriteBudgetExhausted);
};

/**
 * One attempt, with a deadline. All errors are converted to ours and redacted. Changes the options in
 * place, because octokit's inner hooks ignore those passed to `send`, but replaces their nested objects,
 * which other requests may share.
 */
async function once(
  send: Send,
  options: RequestOptions,
  policy: RequestPolicy,
): Promise<SendResult> {
  const asked = { method: options.method, route: options.url };
  const { limits } = policy;
  const answered = limits && (await untilAllowed(limits, { isWrite: makesContent(options) }));
  const signal = AbortSignal.timeout(policy.deadlineMs ?? DEADLINE_MS);
  options.request = { ...options.request, signal };
  try {
    const { method, url } = options;
    const answer = await sendAndFollow(send, options, policy.repositoryId);
    assertWhole(answer, { method, url });
    policy.credentials?.accepted();
    if (policy.credentials !== undefined) measured('credentials', { of: 'GitHub', answer: 'ok' });
    if (limits !== undefined) measureLimit(limits, answer.headers);
    return answer;
  } catch (thrown) {
    const error =
      thrown instanceof TryLater || thrown instanceof GitHubDenied
        ? thrown
        : unlessDoubted(
            errorForFailure(thrown, asked, policy.redactor, policy.advice),
            policy.credentials,
          );
    if (limits !== undefined) await heedPause(limits, error);
    throw error;
  } finally {
    await answered?.();
  }
}

/** All requests but reads. GraphQL queries and renderings are reads too, although they use POST. */
function makesContent({ method, url, query }: RequestOptions): boolean {
  if (method === 'GET' || url === RENDERING) return false;
  return !url.endsWith('/graphql') || /^\s*mutation\b/.test(String(query));
}

/** Sends with a token and, if GitHub does not accept it, once more with a fresh one. */
async function withToken(send: Send, token: TokenSource): Promise<Send> {
  let value = await token(undefined);
  const sendNow = (options: RequestOptions) => {
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

// GitHub's redirects. `fetch` must not follow them: it would turn a write into a read, and treat an issue
// that moved to another repository as one of ours.

const BY_NAME = '/repos/{owner}/{repo}';

/**
 * Sends a request. If GitHub redirects to the same repository by its id, the repository or the branch was renamed, and
 * the request is sent there. Changes `options` in place.
 * With `request: { returnsRedirect: true }`, the answer is for the caller, who may not send our token there.
 * @throws {Moved} if the redirect leads anywhere else
 */
async function sendAndFollow(
  send: Send,
  options: RequestOptions,
  repositoryId: number | undefined,
): Promise<SendResult> {
  options.request = { ...options.request, redirect: 'manual' };
  const first = await send(options);
  if (!isRedirect(first) || options.request['returnsRedirect'] === true) return first;
  const isOwn = repositoryId !== undefined && repositoryIn(first) === repositoryId;
  if (!isOwn || !options.url.includes(BY_NAME)) throw moved(options, first);
  options.url = options.url.replace(BY_NAME, `/repositories/${repositoryId}`);
  for (const name of ['owner', 'repo']) Reflect.deleteProperty(options, name);
  // Of a branch that was renamed (rule `renamed-branch`).
  const [, branch] = /\/branches\/([^/?]{1,1000})$/.exec(first.headers.location ?? '') ?? [];
  if (branch !== undefined) Object.assign(options, { branch: decodeURIComponent(branch) });
  const second = await send(options);
  if (isRedirect(second)) throw moved(options, second);
  return second;
}

const isRedirect = ({ status }: SendResult): boolean => status >= 300 && status < 400;

function repositoryIn({ headers }: SendResult): number {
  const [, id] = /\/repositories\/(\d{1,15})(?=[/?]|$)/.exec(headers.location ?? '') ?? [];
  return Number(id);
}

const moved = ({ method, url }: RequestOptions, { status }: SendResult): Moved =>
  new Moved(
    `It was moved to another repository, so request the work there. (GitHub's ${method} ${url} returned ${status}.)`,
    status,
  );

// GitHub's limits for an installation: when a request may be sent, and what follows when GitHub asks to wait.

/** What all processes share of the limits. */
export interface SharedLimits {
  /** Milliseconds for which GitHub asked the installation to wait; 0: it did not. */
  requestPause(installation: number): Promise<number>;
  pauseRequests(installation: number, ms: number): Promise<void>;
  /** Takes room for one write, or answers in how many milliseconds there may be some. */
  takeWrite(
    installation: number,
    rank: WriteRank,
  ): Promise<{ readonly write: string } | { readonly waitMs: number }>;
  /** GitHub has answered it. */
  writeMade(write: string): Promise<void>;
}

export interface GitHubLimits extends Writer {
  readonly shared: SharedLimits;
  /** The one that is asked for now. */
  readonly installation: () => number;
}

/** Of one process, without limits of our own. */
export function pausesInMemory(): SharedLimits {
  const paused = new Map<number, number>();
  const left = (installation: number): number =>
    Math.max(0, (paused.get(installation) ?? 0) - performance.now());
  return {
    requestPause: (installation) => Promise.resolve(left(installation)),
    pauseRequests: async (installation, ms) =>
      void paused.set(installation, performance.now() + Math.max(ms, left(installation))),
    takeWrite: () => Promise.resolve({ write: '' }),
    writeMade: () => Promise.resolve(),
  };
}

/**
 * Waits until a request may be sent. Resolves with what to call once it was answered.
 * @throws {TryLater} if GitHub asked the installation to wait
 * @throws {WriteBudgetExhausted} if there is no room to write within the writer's patience
 * @throws {WaitEnded}
 */
async function untilAllowed(
  limits: GitHubLimits,
  { isWrite }: { readonly isWrite: boolean },
): Promise<() => Promise<void>> {
  await requireNoPause(limits);
  if (!isWrite) return () => Promise.resolve();
  const write = await timed(
    { kind: 'write_room' },
    () => untilThereIsRoom(limits),
    ({ outcome, seconds }) =>
      measured('write_room', { outcome: outcome === 'ok' ? 'granted' : 'deferred', seconds }),
  );
  return () => limits.shared.writeMade(write);
}

/** For the log, and for people while a run waits. */
const WRITE_LIMIT_REACHED = 'the write limit of this installation (`CONTENT_LIMITS`) was reached';
const REQUESTS_PAUSED = "GitHub's rate limit still applies";

async function requireNoPause({ shared, installation }: GitHubLimits): Promise<void> {
  const left = await shared.requestPause(installation());
  if (left > 0) throw new TryLater(REQUESTS_PAUSED, { retryAfterMs: left });
}

/** Others may take the room that was named, and a pause may begin or end: it is asked for again a little sooner. */
const LONGEST_LOOK_MS = 1_000;

async function untilThereIsRoom(limits: GitHubLimits): Promise<string> {
  const { shared, installation, rank, patienceMs, signal } = limits;
  for (;;) {
    const taken = await shared.takeWrite(installation(), rank);
    if ('write' in taken) return taken.write;
    const { waitMs: retryAfterMs } = taken;
    // Whoever was stopped does not come back for the room: the wait ends below.
    if (retryAfterMs > patienceMs() && signal?.aborted !== true)
      throw new WriteBudgetExhausted(WRITE_LIMIT_REACHED, { retryAfterMs });
    await waitInPlace(Math.min(retryAfterMs, LONGEST_LOOK_MS), signal);
    await requireNoPause(limits);
  }
}

/** @throws {WaitEnded} as soon as `signal` is aborted */
async function waitInPlace(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(ms, undefined, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    throw new WaitEnded("the wait for GitHub's limits was ended", { cause });
  });
}

/** If a request failed because GitHub asks to wait, no process sends anything for the installation until then. */
async function heedPause({ shared, installation }: GitHubLimits, error: Error): Promise<void> {
  if (!(error instanceof TryLater) || error instanceof NoAccess) return;
  const { retryAfterMs = 0 } = error;
  if (retryAfterMs > 0) await shared.pauseRequests(installation(), retryAfterMs);
}

/** Measures what the headers of an answer say is left of the hour's requests. */
function measureLimit({ installation }: GitHubLimits, headers: SendResult['headers']): void {
  const requests = Number(headers['x-ratelimit-remaining']);
  const resetAt = Number(headers['x-ratelimit-reset']) * 1000;
  if (headers['x-ratelimit-resource'] === 'core' && requests >= 0 && resetAt > 0)
    measured('github_limit', { installation: installation(), requests, resetAt });
}

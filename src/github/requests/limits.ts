// GitHub's limits for an installation: when a request may be sent, and what follows when GitHub asks to wait.
import { setTimeout as pause } from 'node:timers/promises';
import { TryLater } from '../../lib/errors.ts';
import { measured, timed } from '../../lib/measurements.ts';
import type { Writer, WriteRank } from '../../lib/write-budget.ts';
import {
  REQUESTS_PAUSED,
  NoAccess,
  WaitEnded,
  WRITE_LIMIT_REACHED,
  WriteBudgetExhausted,
} from '../errors.ts';

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
export async function untilAllowed(
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
export async function heedPause(
  { shared, installation }: GitHubLimits,
  error: Error,
): Promise<void> {
  if (!(error instanceof TryLater) || error instanceof NoAccess) return;
  const { retryAfterMs = 0 } = error;
  if (retryAfterMs > 0) await shared.pauseRequests(installation(), retryAfterMs);
}

type Headers = Readonly<Record<string, string | number | undefined>>;

/** Measures what the headers of an answer say is left of the hour's requests. */
export function measureLimit({ installation }: GitHubLimits, headers: Headers): void {
  const requests = Number(headers['x-ratelimit-remaining']);
  const resetAt = Number(headers['x-ratelimit-reset']) * 1000;
  if (headers['x-ratelimit-resource'] === 'core' && requests >= 0 && resetAt > 0)
    measured('github_limit', { installation: installation(), requests, resetAt });
}

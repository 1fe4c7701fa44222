// Room to write, within GitHub's limits for new content: granted in order, in all processes together.
import { setTimeout as pause } from 'node:timers/promises';
import type { Writer } from '../../lib/write-budget.ts';
import { measured, timed } from '../../lib/measurements.ts';
import {
  REQUESTS_PAUSED,
  WaitEnded,
  WRITE_LIMIT_REACHED,
  WriteBudgetExhausted,
} from '../errors.ts';

/** What one writer may write to an installation. */
export interface RequestLimiter extends Pick<Writer, 'patienceMs' | 'signal'> {
  /** Reserves so many writes. Resolves with 0, or with the milliseconds until they may be granted. */
  reserve(writes: number): Promise<number>;
  /** Takes one that was reserved, or one more. */
  take(): Promise<{ readonly made: () => Promise<void> } | { readonly waitMs: number }>;
  /** Gives back what was reserved and not taken, and the place. */
  release(): Promise<void>;
  /**
   * Takes the points of a request, or none if it must wait. `waitMs`: until enough points are free. `pausedMs`: until
   * GitHub's pause ends. Both are 0 if the points were taken.
   */
  spend(points: number): Promise<{ readonly waitMs: number; readonly pausedMs: number }>;
  /** Call when GitHub asked the installation to wait this many milliseconds. */
  pause(ms: number): Promise<void>;
}

/**
 * Waits for room for one write, and takes it. Resolves with what to call once it was answered.
 * @throws {WriteBudgetExhausted}
 */
export const inTurn = (limiter: RequestLimiter): Promise<() => Promise<void>> =>
  patiently(limiter, async () => {
    const taken = await limiter.take();
    return 'made' in taken ? { value: taken.made } : taken;
  });

/** @throws {WaitEnded} as soon as `signal` is aborted, unless there is nothing to wait for */
export async function waitInPlace(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return;
  await pause(ms, undefined, signal === undefined ? {} : { signal }).catch((cause: unknown) => {
    throw new WaitEnded("the wait for GitHub's limits was ended", { cause });
  });
}

/** Room that a writer reserves before it writes. */
export interface WriteRoom {
  /** Milliseconds until so many writes are granted, for which the place is kept; 0: they are reserved. */
  grantedIn(writes: number): Promise<number>;
  /**
   * Waits until so many writes are reserved.
   * @throws {WriteBudgetExhausted} if that takes longer than the writer has patience
   */
  reserve(writes: number): Promise<void>;
  /** Gives back what was reserved and not written, and the place. */
  release(): Promise<void>;
}

/** `limiter`: that of the installation now; without one, there is always room. */
export const roomBy = (limiter: () => RequestLimiter | undefined): WriteRoom => ({
  grantedIn: async (writes) => (await limiter()?.reserve(writes)) ?? 0,
  reserve: async (writes) => {
    const limited = limiter();
    if (limited === undefined) return;
    await patiently(limited, async () => {
      const waitMs = await limited.reserve(writes);
      return waitMs === 0 ? { value: undefined } : { waitMs };
    });
  },
  release: async () => limiter()?.release(),
});

/** The database knows when it is time; it is asked again a little sooner, because a pause may end or begin. */
const LONGEST_LOOK_MS = 5_000;

type Patience = Pick<RequestLimiter, 'patienceMs' | 'signal' | 'spend'>;
type AskForRoom<T> = () => Promise<{ readonly value: T } | { readonly waitMs: number }>;

const patiently = <T>(patience: Patience, ask: AskForRoom<T>): Promise<T> =>
  timed(
    { kind: 'write_room' },
    () => untilGranted(patience, ask),
    ({ outcome, seconds }) =>
      measured('write_room', { outcome: outcome === 'ok' ? 'granted' : 'deferred', seconds }),
  );

async function untilGranted<T>(patience: Patience, ask: AskForRoom<T>): Promise<T> {
  const { patienceMs, signal } = patience;
  let left: number | undefined;
  for (;;) {
    const answer = await ask();
    if ('value' in answer) return answer.value;
    left ??= await patienceMs();
    const { waitMs: retryAfterMs } = answer;
    // Whoever was stopped does not come back for the room: the wait ends below.
    if (retryAfterMs > left && signal?.aborted !== true)
      throw new WriteBudgetExhausted(await reasonOf(patience), { retryAfterMs });
    const wait = Math.min(retryAfterMs, LONGEST_LOOK_MS);
    await waitInPlace(wait, signal);
    left -= wait;
  }
}

async function reasonOf(patience: Patience): Promise<string> {
  const { pausedMs } = await patience.spend(0);
  return pausedMs > 0 ? REQUESTS_PAUSED : WRITE_LIMIT_REACHED;
}

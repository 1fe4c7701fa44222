// When a request may be sent: GitHub's limits for all requests of an installation.
import { TryLater } from '../../lib/errors.ts';
import { REQUESTS_PAUSED } from '../errors.ts';
import { pointsOf, takeTurn, type Pace } from './request-pace.ts';
import { waitInPlace, type RequestLimiter } from './write-room.ts';

export interface Limits {
  /** Shared by all requests of an installation in this process. */
  readonly pace?: Pace | undefined;
  /** Shared by all processes. Every request takes points from it; a write also needs room. */
  readonly requestLimiter?: RequestLimiter | undefined;
  /** Milliseconds that a request waits in place for its turn; 65,000 if omitted. */
  readonly patienceMs?: number | undefined;
  /** Ends the waits for GitHub's limits and for another attempt. */
  readonly signal?: AbortSignal | undefined;
  /** Called when a request begins to wait in place for its turn in the hour, if that takes more than a few seconds. */
  readonly onLongWait?: ((wait: LongWait) => void) | undefined;
}

/** Few requests are left in this hour, so each of them has to wait for its turn. */
export interface LongWait {
  /** For people. */
  readonly reason: string;
  /** When the request is sent. */
  readonly until: Date;
  /** When the hour ends, and with it such waits. */
  readonly limitedUntil: Date;
}

/**
 * How long a request waits in place, in milliseconds. Either limit delays a lone client for less than that, so an
 * operation of several requests can finish.
 */
const PATIENCE_MS = 65_000;

const A_FEW_SECONDS_MS = 5_000;

const FEW_LEFT = 'nearly all requests that GitHub allows in an hour are used up';
const NONE_LEFT = 'all requests that GitHub allows in a minute are used up';

/**
 * Waits until GitHub's limits allow the request.
 * @throws {TryLater} if that takes longer than the limits have patience, or GitHub asked the installation to pause
 * @throws {WaitEnded}
 */
export async function untilAllowed(limits: Limits, method: string): Promise<void> {
  const { pace, signal, patienceMs = PATIENCE_MS } = limits;
  if (pace !== undefined) {
    requireNoPause(pace);
    const turn = takeTurn(pace, patienceMs);
    if (turn > patienceMs) throw new TryLater(FEW_LEFT, { retryAfterMs: turn });
    if (turn > A_FEW_SECONDS_MS && signal?.aborted !== true) tellOfWait(limits, turn);
    await waitInPlace(turn, signal);
    requireNoPause(pace);
  }
  await spend(limits, pointsOf(method));
}

function tellOfWait({ pace, onLongWait }: Limits, ms: number): void {
  const until = new Date(Date.now() + ms);
  const limitedUntil = new Date(pace?.left?.resetAt ?? until);
  onLongWait?.({ reason: FEW_LEFT, until, limitedUntil });
}

function requireNoPause({ until }: Pace): void {
  const left = until - Date.now();
  if (left > 0) throw new TryLater(REQUESTS_PAUSED, { retryAfterMs: left });
}

/** Takes points of the minute. What another process was told by GitHub counts here too. */
async function spend(limits: Limits, points: number): Promise<void> {
  const { pace, requestLimiter, signal, patienceMs = PATIENCE_MS } = limits;
  if (requestLimiter === undefined) return;
  for (let left = patienceMs; ;) {
    const { waitMs, pausedMs } = await requestLimiter.spend(points);
    if (pausedMs > 0) {
      if (pace !== undefined) pace.until = Math.max(pace.until, Date.now() + pausedMs);
      throw new TryLater(REQUESTS_PAUSED, { retryAfterMs: pausedMs });
    }
    if (waitMs === 0) return;
    if (waitMs > left) throw new TryLater(NONE_LEFT, { retryAfterMs: waitMs });
    await waitInPlace(waitMs, signal);
    left -= waitMs;
  }
}

/** Lets all requests of the installation fail for so many milliseconds, in every process that shares the limiter. */
export async function pauseRequests({ pace, requestLimiter }: Limits, ms: number): Promise<void> {
  if (pace === undefined || ms <= 0) return;
  pace.until = Math.max(pace.until, Date.now() + ms);
  await requestLimiter?.pause(ms);
}

// How often the status comments of an installation are edited while sessions are working.
import { WRITE_BUCKETS, type WriteBudget } from '../../lib/write-budget.ts';

/** A session's status is edited no more often than this, however large the write budget is. */
export const SHORTEST_INTERVAL_MS = 3_000;
/** How often a status without news is updated to show that work continues, if the budget allows. */
export const HEARTBEAT_MS = 2 * 60_000;

/** Half of each bucket is reserved for what people wait for: questions, answers, pull requests, results. */
const RESERVE = 0.5;
/** While a bucket is at or below the reserve, live edits get at most this share of its refill. */
const SHARE = 0.7;
/** What exceeds the reserve is spent over this many seconds. */
const SPENT_OVER = { minute: 60, hour: 180 };
/** Live edits get at least this part of their share, however little is left, so none waits forever. */
const LEAST = 0.1;

/**
 * Milliseconds between two live edits of one session. What the buckets can afford is divided among the
 * working sessions, so the interval grows with their number and as the buckets empty.
 */
export function editIntervalMs(budget: WriteBudget): number {
  const perSecond = Math.min(affordable('minute', budget.minute), affordable('hour', budget.hour));
  return Math.max(SHORTEST_INTERVAL_MS, (Math.max(1, budget.busy) / perSecond) * 1000);
}

/** Live edits per second of the whole installation. */
function affordable(name: 'minute' | 'hour', left: number): number {
  const { capacity, perSecond } = WRITE_BUCKETS[name];
  const reserve = capacity * RESERVE;
  const filling = perSecond * SHARE;
  if (left < reserve) return filling * Math.max(LEAST, left / reserve);
  return filling + (left - reserve) / SPENT_OVER[name];
}

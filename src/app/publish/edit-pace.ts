// How often the status comments of an installation are edited while work goes on.
import { WRITE_BUCKETS, type WriteBudget } from '../../lib/write-budget.ts';

/** A session's status is edited no more often, however much room there is. */
export const SHORTEST_INTERVAL_MS = 3_000;
/** As often, room permitting, it shows a sign of life where it has no news. */
export const HEARTBEAT_MS = 2 * 60_000;

/** Half of each bucket is left for what people wait for: questions, answers, pull requests, ends. */
const RESERVE = 0.5;
/** Of what fills a bucket up again, as much goes to live edits at most while there is no more than that. */
const SHARE = 0.7;
/** What is above the reserve is spent over that many seconds. */
const SPENT_OVER = { minute: 60, hour: 180 };
/** However little is left, live edits get some of what fills it up: none of them waits for ever. */
const LEAST = 0.1;

/**
 * Milliseconds between two live edits of one session. What the buckets can afford is divided among the
 * sessions that are being worked on, so it grows with their number and as the buckets get empty.
 */
export function editIntervalMs(room: WriteBudget): number {
  const perSecond = Math.min(affordable('minute', room.minute), affordable('hour', room.hour));
  return Math.max(SHORTEST_INTERVAL_MS, (Math.max(1, room.busy) / perSecond) * 1000);
}

/** Live edits a second of the whole installation. */
function affordable(name: 'minute' | 'hour', left: number): number {
  const { capacity, perSecond } = WRITE_BUCKETS[name];
  const reserve = capacity * RESERVE;
  const filling = perSecond * SHARE;
  if (left < reserve) return filling * Math.max(LEAST, left / reserve);
  return filling + (left - reserve) / SPENT_OVER[name];
}

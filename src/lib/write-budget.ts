// How much an installation may write to GitHub. GitHub asks for at most 80 requests a minute and 500 an
// hour that create or change content. Two token buckets keep every minute and hour below that, with a
// margin for requests that arrive late: at most 72 and 480.

interface Bucket {
  /** Requests in a full bucket. */
  readonly capacity: number;
  /** Requests that are added per second. */
  readonly perSecond: number;
}

export const WRITE_BUCKETS: Readonly<Record<'minute' | 'hour', Bucket>> = {
  minute: { capacity: 60, perSecond: 0.2 },
  hour: { capacity: 120, perSecond: 0.1 },
};

/** What an installation may still write. */
export interface WriteBudget {
  /** Requests left in each bucket; may be a fraction. */
  readonly minute: number;
  readonly hour: number;
  /** Milliseconds for which GitHub asked us to pause. */
  readonly pausedMs: number;
  /** Number of the installation's sessions that are working. */
  readonly busy: number;
}

/** Full buckets and no other session. */
export const FULL_WRITE_BUDGET: WriteBudget = {
  minute: WRITE_BUCKETS.minute.capacity,
  hour: WRITE_BUCKETS.hour.capacity,
  pausedMs: 0,
  busy: 0,
};

/** This share of each bucket is for what people wait for: questions, answers, pull requests, results. */
export const RESERVED_SHARE = 0.5;

/** Whether so many requests can be made without touching the reserve. */
export const hasRoomFor = (requests: number, { minute, hour, pausedMs }: WriteBudget): boolean =>
  pausedMs <= 0 &&
  minute - requests >= WRITE_BUCKETS.minute.capacity * RESERVED_SHARE &&
  hour - requests >= WRITE_BUCKETS.hour.capacity * RESERVED_SHARE;

/** Milliseconds until the budget allows one more request; 0: now. */
export function msUntilNextWrite({ minute, hour, pausedMs }: WriteBudget): number {
  const buckets = [
    (1 - minute) / WRITE_BUCKETS.minute.perSecond,
    (1 - hour) / WRITE_BUCKETS.hour.perSecond,
  ];
  return Math.ceil(Math.max(pausedMs, 0, ...buckets.map((seconds) => seconds * 1000)));
}

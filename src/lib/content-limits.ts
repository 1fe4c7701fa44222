// How much may be written to GitHub. It asks each installation for no more than 80 requests a minute
// and 500 an hour that make or change content. Two buckets that fill up evenly keep that in any minute
// and hour, with some room for requests that take long to arrive: at most 72 and 480.

/** Holds `capacity` requests when it is full. */
interface Bucket {
  readonly capacity: number;
  readonly perSecond: number;
}

export const CONTENT_BUCKETS: Readonly<Record<'minute' | 'hour', Bucket>> = {
  minute: { capacity: 60, perSecond: 0.2 },
  hour: { capacity: 120, perSecond: 0.1 },
};

/** What an installation may still write. */
export interface ContentRoom {
  /** Requests left in each bucket; may be a fraction. */
  readonly minute: number;
  readonly hour: number;
  /** Milliseconds for which GitHub asked it to wait. */
  readonly pausedMs: number;
  /** Its sessions that are being worked on. */
  readonly busy: number;
}

/** Nothing was written yet, and nobody else would like to. */
export const ALL_ROOM: ContentRoom = {
  minute: CONTENT_BUCKETS.minute.capacity,
  hour: CONTENT_BUCKETS.hour.capacity,
  pausedMs: 0,
  busy: 0,
};

/** Milliseconds until one more request has room; 0: it has. */
export function roomInMs({ minute, hour, pausedMs }: ContentRoom): number {
  const buckets = [
    (1 - minute) / CONTENT_BUCKETS.minute.perSecond,
    (1 - hour) / CONTENT_BUCKETS.hour.perSecond,
  ];
  return Math.ceil(Math.max(pausedMs, 0, ...buckets.map((seconds) => seconds * 1000)));
}

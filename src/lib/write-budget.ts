// How much an installation may write to GitHub, and who writes first.

/** So many requests in any stretch of time of this length. */
export interface WriteWindow {
  readonly requests: number;
  readonly seconds: number;
}

/** GitHub's limits for requests that create or change content. */
export interface ContentLimits {
  readonly minute: WriteWindow;
  readonly hour: WriteWindow;
}

/** Of github.com. */
export const GITHUB_LIMITS: ContentLimits = {
  minute: { requests: 80, seconds: 60 },
  hour: { requests: 500, seconds: 3_600 },
};

/** Of an Enterprise Server without limits: more than anyone writes. */
export const NO_LIMITS: ContentLimits = {
  minute: { requests: 1e9, seconds: 60 },
  hour: { requests: 1e9, seconds: 3_600 },
};

/** What is left for what GitHub counts otherwise than we do. */
const MARGIN = 0.02;

/** The most of a window that we use. */
export const usable = ({ requests }: WriteWindow): number =>
  Math.max(1, Math.floor(requests * (1 - MARGIN)));

/** Whether a person waits for a write (a pull request, a question, an answer, the first status), or it can wait. */
export type WriteRank = 'awaited' | 'later';

/** The rest of each window is for writes that people wait for, and for signed commits. */
const SHARE_OF_LATER = 0.65;

/** How much of a window may be used once a write of this rank is made. */
export const usableBy = (rank: WriteRank, window: WriteWindow): number =>
  rank === 'awaited' ? usable(window) : Math.max(1, Math.floor(usable(window) * SHARE_OF_LATER));

/** How a run, or the publisher of a session, waits for GitHub's limits. */
export interface Writer {
  readonly rank: WriteRank;
  /** A write waits in place while room is that many milliseconds away at most; else it fails. */
  readonly patienceMs: () => number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
}

/** What is left of a window. */
export interface Room extends WriteWindow {
  readonly left: number;
}

/** What an installation may still write. */
export interface WriteBudget {
  readonly minute: Room;
  readonly hour: Room;
  /** Milliseconds for which GitHub asked us to pause. */
  readonly pausedMs: number;
  /** Number of the installation's sessions that are working. */
  readonly busy: number;
}

const empty = (window: WriteWindow): Room => ({
  ...window,
  requests: usable(window),
  left: usable(window),
});

/** Nothing was written, and no other session works. */
export const FULL_WRITE_BUDGET: WriteBudget = {
  minute: empty(GITHUB_LIMITS.minute),
  hour: empty(GITHUB_LIMITS.hour),
  pausedMs: 0,
  busy: 0,
};

/**
 * This share of each window is for what people wait for: questions, answers, pull requests, results. Whatever else is
 * written later leaves room beside it for the requests of a signed commit, so that no edit of a status costs a signature.
 */
const RESERVED_SHARE = 0.1;

/** The most requests of one commit: there is no use in larger ones, which take too much of an hour. */
export const MOST_REQUESTS_OF_COMMIT = 20;

/** Whether so many requests can be made without touching what is reserved: a share of each window. */
export const hasRoomFor = (
  requests: number,
  { minute, hour, pausedMs }: WriteBudget,
  reserved = RESERVED_SHARE,
): boolean =>
  pausedMs <= 0 && [minute, hour].every((room) => room.left - requests >= room.requests * reserved);

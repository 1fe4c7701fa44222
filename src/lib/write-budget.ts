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

/** Of all requests; GitHub allows 900. */
export const POINTS_A_MINUTE = 880;

/** What is left for what GitHub counts otherwise than we do. */
const MARGIN = 0.02;

/** The most of a window that we use. */
export const usable = ({ requests }: WriteWindow): number =>
  Math.max(1, Math.floor(requests * (1 - MARGIN)));

/**
 * The order in which writes get room, and the share of each window that may be used once a rank is written: the rest is
 * reserved for those before it. What `waits` keeps its place in the queue; the others ask again.
 */
export const WRITE_RANKS = {
  /** Pull requests, questions, answers: what a person waits for. */
  work: { place: 1, minute: 1, hour: 1, waits: true },
  first_status: { place: 2, minute: 0.9, hour: 0.95, waits: true },
  /** 👀, 👍 or 😕 on a comment: nothing else says that it was read. */
  acknowledgement: { place: 3, minute: 0.85, hour: 0.9, waits: true },
  /** 👀 on the issue: the status comment says the same, so it is left out rather than waited for. */
  sign: { place: 3, minute: 0.85, hour: 0.9, waits: false },
  last_status: { place: 4, minute: 0.7, hour: 0.8, waits: true },
  live: { place: 5, minute: 0.55, hour: 0.7, waits: false },
  /** 🚀 or 😕 at the end of a request, which the status comment says too: only while there is plenty of room. */
  ending: { place: 5, minute: 0.55, hour: 0.7, waits: false },
} as const;

export type WriteRank = keyof typeof WRITE_RANKS;

/** Who writes: a run, or the publisher of a session. Its place in the queue and what it reserved outlive a process. */
export interface Writer {
  readonly holder: string;
  readonly rank: WriteRank;
  /** How long a write that finds no room may wait for it before it fails. */
  readonly patienceMs: () => number | Promise<number>;
  /** Ends the waiting, for room and for GitHub's limits of all requests. */
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

/** This share of each window is for what people wait for: questions, answers, pull requests, results. */
const RESERVED_SHARE = 0.5;

/** Whether so many requests can be made without touching the reserve. */
export const hasRoomFor = (requests: number, { minute, hour, pausedMs }: WriteBudget): boolean =>
  pausedMs <= 0 &&
  [minute, hour].every((room) => room.left - requests >= room.requests * RESERVED_SHARE);

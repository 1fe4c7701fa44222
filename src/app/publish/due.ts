// When a publication is due, and how often the status comments of an installation are edited while sessions are working.
import { sharedNow, sharedTime } from '../../lib/clock.ts';
import { hasRoomFor, type Room, type WriteBudget, type WriteRank } from '../../lib/write-budget.ts';
import type { Entry } from '../../session/entry.ts';
import type { StandingPublication } from '../../store/store.ts';
import type { JournalTracker, TrackedJournal, TrackedSession } from '../service/journal-tracker.ts';
import type { Publication } from './publication.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { Service } from '../service/service.ts';

const MERGE_EVENT_MS = 5_000;

/** An edit that a person waits for follows the previous one after this time, however small the budget is. */
const SOON_MS = 3_000;

const NOW = new Date(0);

/**
 * `undefined`: GitHub already shows it. A time in the past means now. Everything that is not live is due at
 * once. `budget` is called only if a live edit is possible.
 */
export async function dueAt(
  publication: Publication,
  before: Pick<StandingPublication, 'digest' | 'updatedAt'> | undefined,
  tracker: TrackedJournal,
  budget: () => Promise<WriteBudget>,
): Promise<Date | undefined> {
  const { digest, isLive = false, duringWork, newFrom, notBefore, onlyAfter } = publication;
  const isNews = before?.digest !== digest;
  if (!isNews && !isLive) return undefined;
  const isNew = before === undefined;
  if (duringWork === 'waits' || (duringWork === 'waits if shown' && !isNew)) return undefined;
  if (onlyAfter !== undefined && before?.digest.startsWith(onlyAfter) !== true) return undefined;
  if (before === undefined) return newFrom !== undefined && newFrom > sharedTime() ? newFrom : NOW;
  if (notBefore !== undefined && notBefore > sharedTime()) return notBefore;
  // Only the third word differs: the place in the queue.
  const isOnlyPlace = before.digest.split(' ', 2).join(' ') === digest.split(' ', 2).join(' ');
  if (isNews && isOnlyPlace) return placeDueAt(digest, budget);
  const merge = publication.key === 'status' ? mergeShownAt(tracker) : undefined;
  if (merge !== undefined) return merge;
  if (!isLive) return NOW;
  if (firstWord(before.digest) !== firstWord(digest)) return after(before.updatedAt, SOON_MS);
  const earliest = after(before.updatedAt, isNews ? SHORTEST_INTERVAL_MS : HEARTBEAT_MS);
  if (earliest > sharedTime()) return earliest;
  const left = await budget();
  const inTurn = after(before.updatedAt, editIntervalMs(left));
  if (left.pausedMs <= 0) return inTurn;
  const afterPause = after(sharedTime(), left.pausedMs);
  return afterPause > inTurn ? afterPause : inTurn;
}

/** Edits to show another place in the queue leave room for so many other writes, and half of each window besides. */
const ROOM_BESIDE_PLACES = 15;
const SHARE_BESIDE_PLACES = 0.5;

/** A session that left the queue shows that when its run begins. */
async function placeDueAt(
  digest: string,
  budget: () => Promise<WriteBudget>,
): Promise<Date | undefined> {
  const place = digest.split(' ')[2];
  if (place === undefined) return undefined;
  return hasRoomFor(ROOM_BESIDE_PLACES, await budget(), SHARE_BESIDE_PLACES) ? NOW : undefined;
}

/** For each place, and at most. */
const PLACE_LOOK_MS = { each: 20_000, most: 10 * 60_000 };

/** A session that is about to start has a place after all if another one took the last slot. */
const START_LOOK_MS = 5_000;

/**
 * The place as it is shown. A session that is first, and has only just come, is about to be taken if a slot is free: nobody
 * reads *Queued* before that.
 */
export function placeToShow(
  place: number | undefined,
  entries: JournalTracker['entries'],
): number | undefined {
  const last = entries.findLast(({ type }) => !OF_PUBLISHING.has(type));
  const waitedMs = sharedNow() - Date.parse(last?.at ?? '');
  return place === 1 && waitedMs < START_LOOK_MS ? undefined : place;
}

const OF_PUBLISHING: ReadonlySet<Entry['type']> = new Set(['published', 'publishing_blocked']);

/** When to look at the place of a queued session again, if ever: seldom while many are ahead of it. */
export function placeLookedAt(place: number | undefined): Date | null {
  if (place === undefined) return after(sharedTime(), START_LOOK_MS);
  if (place === 1) return null;
  return after(sharedTime(), Math.min(place * PLACE_LOOK_MS.each, PLACE_LOOK_MS.most));
}

const firstWord = (digest: string): string => digest.split(' ', 1)[0] ?? '';
const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

/**
 * A merge also closes the issue, and its own event may arrive a moment after the issue's. Waiting avoids
 * showing "stopped" in between.
 */
function mergeShownAt({ session: { thread } }: TrackedSession): Date | undefined {
  if (!thread.issueClosed || thread.pullRequest?.state !== 'open') return undefined;
  return after(new Date(thread.closedAt), MERGE_EVENT_MS);
}

/**
 * While a run works, the status of its session is edited no more often than this, however large the write budget is: for another
 * step, a plan that is ticked off, or a commit.
 */
const SHORTEST_INTERVAL_MS = 20_000;
/** How often a status without news is updated to show that work continues, if the budget allows. */
const HEARTBEAT_MS = 2 * 60_000;

// Found by simulation, see the test: no interval is long with up to forty sessions, and nobody waits for live edits.
/** Live edits get this share of what a window allows on average, and a little less as it fills. */
const SHARE = 0.36;
const FALL = 0.03;
/** What exceeds this share of a window is spent quickly, within this share of its time. */
const PLENTY = 0.93;
const SPENT_OVER = 0.04;
/** Live edits get at least this part of their share, however little is left, so none waits forever. */
const LEAST = 0.139;

/**
 * Milliseconds between two live edits of one session. What the windows can afford is divided among the
 * working sessions, so the interval grows with their number and as the windows fill.
 */
export function editIntervalMs(budget: WriteBudget): number {
  const perSecond = Math.min(affordable(budget.minute), affordable(budget.hour));
  return Math.max(SHORTEST_INTERVAL_MS, (Math.max(1, budget.busy) / perSecond) * 1000);
}

/** Live edits per second of the whole installation. */
function affordable({ requests, seconds, left }: Room): number {
  const plenty = requests * PLENTY;
  const usual = (requests / seconds) * SHARE;
  if (left < plenty) return usual * Math.max(LEAST, (left / plenty) ** FALL);
  return usual + (left - plenty) / (seconds * SPENT_OVER);
}

// With which rank a publication is written, and what is left out if there is no room.

/** A publisher serves all installations: it comes back when there is room. */
const PATIENCE_MS = 500;

/** GitHub, written to by the publisher of a session with a rank. */
export const writers =
  (
    { repository }: Pick<Service, 'repository'>,
    tracker: JournalTracker,
    signal: AbortSignal | undefined,
  ): ((rank: WriteRank) => GitHubRepository) =>
  (rank) =>
    repository(tracker.installation, tracker.session.thread.repository, {
      rank,
      patienceMs: () => PATIENCE_MS,
      signal,
    });

/** `before`: as it is shown now, if it is. */
export function rankOf(
  publication: Publication,
  before: StandingPublication | undefined,
): WriteRank {
  const { key, kind } = publication;
  if (key === 'status') return before === undefined ? 'awaited' : 'later';
  if (kind === 'reaction') return isSaidByStatus(publication) ? 'later' : 'awaited';
  return kind === 'comment' ? 'awaited' : 'later';
}

/** 👀 on the issue, and 🚀 or 😕 at the end of a request: left out rather than waited for once there is a status. */
export const isSaidByStatus = ({ key, kind }: Publication): boolean =>
  kind === 'reaction' && (key === 'reaction:issue' || key.startsWith('end:'));

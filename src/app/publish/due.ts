// When a publication is due.
import type { WriteBudget } from '../../lib/write-budget.ts';
import type { StandingPublication } from '../../store/store.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import { editIntervalMs, HEARTBEAT_MS, SHORTEST_INTERVAL_MS } from './edit-pace.ts';
import type { Publication } from './publication.ts';

const MERGE_EVENT_MS = 5_000;

/** An edit that a person waits for follows the previous one after this time, however small the budget is. */
const SOON_MS = 10_000;

const NOW = new Date(0);

/**
 * `undefined`: GitHub already shows it. A time in the past means now. Everything that is not live is due at
 * once. `budget` is called only if a live edit is possible.
 */
export async function dueAt(
  publication: Publication,
  before: Pick<StandingPublication, 'digest' | 'updatedAt'> | undefined,
  tracker: Pick<JournalTracker, 'session' | 'entries'>,
  budget: () => Promise<WriteBudget>,
): Promise<Date | undefined> {
  const { digest, isLive = false } = publication;
  const isNews = before?.digest !== digest;
  if (!isNews && !isLive) return undefined;
  if (before === undefined) return NOW;
  const merge = publication.key === 'status' ? mergeShownAt(tracker) : undefined;
  if (merge !== undefined) return merge;
  if (!isLive) return NOW;
  const earliest = after(before.updatedAt, isNews ? SHORTEST_INTERVAL_MS : HEARTBEAT_MS);
  if (earliest > new Date()) return earliest;
  const left = await budget();
  const isAwaited = firstWord(before.digest) !== firstWord(digest);
  const interval = Math.min(editIntervalMs(left), isAwaited ? SOON_MS : Infinity);
  const inTurn = after(before.updatedAt, interval);
  return left.pausedMs > 0 ? latest(inTurn, after(new Date(), left.pausedMs)) : inTurn;
}

const firstWord = (digest: string): string => digest.split(' ', 1)[0] ?? '';
const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
const latest = (one: Date, other: Date): Date => (one > other ? one : other);

/**
 * A merge also closes the issue, and its own event may arrive a moment after the issue's. Waiting avoids
 * showing "stopped" in between.
 */
function mergeShownAt({ session: { thread } }: Pick<JournalTracker, 'session'>): Date | undefined {
  if (!thread.issueClosed || thread.pullRequest?.state !== 'open') return undefined;
  return after(new Date(thread.closedAt), MERGE_EVENT_MS);
}

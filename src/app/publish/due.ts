// When what is to be published is due.
import type { WriteBudget } from '../../lib/write-budget.ts';
import type { StandingPublication } from '../../store/store.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import { editIntervalMs, HEARTBEAT_MS, SHORTEST_INTERVAL_MS } from './edit-pace.ts';
import type { Publication } from './publication.ts';

const MERGE_EVENT_MS = 5_000;

/** So long after the edit before it, what a person waits for is shown, however little room there is. */
const SOON_MS = 10_000;

const NOW = new Date(0);

/**
 * `undefined`: it stands on GitHub as it should, and stays so. A time that is over: now. Whatever is
 * not live goes out at once. `room` is asked for only where a live edit comes into question.
 */
export async function dueAt(
  publication: Publication,
  before: Pick<StandingPublication, 'digest' | 'updatedAt'> | undefined,
  tracker: Pick<JournalTracker, 'session' | 'entries'>,
  room: () => Promise<WriteBudget>,
): Promise<Date | undefined> {
  const { digest, isLive = false } = publication;
  const isNews = before?.digest !== digest;
  if (!isNews && !isLive) return undefined;
  if (before === undefined) return NOW;
  const merge = publication.key === 'status' ? mergeToldAt(tracker) : undefined;
  if (merge !== undefined) return merge;
  if (!isLive) return NOW;
  const earliest = after(before.updatedAt, isNews ? SHORTEST_INTERVAL_MS : HEARTBEAT_MS);
  if (earliest > new Date()) return earliest;
  const left = await room();
  const isAwaited = firstWord(before.digest) !== firstWord(digest);
  const interval = Math.min(editIntervalMs(left), isAwaited ? SOON_MS : Infinity);
  const inTurn = after(before.updatedAt, interval);
  return left.pausedMs > 0 ? latest(inTurn, after(new Date(), left.pausedMs)) : inTurn;
}

const firstWord = (digest: string): string => digest.split(' ', 1)[0] ?? '';
const after = (time: Date, ms: number): Date => new Date(time.getTime() + ms);
const latest = (one: Date, other: Date): Date => (one > other ? one : other);

/**
 * A merge closes the issue too, and its own event may come a moment after that of the issue: nobody
 * is told "stopped" in between.
 */
function mergeToldAt({ session: { thread } }: Pick<JournalTracker, 'session'>): Date | undefined {
  if (!thread.issueClosed || thread.pullRequest?.state !== 'open') return undefined;
  return after(new Date(thread.closedAt), MERGE_EVENT_MS);
}

import { sharedNow } from '../../lib/clock.ts';
import {
  dayOf,
  monthOf,
  sharedLimits,
  type Budgets,
  type SpentDollars,
} from '../../agent/limits.ts';
import type { TrackedSession } from '../service/journal-tracker.ts';
import type { SessionStore } from '../../store/store.ts';
import type { SessionProgress } from '../../session/parts/session-counts.ts';

interface SpendingSources {
  readonly tracker: TrackedSession;
  readonly store: Pick<SessionStore, 'spent'>;
}

/**
 * What the session has cost so far, and, if there are budgets for them, what all processes have spent that share these. The
 * store is asked each time: what a session may send beyond a budget is then one request, whatever the others do.
 */
export function spendingOf(
  { tracker, store }: SpendingSources,
  budgets: Budgets,
  now: () => number = sharedNow,
): () => Promise<SpentDollars> {
  return async () => {
    const { spending, thread, requests } = tracker.session;
    const issue = spending.cost.dollars;
    if (sharedLimits(budgets).length === 0) return { issue };
    const day = dayOf(now()).begins;
    const shared = await store.spent({
      repository: thread.repository.id,
      person: requests.requester?.id,
      day,
      month: budgets.serviceMonth === undefined ? day : monthOf(now()).begins,
    });
    return { issue, shared };
  };
}

/**
 * Milliseconds that the latest run has been worked on, counted on from now: what it was deferred for, or the service
 * was down, does not count. What was before is known by the journal, in the database's time; from then on a clock counts
 * that nobody sets.
 */
export function stopwatch(
  { workedMs, workingSince }: Pick<SessionProgress, 'workedMs' | 'workingSince'>,
  now: () => number = sharedNow,
  elapsed: () => number = () => performance.now(),
): () => number {
  const before = workingSince === '' ? 0 : Math.max(0, now() - Date.parse(workingSince));
  const begun = elapsed();
  return () => workedMs + before + elapsed() - begun;
}

import { sharedNow } from '../../lib/clock.ts';
import type { Budgets, SpentDollars } from '../../agent/limits.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { SessionStore } from '../../store/session-store.ts';

const ASK_MS = 10_000;
const DAY_MS = 24 * 60 * 60_000;

interface Parts {
  readonly tracker: JournalTracker;
  readonly store: Pick<SessionStore, 'spentSince'>;
}

/** What the store said: times are milliseconds of the epoch, `own` what the session had cost then. */
interface Answer {
  readonly at: number;
  readonly day: number;
  readonly own: number;
  readonly dollars: number;
}

/**
 * What the session and its repository have cost so far. The store is asked for the repository every
 * ten seconds; what the session itself spends is known at once. So the budget of a repository may be
 * overrun by what its other sessions spend in ten seconds.
 */
export function spendingOf(
  { tracker, store }: Parts,
  budgets: Budgets,
  now: () => number = sharedNow,
): () => Promise<SpentDollars> {
  let last: Answer | undefined;
  return async () => {
    const {
      spending: { cost },
      thread: { repository },
    } = tracker.session;
    const own = cost.dollars;
    if (budgets.repositoryDay === undefined) return { issue: own, repositoryDay: 0 };
    const at = now();
    if (last === undefined || isStale(last, at)) {
      const day = midnight(at);
      last = { at, day, own, dollars: await store.spentSince(repository.id, new Date(day)) };
    }
    return { issue: own, repositoryDay: last.dollars + own - last.own };
  };
}

/** A clock that was put back makes it stale too. */
const isStale = ({ at, day }: Answer, now: number): boolean =>
  day !== midnight(now) || now < at || now - at >= ASK_MS;

/** The last midnight, UTC. */
const midnight = (now: number): number => now - (now % DAY_MS);

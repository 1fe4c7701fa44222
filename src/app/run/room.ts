// Room to write for a run: kept in order while it waits, in place at first and then deferred, without a slot.
import type { Writer } from '../../lib/write-budget.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Store } from '../../store/store.ts';
import type { Service } from '../service/service.ts';

type RoomParts = Pick<Service, 'roomPatienceMs'> & {
  readonly store: Pick<Store, 'isSlotAwaited'>;
};

/** Those of a pull request: it is opened, marked as ready, and a review is requested. */
export const WRITES_OF_A_RUN = 3;

/** A run is left this often because there is no room. After that, it waits in its slot. */
const MOST_DEFERRALS = 2;
/** Milliseconds. As long as it takes to clone again: a run that waits longer leaves its slot to a session that wants it. */
const SLOT_AWAITED_MS = 5_000;

export const writerOfRun = (
  { store, roomPatienceMs }: RoomParts,
  tracker: Pick<JournalTracker, 'id' | 'session'>,
  signal: AbortSignal,
): Writer => ({
  holder: `run:${tracker.id}`,
  rank: 'work',
  patienceMs: async () => {
    if ((tracker.session.run?.timesWithoutRoom ?? 0) >= MOST_DEFERRALS) return Infinity;
    return (await store.isSlotAwaited())
      ? Math.min(SLOT_AWAITED_MS, roomPatienceMs)
      : roomPatienceMs;
  },
  signal,
});

// Room to write for a run: kept in order while it waits, in place at first and then deferred, without a slot.
import type { Writer } from '../../lib/write-budget.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';

/** Those of a pull request: it is opened, marked as ready, and a review is requested. */
export const WRITES_OF_A_RUN = 3;

/** A run is left this often because there is no room. After that, it waits in its slot. */
const MOST_DEFERRALS = 2;

export const writerOfRun = (
  { roomPatienceMs }: Pick<Service, 'roomPatienceMs'>,
  tracker: Pick<JournalTracker, 'id' | 'session'>,
  signal: AbortSignal,
): Writer => ({
  holder: `run:${tracker.id}`,
  rank: 'work',
  patienceMs: () =>
    (tracker.session.run?.timesWithoutRoom ?? 0) < MOST_DEFERRALS ? roomPatienceMs : Infinity,
  signal,
});

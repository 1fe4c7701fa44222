// How a run waits for room to write: in place at first, then deferred, without a slot.
import type { Writer } from '../../lib/write-budget.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';

/** A run is left this often because there is no room. After that, it waits in its slot. */
const MOST_DEFERRALS = 2;

export const writerOfRun = (
  { roomPatienceMs }: Pick<Service, 'roomPatienceMs'>,
  tracker: Pick<JournalTracker, 'session'>,
  signal: AbortSignal,
): Writer => ({
  rank: 'awaited',
  patienceMs: () =>
    (tracker.session.run?.timesWithoutRoom ?? 0) < MOST_DEFERRALS ? roomPatienceMs : Infinity,
  signal,
});

import type { NewAgentEntry } from '../../contracts/entries.ts';
import type { Steps } from '../../agent/run.ts';
import type { NewEntry } from '../../session/entries/entry.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { isAgentEntry } from './conversation.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { PauseWatch } from '../service/pause-watch.ts';
import type { RunContext } from '../service/service.ts';
import { PutAside } from './run-end.ts';

/**
 * Appends what the agent yields and hands it back stored. `drain`: the file changes of a call, which
 * are stored with its result in one transaction.
 * @throws {PutAside} between two steps, where somebody has paused the session or the service
 */
export async function record<End>(
  { tracker, pause }: Pick<RunContext, 'tracker' | 'pause'>,
  steps: Steps<End>,
  drain: () => Promise<readonly StoredChange[]> = () => Promise.resolve([]),
): Promise<End> {
  let step = await steps.next();
  while (step.done !== true) {
    const changes = step.value.type === 'call_finished' ? await drain() : [];
    const stored = await tracker.append(withCount(step.value, changes.length), { changes });
    if (!isAgentEntry(stored)) throw new Error('the journal answered with another entry');
    // A call that has begun may act outside: it is let to its end.
    if (stored.type !== 'call_started') stayUnlessPaused(tracker, pause);
    step = await steps.next(stored);
  }
  return step.value;
}

/** @throws {PutAside} */
export function stayUnlessPaused(
  { session }: Pick<JournalTracker, 'session'>,
  pause: Pick<PauseWatch, 'current'>,
): void {
  if (session.pausedBy !== undefined || pause.current !== undefined) throw new PutAside();
}

/** Views have to know whether a call changed files; what it changed stands beside the journal. */
const withCount = (entry: NewAgentEntry, changed: number): NewEntry =>
  entry.type === 'call_finished' && changed > 0 ? { ...entry, changed } : entry;

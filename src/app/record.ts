import type { Steps } from '../agent/run.ts';
import type { Effect } from '../session/entry.ts';
import type { StoredChange } from '../store/store.ts';
import { isAgentEntry } from './conversation.ts';
import type { JournalTracker } from './journal-tracker.ts';

/**
 * Appends what the agent yields and hands it back stored. `drain`: the file changes of a call, which
 * are stored with its result in one transaction.
 */
export async function record<End>(
  tracker: JournalTracker,
  steps: Steps<Effect, End>,
  drain: () => Promise<readonly StoredChange[]> = () => Promise.resolve([]),
): Promise<End> {
  let step = await steps.next();
  while (step.done !== true) {
    const changes = step.value.type === 'call_finished' ? await drain() : [];
    const stored = await tracker.append(step.value, { changes });
    if (!isAgentEntry(stored)) throw new Error('the journal answered with another entry');
    step = await steps.next(stored);
  }
  return step.value;
}

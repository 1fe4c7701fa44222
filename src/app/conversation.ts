import type { AgentEntry } from '../agent/entries.ts';
import { History } from '../agent/history.ts';
import type { Protocol } from '../agent/protocol.ts';
import type { Effect, Entry } from '../session/entry.ts';

const OF_THE_AGENT: ReadonlySet<Entry['type']> = new Set([
  'input_taken',
  'reply',
  'call_started',
  'call_finished',
]);

/** An entry that the agent's loop yielded, as it came back from the journal. */
export const isAgentEntry = (entry: Entry): entry is Entry & AgentEntry<Effect> =>
  OF_THE_AGENT.has(entry.type);

/** The conversation that a journal holds, as it stood when its last entry was written. */
export function conversationOf(entries: readonly Entry[], protocol: Protocol): History<Effect> {
  const history = new History<Effect>(protocol);
  for (const entry of entries) {
    if (entry.type === 'run_started') history.beginRun();
    else if (isAgentEntry(entry)) history.add(entry);
  }
  return history;
}

import type { AgentEntry } from '../../agent/entries.ts';
import { History } from '../../agent/history.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import type { Effect, Entry } from '../../session/entries/entry.ts';

const OF_THE_AGENT: ReadonlySet<Entry['type']> = new Set([
  'input_taken',
  'notice',
  'reply',
  'call_started',
  'call_finished',
  'protocol_changed',
  'compacted',
]);

/** An entry that the agent's loop yielded, as it came back from the journal. */
export const isAgentEntry = (entry: Entry): entry is Entry & AgentEntry<Effect> =>
  OF_THE_AGENT.has(entry.type);

/** The conversation that a journal holds, as it stood when its last entry was written. */
export function conversationOf(entries: readonly Entry[]): History<Effect> {
  const history = new History<Effect>();
  for (const entry of entries) {
    if (entry.type === 'run_started') history.beginRun();
    else if (entry.type === 'run_prepared') {
      const { protocol, instructions } = entry;
      history.speak({ protocol: protocolNamed(protocol), instructions });
    } else if (isAgentEntry(entry)) history.add(entry);
  }
  return history;
}

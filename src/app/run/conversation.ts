import type { AgentEntry, NewAgentEntry } from '../../contracts/entries.ts';
import type { ContentOf } from '../../agent/conversation.ts';
import { History } from '../../agent/history.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import type { Entry } from '../../session/entry.ts';
import { conversationEntries } from '../../session/kept-entries.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';

const AGENT_ENTRIES: Readonly<Record<NewAgentEntry['type'], true>> = {
  input_read: true,
  notice: true,
  reply: true,
  call_started: true,
  call_finished: true,
  protocol_changed: true,
  images_dropped: true,
  compacted: true,
};

/** Whether an entry of the journal is one that the agent's loop yielded. */
export const isAgentEntry = (entry: Entry): entry is AgentEntry =>
  Object.hasOwn(AGENT_ENTRIES, entry.type);

/** The conversation of a run, as of the last entry of its journal. The tracker has the steps of it. */
export function conversationIn(
  { entries, kept, session }: Pick<JournalTracker, 'entries' | 'kept' | 'session'>,
  contentOf?: ContentOf,
): History {
  const history = conversationOf(conversationEntries(entries, kept), contentOf);
  history.count(session.progress);
  return history;
}

/** The conversation in a journal, as of its last entry; without `contentOf`, its images are empty. */
export function conversationOf(entries: readonly Entry[], contentOf?: ContentOf): History {
  const history = new History(contentOf);
  for (const entry of entries) addTo(history, entry);
  return history;
}

/** What an entry means for the conversation, if anything. */
export function addTo(history: History, entry: Entry): void {
  if (entry.type === 'run_started') history.beginRun({ afresh: entry.afresh === true });
  else if (entry.type === 'run_prepared') {
    const { protocol, instructions, imageTypes = [] } = entry;
    history.speak({
      protocol: protocolNamed(protocol),
      instructions,
      imageTypes: new Set(imageTypes),
    });
  } else if (isAgentEntry(entry)) history.add(entry);
}

import type { Entry } from '../session/entry.ts';
import type { Store } from '../store/store.ts';
import { partOf } from '../web/journal-part.ts';
import type { Prompt, SessionSource } from '../web/session-source.ts';
import { conversationOf } from './run/conversation.ts';
import { KeptJournals } from './service/kept-journals.ts';

const NEWEST = 200;
const MEMORIES = 1000;

/** What the model is sent after these entries. */
export function promptOf(entries: readonly Entry[]): Prompt {
  const { prompt, messages } = conversationOf(entries);
  return { system: prompt.instructions, messages };
}

/** What the session pages show, read from the store. */
export function sessionReader(store: Store): SessionSource {
  const journals = new KeptJournals(store);
  const isKnown = async (id: string): Promise<boolean> => (await store.session(id)) !== undefined;
  return {
    list: () => store.sessions({ limit: NEWEST }),
    newest: async (id) => (await store.session(id))?.lastSeq,
    part: async (id, range) => {
      if (!(await isKnown(id))) return undefined;
      return journals.read(id, ({ session, entries: marks, kept: { lastReply } }) =>
        partOf(
          {
            session,
            marks,
            lastReply,
            read: (afterSeq, upTo) => store.journal(id, afterSeq, { upTo }),
            repliesBefore: (seq) => store.repliesBefore(id, seq),
          },
          range,
        ),
      );
    },
    journal: async (id) => ((await isKnown(id)) ? store.journal(id) : undefined),
    memories: async (id) => ((await isKnown(id)) ? store.memories.list(id, MEMORIES) : undefined),
    prompt: promptOf,
  };
}

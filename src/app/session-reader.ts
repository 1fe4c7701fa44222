import type { Entry } from '../session/entry.ts';
import type { Store } from '../store/store.ts';
import type { Prompt, SessionSource } from '../web/session-source.ts';
import { conversationOf } from './run/conversation.ts';

const NEWEST = 200;
const MEMORIES = 1000;

/** What the model is sent after these entries. */
export function promptOf(entries: readonly Entry[]): Prompt {
  const { prompt, messages } = conversationOf(entries);
  return { system: prompt.instructions, messages };
}

/** What the session pages show, read from the store. */
export const sessionReader = (store: Store): SessionSource => ({
  list: () => store.sessions({ limit: NEWEST }),
  newest: async (id) => (await store.session(id))?.lastSeq,
  journal: async (id) => {
    const row = await store.session(id);
    return row === undefined ? undefined : store.journal(id);
  },
  memories: async (id) =>
    (await store.session(id)) === undefined ? undefined : store.memories.list(id, MEMORIES),
  prompt: promptOf,
});

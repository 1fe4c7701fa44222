import type { Store } from '../store/store.ts';
import type { SessionSource } from '../web/session-source.ts';

const NEWEST = 200;

/** What the session pages show, read from the store. */
export const sessionReader = (store: Store): SessionSource => ({
  list: () => store.sessions({ limit: NEWEST }),
  journal: async (id) => {
    const row = await store.session(id);
    return row === undefined ? undefined : store.journal(id);
  },
});

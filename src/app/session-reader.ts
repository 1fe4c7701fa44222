import type { Entry } from '../session/entry.ts';
import type { SessionRow, Store } from '../store/store.ts';

/** What the session pages read. */
export interface SessionReader {
  list(): Promise<readonly SessionRow[]>;
  journal(id: string): Promise<readonly Entry[] | undefined>;
}

const NEWEST = 200;

export const sessionReader = (store: Store): SessionReader => ({
  list: () => store.sessions({ limit: NEWEST }),
  journal: async (id) => {
    const row = await store.session(id);
    return row === undefined ? undefined : store.journal(id);
  },
});

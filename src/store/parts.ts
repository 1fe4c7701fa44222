import type { Database } from './database.ts';
import type { Queue } from './queue.ts';
import type { Execute } from './statement.ts';

/** What the operations of the store work with. */
export interface Parts {
  readonly database: Database;
  /** Runs a statement as a transaction of its own. */
  readonly execute: Execute;
  readonly queue: Pick<Queue, 'wake'>;
  /** Wakes `publish` outside of any transaction and of the caller's way; see `Store.append`. */
  readonly publishSoon: (session: string) => void;
}

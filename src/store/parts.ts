import type { Database } from './database.ts';
import type { Queue } from './queue.ts';

/** What the operations of the store work with. */
export interface Parts {
  readonly database: Database;
  readonly queue: Pick<Queue, 'wake'>;
}

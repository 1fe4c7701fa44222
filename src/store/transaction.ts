import type { Database, DatabaseTransaction } from './database.ts';

const DEADLOCK = '40P01';
const MOST_TRIES = 4;

/**
 * A transaction. Where PostgreSQL ends it because it and another wait for each other, such as the queue's
 * own upkeep, it is made again: `work` has to leave nothing behind but in the database.
 */
export async function inTransaction<T>(
  database: Database,
  work: (transaction: DatabaseTransaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await database.transaction().execute(work);
    } catch (error) {
      if (tries === MOST_TRIES || !isDeadlock(error)) throw error;
    }
}

const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === DEADLOCK;

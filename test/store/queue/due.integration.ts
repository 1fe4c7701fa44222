import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import {
  openDatabase,
  openPool,
  type Database,
  type DatabaseTransaction,
} from '../../../src/store/database/database.ts';
import { wakeDue } from '../../../src/store/queue/due.ts';
import { silent } from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

const WAITING = 10_000;

describe('sessions that wait for people', () => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await createDatabase();
    database = openDatabase(openPool(place.connection, silent));
    await sql`
      insert into issuewright.sessions
        (id, installation, repository_id, owner, name, issue, state, last_seq, published_seq, updated_at)
      select 's' || n, 1, n % 50, 'example', 'sample', n, 'waiting(answer)', 30, 30, now() - interval '1 day'
      from generate_series(1, ${WAITING}) as n`.execute(database);
    await sql`analyze issuewright.sessions`.execute(database);
  });
  afterAll(async () => {
    await database.destroy();
    await place.drop();
  });

  /** Rows that a sweep reads of the table, as PostgreSQL counts them in a transaction. */
  const readBy = (which: 'all' | 'timers'): Promise<number> =>
    database.transaction().execute(async (transaction) => {
      const before = await rowsRead(transaction);
      const queue = { wake: () => Promise.reject(new Error('nobody is due')) };
      await wakeDue({ database: transaction, queue }, new Date(), which);
      return (await rowsRead(transaction)) - before;
    });

  const rowsRead = async (transaction: DatabaseTransaction): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select seq_tup_read + coalesce(idx_tup_fetch, 0) as count
      from pg_stat_xact_user_tables where relname = 'sessions'`.execute(transaction);
    return rows[0]?.count ?? 0;
  };

  it('are not read by the sweep of every second', async () => {
    expect(await readBy('timers')).toBe(0);
  });

  it('are read once by the sweep that looks for lost wake-ups', async () => {
    expect(await readBy('all')).toBe(WAITING);
  });
});

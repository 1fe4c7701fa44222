import { expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { pino } from 'pino';
import { openDatabase, openPool } from '../../../src/store/database/database.ts';
import { createDatabase } from '../../support/test-database.ts';

it('a broken connection is reported, but not while all are being closed', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(line) });
  const pool = openPool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' }, log);
  pool.emit('error', new Error('terminating connection'), undefined);
  expect(lines).toHaveLength(1);
  const closing = pool.end();
  pool.emit('error', new Error('terminating connection'), undefined);
  await closing;
  expect(lines).toHaveLength(1);
});

it('a connection that breaks during a query fails this query, and not the process', async () => {
  const place = await createDatabase('empty');
  const database = openDatabase(openPool(place.connection, pino({ level: 'silent' })));
  await database.connection().execute(async (connection) => {
    const own = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
    const running = sql`select pg_sleep(60)`.execute(connection);
    const end = sql`select pg_terminate_backend(${own.rows[0]?.pid})`.execute(database);
    await expect(running).rejects.toThrow(/terminat/);
    await end;
    // Answers only once the connection has ended.
    await expect(sql`select 1`.execute(connection)).rejects.toThrow();
  });
  await database.destroy();
  await place.drop();
});

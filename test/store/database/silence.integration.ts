// A network that goes silent under the connections of a pool.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { openDatabase, openPool } from '../../../src/store/database/database.ts';
import { SilenceLimit } from '../../../src/store/database/silence.ts';
import { isDatabaseAway } from '../../../src/store/patient-store.ts';
import { until } from '../../contract/store-world.ts';
import { silentProxy, type SilentProxy } from '../../support/silent-proxy.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

const LIMIT_MS = 300;

describe('a statement on a connection that went silent', () => {
  let place: TestDatabase;
  let proxy: SilentProxy;
  let silence: SilenceLimit;
  let pool: pg.Pool;
  let lines: string[];

  beforeEach(async () => {
    place = await createDatabase('empty');
    proxy = await silentProxy(place);
    lines = [];
    const log = pino({}, { write: (line) => void lines.push(line) });
    silence = new SilenceLimit(log, LIMIT_MS);
    pool = openPool({ connectionString: proxy.url }, log, { silence });
    await pool.query('select 1');
  });
  afterEach(async () => {
    if (!pool.ending) await pool.end();
    await proxy.close();
    await place.drop();
  });

  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'none',
      (error: unknown) => error,
    );

  it('fails as if the database were away, and the next one has a new connection', async () => {
    silence.begin();
    proxy.silence();
    const failure = await failureOf(pool.query('select 2'));
    expect(isDatabaseAway(failure)).toBe(true);
    expect(lines.join('')).toContain('ended a silent database connection');
    proxy.resume({ late: false });
    const { rows } = await pool.query('select 3 as answer');
    expect(rows).toEqual([{ answer: 3 }]);
  });

  it('fails with its transaction, whose connection is not used again', async () => {
    silence.begin();
    const database = openDatabase(pool);
    const work = database.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      proxy.silence();
      await sql`select 2`.execute(transaction);
    });
    expect(isDatabaseAway(await failureOf(work))).toBe(true);
    expect(pool.totalCount).toBe(0);
    proxy.resume({ late: false });
    await sql`select 3`.execute(database);
    await database.destroy();
  });

  it('does not wait for a lock any more after its connection was ended', async () => {
    const holder = new pg.Client(place.connection);
    await holder.connect();
    await holder.query('create table locked (written integer)');
    await holder.query('begin; lock table locked');
    const direct = openPool(place.connection, pino({ level: 'silent' }), { silence });
    const { rows: pids } = await direct.query<{ pid: number }>('select pg_backend_pid() as pid');
    silence.begin();
    const failure = await failureOf(direct.query('insert into locked values (1)'));
    expect(isDatabaseAway(failure)).toBe(true);
    // Its process is gone: "does not wait" would be true for a moment whenever it looks around. Outside of a transaction,
    // since within one the list of processes stays what it was.
    const watcher = openPool(place.connection, pino({ level: 'silent' }));
    const isThere = async (): Promise<boolean> => {
      const { rows } = await watcher.query('select from pg_stat_activity where pid = $1', [
        pids[0]?.pid,
      ]);
      return rows.length > 0;
    };
    await until('it is given up', async () => !(await isThere()));
    await holder.query('commit');
    const { rows } = await holder.query('select from locked');
    expect(rows).toEqual([]);
    await Promise.all([direct.end(), watcher.end(), holder.end()]);
  });

  it('has no limit during migrations, before the service works', async () => {
    const take = () => pool.query(`select pg_sleep(${(2 * LIMIT_MS) / 1000})`);
    await take();
    silence.begin();
    expect(isDatabaseAway(await failureOf(take()))).toBe(true);
  });
});

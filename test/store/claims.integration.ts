import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { claim, countClaims, replaceClaim } from '../../src/store/claims.ts';
import { openDatabase, openPool, type Database } from '../../src/store/database/database.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { lockSession } from '../../src/store/sessions.ts';
import { inputTaken, newSession, silent } from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

describe('a claim that waited on its way to the database', () => {
  let place: TestDatabase;
  let store: OpenStore;
  let database: Database;
  beforeAll(async () => {
    place = await createDatabase();
    store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    database = openDatabase(openPool(place.connection, silent));
  });
  afterAll(async () => {
    await database.destroy();
    await store.close();
    await place.drop();
  });

  it.each([['that appended something', 1] as const, ['that appended nothing', 0] as const])(
    'takes the session from nobody, during or after a run %s',
    async (_what, count) => {
      const id = await newSession(store);
      const before = await countClaims(database, id);
      const late = () => replaceClaim(database, id, before);
      const token = await claim(database, id);
      expect(await late()).toBeUndefined();
      expect(await store.session(id)).toMatchObject({ claim: token });
      const entries = Array.from({ length: count }, () => inputTaken('mine'));
      await store.append(id, entries, { claim: token });
      const wakeAt = new Date(Date.now() + 60_000);
      await store.settle(id, token, 2 + count, { state: 'waiting', wakeAt });
      expect(await late()).toBeUndefined();
      expect(await store.session(id)).toMatchObject({ claim: null, wakeAt });
    },
  );

  it('takes it although others have written to it meanwhile', async () => {
    const id = await newSession(store);
    const before = await countClaims(database, id);
    await store.append(id, [inputTaken('of another')]);
    const token = await replaceClaim(database, id, before);
    expect(await store.session(id)).toMatchObject({ claim: token, lastSeq: 3 });
  });
});

describe('a session that is left while its installation is woken', () => {
  it('is looked at once more, and does not sleep until its time', async () => {
    const place = await createDatabase();
    const store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    const database = openDatabase(openPool(place.connection, silent));
    const [id, other] = [await newSession(store), await newSession(store)];
    await sql`update issuewright.sessions set installation = 7`.execute(database);
    const token = await claim(database, id);
    await sql`delete from issuewright.session_queue`.execute(database);
    const waiting = async (): Promise<boolean> => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database);
      return rows.length > 0;
    };
    const woken = await database.transaction().execute(async (transaction) => {
      await lockSession(transaction, other);
      const woken = store.wakeInstallation(7);
      while (!(await waiting())) await setImmediate();
      await store.release(id, token, new Date(Date.now() + 3_600_000));
      return { woken };
    });
    await woken.woken;
    const { rows } =
      await sql`select from issuewright.session_queue join issuewright.sessions on id = session_id
      where id = ${id} and (is_woken or wake_at <= now())`.execute(database);
    expect(rows).toHaveLength(1);
    await database.destroy();
    await store.close();
    await place.drop();
  });
});

describe('a run that settles although there is news', () => {
  it('goes on without waiting for whoever writes to the session', async () => {
    const place = await createDatabase();
    const store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    const database = openDatabase(openPool(place.connection, silent));
    const id = await newSession(store);
    const token = await claim(database, id);
    await database.transaction().execute(async (transaction) => {
      await lockSession(transaction, id);
      expect(await store.settle(id, token, 1, { state: 'done' })).toBe('more');
    });
    expect(await store.session(id)).toMatchObject({ claim: token });
    await database.destroy();
    await store.close();
    await place.drop();
  });
});

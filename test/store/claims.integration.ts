import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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

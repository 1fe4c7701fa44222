import { expect, it } from '@jest/globals';
import { claim, replaceClaim } from '../../src/store/claims.ts';
import { openDatabase, openPool } from '../../src/store/database/database.ts';
import { openStore } from '../../src/store/open.ts';
import { inputTaken, newSession, silent } from '../contract/store-world.ts';
import { createDatabase } from '../support/test-database.ts';

it('a claim that reaches the database late takes the session from nobody, then or after its run', async () => {
  const place = await createDatabase();
  const store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
  const database = openDatabase(openPool(place.connection, silent));
  const id = await newSession(store);
  const before = (await store.session(id))!;
  const late = () => replaceClaim(database, before);
  const token = await claim(database, id);
  expect(await late()).toBeUndefined();
  expect(await store.session(id)).toMatchObject({ claim: token });
  await store.append(id, [inputTaken('mine')], { claim: token });
  const wakeAt = new Date(Date.now() + 60_000);
  await store.settle(id, token, 3, { state: 'waiting', wakeAt });
  expect(await late()).toBeUndefined();
  expect(await store.session(id)).toMatchObject({ claim: null, wakeAt });
  await database.destroy();
  await store.close();
  await place.drop();
});

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, openPool } from '../../src/store/database/database.ts';
import { openStore } from '../../src/store/open.ts';
import { dollarsOf } from '../../src/session/dollars-of.ts';
import {
  delivery,
  inputTaken,
  newRepository,
  reply,
  sessionOf,
  silent,
} from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

let place: TestDatabase;

beforeAll(async () => {
  place = await createDatabase();
});
afterAll(async () => {
  await place.drop();
});

describe('what was spent', () => {
  it('can be rebuilt from the journal, row by row', async () => {
    const store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    const database = openDatabase(openPool(place.connection, silent));
    const happens = newRepository();
    const spent = () => store.spentSince(happens().repository.id, new Date(0));
    const id = sessionOf(await store.accept(happens(), delivery()));
    await store.append(id, [reply(0.5), inputTaken('free'), reply(null), reply(0), reply(0.25)]);
    expect(await spent()).toBe(0.75);

    const stood = await database.selectFrom('spending').selectAll().orderBy('seq').execute();
    const rows = (await store.journal(id)).flatMap((entry) => {
      const dollars = dollarsOf(entry);
      if (dollars === null) return [];
      const { seq, at } = entry;
      return {
        repository_id: happens().repository.id,
        at: new Date(at),
        session_id: id,
        seq,
        dollars,
      };
    });
    expect(rows).toHaveLength(2);
    expect(stood).toEqual(rows);
    await database.deleteFrom('spending').execute();
    expect(await spent()).toBe(0);
    await database.insertInto('spending').values(rows).execute();
    expect(await spent()).toBe(0.75);
    await database.destroy();
    await store.close();
  });
});

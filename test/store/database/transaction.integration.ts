import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { pino } from 'pino';
import {
  inTransaction,
  openDatabase,
  openPool,
  type Database,
} from '../../../src/store/database/database.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

describe('a transaction', () => {
  let place: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    place = await createDatabase();
    database = openDatabase(openPool(place.connection, pino({ level: 'silent' })));
    await sql`create table pairs (name text primary key, value int)`.execute(database);
    await sql`insert into pairs values ('a', 0), ('b', 0)`.execute(database);
  });
  afterAll(async () => {
    await database.destroy();
    await place.drop();
  });

  it('that waits for another, which waits for it, is made again', async () => {
    const both = Promise.withResolvers<void>();
    let tries = 0;
    let holding = 0;
    const bump = (first: string, second: string) =>
      inTransaction(database, async (transaction) => {
        tries += 1;
        const add = (name: string) =>
          sql`update pairs set value = value + 1 where name = ${name}`.execute(transaction);
        await add(first);
        if ((holding += 1) === 2) both.resolve();
        await both.promise;
        await add(second);
      });
    await Promise.all([bump('a', 'b'), bump('b', 'a')]);
    // Those that are made again may meet again.
    expect(tries).toBeGreaterThan(2);
    const { rows } = await sql`select value from pairs`.execute(database);
    expect(rows).toEqual([{ value: 2 }, { value: 2 }]);
  });

  it('that fails for another reason is not', async () => {
    let tries = 0;
    const failing = inTransaction(database, () => {
      tries += 1;
      return Promise.reject(new Error('no'));
    });
    await expect(failing).rejects.toThrow('no');
    expect(tries).toBe(1);
  });
});

// Databases that other versions made.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import { openStore, type OpenStore } from '../../../src/store/open.ts';
import { newSession, reply, silent } from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

let place: TestDatabase;
afterEach(() => place.drop());

const MIGRATIONS = [
  '0022_schema',
  '0023_outcome_compatible',
  '0024_spending_compatible',
  '0025_problems_compatible',
  '0026_reviews_compatible',
];

const open = (): Promise<OpenStore> =>
  openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });

async function query<Row extends pg.QueryResultRow>(
  text: string,
  { connection } = place,
): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const migrationsMade = async (): Promise<string[]> => {
  const names = 'select name from issuewright.kysely_migration order by name';
  return (await query<{ name: string }>(names)).map(({ name }) => name);
};

describe('a database that commit 27e3990d made', () => {
  const ID = 'hbii2sik8vuf';

  beforeEach(async () => {
    place = await createDatabase('empty');
    await query(readFileSync(new URL('made-by-27e3990d.sql', import.meta.url), 'utf8'));
  });

  /** Everything in the schema, a line each. */
  async function structureOf(database: TestDatabase): Promise<string[]> {
    const rows = await query<{ line: string }>(
      `select concat_ws(' ', 'column', table_name, column_name, udt_name, is_nullable, column_default,
         collation_name, datetime_precision) as line
       from information_schema.columns where table_schema = 'issuewright'
       union all select concat_ws(' ', 'table', relname, relkind, relpersistence, reloptions)
       from pg_class where relnamespace = 'issuewright'::regnamespace
       union all select indexdef from pg_indexes where schemaname = 'issuewright'
       union all select concat_ws(' ', 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = 'issuewright'::regnamespace
       union all select pg_get_functiondef(oid)
       from pg_proc where pronamespace = 'issuewright'::regnamespace`,
      database,
    );
    return rows.map(({ line }) => line).toSorted();
  }

  it('has the same tables, indexes and functions as a new one, once this version has opened it', async () => {
    await (await open()).close();
    const fresh = await createDatabase();
    expect(await structureOf(place)).toEqual(await structureOf(fresh));
    await fresh.drop();
    expect(await migrationsMade()).toEqual(MIGRATIONS);
  });

  it('keeps its sessions, which continue', async () => {
    const store = await open();
    const { session } = await JournalTracker.open(store, ID);
    expect(session.tally.model).toBe('openai:example-model');
    expect(session.requests.awaitingAdmission).toMatchObject([{ intent: { body: 'The first.' } }]);
    await store.append(ID, [reply(0.1)], { claim: await store.claim(ID) });
    expect((await store.journal(ID)).map(({ seq }) => seq)).toEqual(
      [...Array(17).keys()].map((seq) => seq + 1),
    );
    expect((await store.memories.list(ID, 10)).memories).toHaveLength(1);
    await store.close();
  });

  it('is taken over once by two processes that start at the same time', async () => {
    const stores = await Promise.all([open(), open()]);
    await Promise.all(stores.map((store) => store.close()));
    expect(await migrationsMade()).toEqual(MIGRATIONS);
  });

  it('is rejected and left alone if its own version was older, with the commit to start before', async () => {
    await query(`delete from issuewright.kysely_migration where name > '0021'`);
    const before = await migrationsMade();
    await expect(open()).rejects.toThrow(
      /^Cannot use the database: an early version of Issuewright made its tables\. Start that of commit 27e3990d with it once, and then this one\.$/,
    );
    expect(await migrationsMade()).toEqual(before);
  });
});

describe('a database that a newer version has migrated', () => {
  beforeEach(async () => {
    place = await createDatabase();
  });

  async function migratedTo(...names: string[]): Promise<void> {
    for (const name of names)
      await query(
        `insert into issuewright.kysely_migration (name, timestamp) values ('${name}', now()::text)`,
      );
  }

  it('is used if all its changes are compatible', async () => {
    await migratedTo('9001_more_compatible', '9002_most_compatible');
    const store = await open();
    const id = await newSession(store);
    expect(await store.session(id)).toMatchObject({ id });
    await store.close();
  });

  it('is left alone otherwise, with words that say what to do', async () => {
    await migratedTo('9001_more_compatible', '9002_other', '9003_most_compatible');
    await expect(open()).rejects.toThrow(
      /^Cannot use the database: a newer version of Issuewright has changed its tables \(9002_other\), .* Start the newer version\. .* restore the backup from before the upgrade\.$/,
    );
  });

  it('is not used if it lacks a change that this version needs', async () => {
    await query(
      `delete from issuewright.kysely_migration where name = (select max(name) from issuewright.kysely_migration)`,
    );
    await migratedTo('9001_more_compatible');
    await expect(open()).rejects.toThrow(/^Cannot open the database/);
  });
});

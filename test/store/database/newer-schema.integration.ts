// A version of Issuewright on a database that a newer one has migrated.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openStore } from '../../../src/store/open.ts';
import { newSession, silent } from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

describe('a database that a newer version has migrated', () => {
  let place: TestDatabase;
  beforeEach(async () => {
    place = await createDatabase();
  });
  afterEach(() => place.drop());

  const open = () => openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });

  async function migratedTo(...names: string[]): Promise<void> {
    const client = new pg.Client(place.connection);
    await client.connect();
    for (const name of names)
      await client.query(
        `insert into issuewright.kysely_migration (name, timestamp) values ($1, now()::text)`,
        [name],
      );
    await client.end();
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
    const client = new pg.Client(place.connection);
    await client.connect();
    await client.query(
      `delete from issuewright.kysely_migration where name = (select max(name) from issuewright.kysely_migration)`,
    );
    await client.end();
    await migratedTo('9001_more_compatible');
    await expect(open()).rejects.toThrow(/^Cannot open the database/);
  });
});

// What /readyz asks, over a real database and queue of which parts are taken away.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { needsOf, SandboxNeed } from '../../../src/app/service/shells.ts';
import { openStore, type OpenStore } from '../../../src/store/open.ts';
import { until } from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

describe('the needs of a service', () => {
  let database: TestDatabase;
  let store: OpenStore;
  let admin: pg.Client;

  beforeEach(async () => {
    database = await createDatabase();
    const log = pino({ level: 'silent' });
    store = await openStore({ databaseUrl: database.url, dataDir: '/unused', log });
    admin = new pg.Client({ ...database.connection, database: 'postgres' });
    await admin.connect();
  });

  afterEach(async () => {
    await store.close();
    await admin.end();
    await database.drop();
  });

  const lacks = async (sandbox?: SandboxNeed): Promise<string[]> => {
    const needs = needsOf(store, sandbox);
    const results = await Promise.allSettled(needs.map(({ check }) => check()));
    return needs.flatMap(({ lack }, index) =>
      results[index]?.status === 'rejected' ? [lack] : [],
    );
  };

  const execute = async (statement: string): Promise<void> => {
    const client = new pg.Client(database.connection);
    await client.connect();
    await client.query(statement);
    await client.end();
  };

  it('are met by a database with both queues', async () => {
    expect(await lacks()).toEqual([]);
  });

  it.each([
    ['sessions', 'alter table issuewright.session_queue rename to', 'session_queue', 'issuewright'],
    ['publications', 'alter table pgboss.queue rename to', 'queue', 'pgboss'],
  ])('are not met while the queue of %s is gone', async (_what, rename, name, schema) => {
    await execute(`${rename} away`);
    expect(await lacks()).toEqual(['the queue does not answer']);
    await execute(`alter table ${schema}.away rename to ${name}`);
    expect(await lacks()).toEqual([]);
  });

  it('are not met while the database is away, and are again when it is back', async () => {
    const { database: name } = database.connection;
    await admin.query(`alter database "${name}" allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]);
    // PostgreSQL ends a connection a moment later, and the pool hears of it a moment after that.
    await until('both lack', async () => (await lacks()).length === 2);
    expect(await lacks()).toEqual(['the database does not answer', 'the queue does not answer']);
    await admin.query(`alter database "${name}" allow_connections true`);
    await until('nothing lacks', async () => (await lacks()).length === 0);
  });

  it('have the sandbox among them if the operator allows commands', async () => {
    const sandbox = new SandboxNeed();
    const lack = ['the sandbox, in which the agent runs commands, is not available'];
    expect(await lacks(sandbox)).toEqual(lack);
    sandbox.tried(undefined);
    expect(await lacks(sandbox)).toEqual(lack);
    sandbox.tried({ ready: () => Promise.resolve() });
    expect(await lacks(sandbox)).toEqual([]);
    sandbox.tried({ ready: () => Promise.reject(new Error('bubblewrap is not installed')) });
    expect(await lacks(sandbox)).toEqual(lack);
  });
});

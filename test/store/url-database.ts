// A database that several processes open by its URL: on the server that `DATABASE_URL_TEST` names, or ours.
import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import pg from 'pg';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { silent } from '../contract/store-world.ts';
import { createDatabase } from '../support/test-database.ts';

const given = process.env['DATABASE_URL_TEST'];
const drops: (() => Promise<void>)[] = [];

/** Empty. */
export async function newDatabase(): Promise<string> {
  if (given !== undefined) return onServer(given);
  const { url, drop } = await createDatabase('empty');
  drops.push(drop);
  return url;
}

async function onServer(server: string): Promise<string> {
  const name = `iw_${randomUUID().replaceAll('-', '')}`;
  await administer(server, `create database ${name}`);
  drops.push(() => administer(server, `drop database ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

export const open = (databaseUrl: string): Promise<OpenStore> =>
  openStore({ databaseUrl, dataDir: '/unused', log: silent });

afterAll(async () => {
  for (const drop of drops) await drop();
});

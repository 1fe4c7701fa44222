// A PostgreSQL that is reached by its URL, and databases in it that go with the tests of the file.
import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import pg from 'pg';
import type { EmbeddedServer } from '../../src/store/embedded/server.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { silent, temporaryDirectory } from '../contract/store-world.ts';
import { startPrepared } from '../support/prepared-data.ts';

const directory = temporaryDirectory();
const created: string[] = [];
let server: EmbeddedServer | undefined;

/** The machine's PostgreSQL where it names one, else one of our own that is reached by its URL. */
async function serverUrl(): Promise<string> {
  const given = process.env['DATABASE_URL_TEST'];
  if (given !== undefined) return given;
  server ??= await startPrepared(directory.path);
  const { host, port, user, database } = server.connection;
  return `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`;
}

async function administer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: await serverUrl() });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Empty. */
export async function newDatabase(): Promise<string> {
  const name = `iw_${randomUUID().replaceAll('-', '')}`;
  await administer(`create database ${name}`);
  created.push(name);
  const url = new URL(await serverUrl());
  url.pathname = `/${name}`;
  return url.href;
}

export const open = (databaseUrl: string): Promise<OpenStore> =>
  openStore({ databaseUrl, dataDir: '/unused', log: silent });

afterAll(async () => {
  for (const name of created) await administer(`drop database ${name}`);
  await server?.stop();
  directory.remove();
});

import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { z } from 'zod';
import { openStore, type OpenStore } from '../../src/store/open.ts';

const Connection = z.object({
  host: z.string(),
  port: z.number(),
  user: z.string(),
  database: z.string(),
});

export interface TestDatabase {
  readonly connection: z.infer<typeof Connection>;
  readonly url: string;
  readonly drop: () => Promise<void>;
}

/**
 * A database of its own on the server that all test files share: with all tables, or empty. Tests of the
 * embedded server, and of a service that is killed, start a server of their own.
 */
export async function createDatabase(
  kind: 'prepared' | 'empty' = 'prepared',
): Promise<TestDatabase> {
  const connection = Connection.parse(await ask('POST', kind));
  const { host, port, user, database } = connection;
  return {
    connection,
    url: `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`,
    drop: async () => void (await ask('DELETE', database)),
  };
}

/** Of `database-server.ts`. */
async function ask(method: string, path: string): Promise<unknown> {
  const socketPath = process.env['ISSUEWRIGHT_TEST_DATABASES'];
  if (socketPath === undefined)
    throw new Error('a test file that needs a database is named *.integration.ts');
  const request = http.request({ socketPath, path: `/${path}`, method, agent: false }).end();
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`no database for this test: ${body}`);
  return JSON.parse(body);
}

/** A store on a database of its own, which goes when the store is closed. */
export async function openTestStore(): Promise<OpenStore> {
  const { url, drop } = await createDatabase();
  const log = pino({ level: 'silent' });
  const store = await openStore({ databaseUrl: url, dataDir: '/unused', log });
  const close = async (): Promise<void> => {
    await store.close();
    await drop();
  };
  return { ...store, close };
}

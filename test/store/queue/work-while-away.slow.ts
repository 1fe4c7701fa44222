// A service begins to work at a moment when its database restarts.
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { startEmbedded } from '../../../src/store/embedded/postgres-server.ts';
import { openStore } from '../../../src/store/open.ts';
import { newSession, silent, until } from '../../contract/store-world.ts';
import { prepareData } from '../../support/prepared-data.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

it('a database that is away when work begins is waited for, and then there is work', async () => {
  const dataDir = join(temporaryDirectory(), 'server');
  await prepareData(dataDir);
  const server = await startEmbedded(dataDir, silent);
  const { host, port, user, database } = server.connection;
  const databaseUrl = `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`;
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const store = await openStore({ databaseUrl, dataDir: '/unused', patienceMs: 60_000, log });
  await server.stop();
  const taken: string[] = [];
  const working = store.queue.work('advance', { concurrency: 1 }, async (session) => {
    taken.push(session);
  });
  const isWaiting = (): boolean => lines.some((line) => line.includes('waiting for the database'));
  await until('it waits', isWaiting);
  const again = await startEmbedded(dataDir, silent);
  await working;
  const id = await newSession(store);
  await until('it works', () => taken.includes(id));
  expect(taken).toEqual([id]);
  await store.close();
  await again.stop();
});

import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import type { EmbeddedServer } from '../../src/store/embedded/server.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { contentBudgetContract, type Budget } from '../contract/content-budget.ts';
import {
  delivery,
  newRepository,
  sessionOf,
  silent,
  temporaryDirectory,
} from '../contract/store-world.ts';
import { MemoryContentBudget } from '../support/memory-content-budget.ts';
import { startPrepared } from '../support/prepared-data.ts';

const directory = temporaryDirectory();
let server: EmbeddedServer;
let processes: readonly OpenStore[];
let clock: pg.Client;

const either = (): OpenStore => processes[randomInt(processes.length)]!;

beforeAll(async () => {
  server = await startPrepared(directory.path);
  const { host, port, user, database } = server.connection;
  const url = `postgresql://${user}@${encodeURIComponent(host)}:${port}/${database}`;
  const open = () => openStore({ databaseUrl: url, dataDir: '/unused', log: silent });
  processes = [await open(), await open()];
  clock = new pg.Client({ connectionString: url });
  await clock.connect();
}, 30_000);

afterAll(async () => {
  await clock.end();
  for (const store of processes) await store.close();
  await server.stop();
  directory.remove();
});

contentBudgetContract('a database that two processes share', (): Budget => {
  const installation = randomInt(2 ** 40);
  return {
    take: () => either().takeContent(installation),
    room: () => either().contentRoom(installation),
    pause: (ms) => either().pauseContent(installation, ms),
    // What is written down is put back in time, in place of waiting.
    pass: async (ms) => {
      const past = `update issuewright.content_budget set at = at - $2 * interval '1 ms',
        paused_until = paused_until - $2 * interval '1 ms' where installation = $1`;
      await clock.query(past, [installation, ms]);
    },
  };
});

contentBudgetContract('memory', (): Budget => {
  let now = 0;
  const memory = new MemoryContentBudget(() => now);
  return {
    take: () => memory.take(),
    room: () => memory.room(),
    pause: (ms) => memory.pause(ms),
    pass: async (ms) => {
      now += ms;
    },
  };
});

it('the room of an installation says how many of its sessions are being worked on', async () => {
  const installation = randomInt(2 ** 40);
  for (const state of ['working', 'working', 'done']) {
    const arrival = { ...newRepository()(), installation };
    const store = either();
    const id = sessionOf(await store.accept(arrival, delivery()));
    await store.settle(id, await store.claim(id), 9, { state });
  }
  expect((await either().contentRoom(installation)).busy).toBe(2);
});

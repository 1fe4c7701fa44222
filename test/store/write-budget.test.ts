import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { writeBudgetContract, type Budget } from '../contract/write-budget.ts';
import { delivery, newRepository, sessionOf, silent } from '../contract/store-world.ts';
import { MemoryWriteBudget } from '../support/memory-write-budget.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let processes: readonly OpenStore[];
let clock: pg.Client;

const either = (): OpenStore => processes[randomInt(processes.length)]!;

beforeAll(async () => {
  database = await createDatabase();
  const { url } = database;
  const open = () => openStore({ databaseUrl: url, dataDir: '/unused', log: silent });
  processes = [await open(), await open()];
  clock = new pg.Client({ connectionString: url });
  await clock.connect();
}, 30_000);

afterAll(async () => {
  await clock.end();
  for (const store of processes) await store.close();
  await database.drop();
});

writeBudgetContract('a database that two processes share', (): Budget => {
  const installation = randomInt(2 ** 40);
  return {
    take: () => either().takeWrite(installation),
    left: () => either().writeBudget(installation),
    pause: (ms) => either().pauseWrites(installation, ms),
    // Moves the stored times back instead of waiting.
    pass: async (ms) => {
      const past = `update issuewright.write_budget set at = at - $2 * interval '1 ms',
        paused_until = paused_until - $2 * interval '1 ms' where installation = $1`;
      await clock.query(past, [installation, ms]);
    },
  };
});

writeBudgetContract('memory', (): Budget => {
  let now = 0;
  const memory = new MemoryWriteBudget(() => now);
  return {
    take: () => memory.take(),
    left: () => memory.left(),
    pause: (ms) => memory.pause(ms),
    pass: async (ms) => {
      now += ms;
    },
  };
});

it('the budget of an installation says how many of its sessions are working', async () => {
  const installation = randomInt(2 ** 40);
  for (const state of ['working', 'working', 'done']) {
    const arrival = { ...newRepository()(), installation };
    const store = either();
    const id = sessionOf(await store.accept(arrival, delivery()));
    await store.settle(id, await store.claim(id), 9, { state });
  }
  expect((await either().writeBudget(installation)).busy).toBe(2);
});

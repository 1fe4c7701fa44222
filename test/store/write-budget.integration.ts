import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { NO_LIMITS } from '../../src/lib/write-budget.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { writeBudgetContract, type Budget } from '../contract/write-budget.ts';
import { delivery, newRepository, sessionOf, silent } from '../contract/store-world.ts';
import { MemoryWriteBudget } from '../support/fakes/memory-write-budget.ts';
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
});

afterAll(async () => {
  await clock.end();
  for (const store of processes) await store.close();
  await database.drop();
});

const TIMES = [
  ['writes', 'at'],
  ['write_budget', 'paused_until'],
] as const;

/** Moves the stored times back instead of waiting. */
async function pass(installation: number, ms: number): Promise<void> {
  for (const [table, column] of TIMES)
    await clock.query(
      `update issuewright.${table} set ${column} = ${column} - $2 * interval '1 ms'
       where installation = $1`,
      [installation, ms],
    );
}

writeBudgetContract('a database that two processes share', (): Budget => {
  const installation = randomInt(2 ** 40);
  return {
    take: async (rank = 'awaited') => {
      const store = either();
      const taken = await store.takeWrite(installation, rank);
      if ('waitMs' in taken) return taken.waitMs;
      await store.writeMade(taken.write);
      return 0;
    },
    left: () => either().writeBudget(installation),
    pause: (ms) => either().pauseRequests(installation, ms),
    pass: (ms) => pass(installation, ms),
  };
});

writeBudgetContract('memory', (): Budget => {
  let now = 0;
  const memory = new MemoryWriteBudget(() => now);
  return {
    take: (rank) => memory.take(rank),
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

describe('room to write', () => {
  const SECOND = 1_000;
  const newInstallation = (): number => randomInt(2 ** 40);
  const take = async (installation: number): Promise<string> => {
    const taken = await either().takeWrite(installation, 'awaited');
    if ('waitMs' in taken) throw new Error('there is no room');
    return taken.write;
  };
  const fill = (installation: number): Promise<string[]> =>
    Promise.all(Array.from({ length: 78 }, () => take(installation)));

  it('is used by a write as late as possible until it is answered, and from then on since its answer', async () => {
    const installation = newInstallation();
    const [first, ...others] = await fill(installation);
    for (const write of others) await either().writeMade(write);
    await pass(installation, 10 * SECOND);
    await either().writeMade(first!);
    await pass(installation, 52 * SECOND);
    expect((await either().writeBudget(installation)).minute.left).toBe(77);
    await pass(installation, 9 * SECOND);
    expect((await either().writeBudget(installation)).minute.left).toBe(78);
  });

  it('comes back if the process that took it died', async () => {
    const installation = newInstallation();
    await fill(installation);
    await pass(installation, 60 * SECOND);
    expect(await either().writeWait(installation, 'awaited')).toBeGreaterThan(0);
    await pass(installation, 16 * SECOND);
    expect(await either().writeWait(installation, 'awaited')).toBe(0);
  });

  it('is there when it was said to be, and is not taken by whoever only asks', async () => {
    const installation = newInstallation();
    for (const write of await fill(installation)) await either().writeMade(write);
    const wait = await either().writeWait(installation, 'awaited');
    await pass(installation, wait - SECOND);
    expect(await either().writeWait(installation, 'awaited')).toBeGreaterThan(0);
    await pass(installation, SECOND);
    for (let looks = 0; looks < 100; looks += 1)
      expect(await either().writeWait(installation, 'awaited')).toBe(0);
    await take(installation);
  });

  it('is without limits where GitHub has none, but for its pauses', async () => {
    const installation = newInstallation();
    const without = await openStore({
      databaseUrl: database.url,
      dataDir: '/unused',
      contentLimits: NO_LIMITS,
      log: silent,
    });
    await fill(installation);
    expect(await without.takeWrite(installation, 'later')).toHaveProperty('write');
    const begun = Date.now();
    await either().pauseRequests(installation, 60 * SECOND);
    const wait = await without.writeWait(installation, 'awaited');
    expect(Date.now() + wait).toBeGreaterThanOrEqual(begun + 60 * SECOND);
    await without.close();
  });
});

import { randomInt, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
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
  ['write_queue', 'asked_at'],
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
    take: async (rank = 'work') => {
      const store = either();
      const holder = randomUUID();
      const taken = await store.takeWrite(installation, { holder, rank });
      if ('waitMs' in taken) {
        await store.releaseWrites(installation, holder);
        return taken.waitMs;
      }
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

describe('the points of all requests', () => {
  const SECOND = 1_000;

  it('are those of one minute, in all processes together', async () => {
    const installation = randomInt(2 ** 40);
    const taken = { waitMs: 0, pausedMs: 0 };
    for (let n = 0; n < 4; n += 1)
      expect(await either().spendPoints(installation, 200)).toEqual(taken);
    const { waitMs, pausedMs } = await either().spendPoints(installation, 200);
    expect(waitMs).toBeGreaterThan(50 * SECOND);
    expect(pausedMs).toBe(0);
    expect(await either().spendPoints(installation, 80)).toEqual(taken);
  });

  it('are none while GitHub wants the installation to wait', async () => {
    const installation = randomInt(2 ** 40);
    await either().pauseRequests(installation, 90 * SECOND);
    // None of these are counted.
    for (let n = 0; n < 3; n += 1) {
      const { waitMs, pausedMs } = await either().spendPoints(installation, 400);
      expect(waitMs).toBe(0);
      expect(pausedMs).toBeGreaterThan(80 * SECOND);
      expect(pausedMs).toBeLessThanOrEqual(90 * SECOND);
    }
    await pass(installation, 90 * SECOND);
    const taken = { waitMs: 0, pausedMs: 0 };
    expect(await either().spendPoints(installation, 880)).toEqual(taken);
  });
});

describe('room to write', () => {
  const newInstallation = (): number => randomInt(2 ** 40);
  const work = (holder: string) => ({ holder, rank: 'work' }) as const;

  /** Fills the minute. */
  const fill = (installation: number): Promise<number> =>
    either().reserveWrites(installation, work('first'), 78);

  it('is granted by rank, and within one in the order in which it was asked for', async () => {
    const installation = newInstallation();
    expect(await fill(installation)).toBe(0);
    const asked = [
      ['last', 'last_status'],
      ['one', 'work'],
      ['status', 'first_status'],
      ['two', 'work'],
    ] as const;
    for (const [holder, rank] of asked)
      expect(await either().reserveWrites(installation, { holder, rank }, 30)).toBeGreaterThan(0);
    await either().releaseWrites(installation, 'first');
    const { rows } = await clock.query<{ holder: string }>(
      `select distinct holder from issuewright.writes where installation = $1`,
      [installation],
    );
    expect(rows).toEqual([]);
    // Whoever asks, the others get what is theirs: 30 and 30 of 78.
    expect(
      await either().reserveWrites(installation, { holder: 'last', rank: 'last_status' }, 30),
    ).toBeGreaterThan(0);
    expect(await either().reserveWrites(installation, work('two'), 30)).toBe(0);
    expect(await either().reserveWrites(installation, work('one'), 30)).toBe(0);
    expect(
      await either().reserveWrites(installation, { holder: 'status', rank: 'first_status' }, 30),
    ).toBeGreaterThan(0);
  });

  it('is granted to an acknowledgement before last statuses, and still when these get no more', async () => {
    const installation = newInstallation();
    await fill(installation);
    const last = { holder: 'last', rank: 'last_status' } as const;
    const sign = { holder: 'sign', rank: 'acknowledgement' } as const;
    expect(await either().reserveWrites(installation, last, 40)).toBeGreaterThan(0);
    expect(await either().reserveWrites(installation, sign, 20)).toBeGreaterThan(0);
    await either().releaseWrites(installation, 'first');
    expect(await either().reserveWrites(installation, last, 40)).toBeGreaterThan(0);
    expect(await either().reserveWrites(installation, sign, 20)).toBe(0);
  });

  it('does not go to the end of the queue if it is asked for again', async () => {
    const installation = newInstallation();
    await fill(installation);
    for (const holder of ['one', 'two', 'one', 'one'])
      await either().reserveWrites(installation, work(holder), 50);
    await either().releaseWrites(installation, 'first');
    expect(await either().reserveWrites(installation, work('two'), 50)).toBeGreaterThan(0);
    expect(await either().reserveWrites(installation, work('one'), 50)).toBe(0);
  });

  it('that was granted to a process that died counts until it lapses, and its session finds it', async () => {
    const installation = newInstallation();
    expect(await fill(installation)).toBe(0);
    await pass(installation, 60 * 1_000);
    expect(await either().reserveWrites(installation, work('other'), 1)).toBeGreaterThan(0);
    expect(await either().takeWrite(installation, work('first'))).toHaveProperty('write');
    await pass(installation, 125 * 1_000);
    expect(await either().reserveWrites(installation, work('other'), 1)).toBe(0);
  });

  it('counts from when a write was answered', async () => {
    const installation = newInstallation();
    await fill(installation);
    const taken = await either().takeWrite(installation, work('first'));
    if (!('write' in taken)) throw new Error('it was reserved');
    await pass(installation, 10 * 1_000);
    await either().writeMade(taken.write);
    await either().releaseWrites(installation, 'first');
    await pass(installation, 55 * 1_000);
    expect((await either().writeBudget(installation)).minute.left).toBe(77);
    await pass(installation, 6 * 1_000);
    expect((await either().writeBudget(installation)).minute.left).toBe(78);
  });

  it('is waited for as long as it was said', async () => {
    const installation = newInstallation();
    await fill(installation);
    for (let n = 0; n < 78; n += 1) {
      const taken = await either().takeWrite(installation, work('first'));
      if ('write' in taken) await either().writeMade(taken.write);
    }
    const wait = await either().reserveWrites(installation, work('next'), 3);
    await pass(installation, wait - 1_000);
    expect(await either().reserveWrites(installation, work('next'), 3)).toBeGreaterThan(0);
    await pass(installation, 1_100);
    expect(await either().reserveWrites(installation, work('next'), 3)).toBe(0);
  });
});

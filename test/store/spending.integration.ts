import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openDatabase, openPool } from '../../src/store/database/database.ts';
import { openStore } from '../../src/store/open.ts';
import { dollarsOf, isPriceUnknown } from '../../src/session/kept-entries.ts';
import {
  delivery,
  inputTaken,
  newRepository,
  reply,
  sessionOf,
  silent,
  spentSince,
} from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

let place: TestDatabase;

beforeAll(async () => {
  place = await createDatabase();
});
afterAll(async () => {
  await place.drop();
});

describe('what was spent', () => {
  it('can be rebuilt from the journal, row by row', async () => {
    const store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    const database = openDatabase(openPool(place.connection, silent));
    const happens = newRepository();
    const spent = () => spentSince(store, happens().repository.id, new Date(0));
    const id = sessionOf(await store.accept(happens(), delivery()));
    const spender = { person: { login: 'ada', id: 5 }, model: 'test:big' };
    const entries = [reply(0.5), inputTaken('free'), reply(null), reply(0), reply(0.25)];
    await store.append(id, entries, { spender });
    expect(await spent()).toBe(0.75);

    const stood = await database.selectFrom('spending').selectAll().orderBy('seq').execute();
    const rows = (await store.journal(id)).flatMap((entry) => {
      const dollars = dollarsOf(entry);
      if (dollars === null && !isPriceUnknown(entry)) return [];
      const { seq, at } = entry;
      return {
        repository_id: happens().repository.id,
        at: new Date(at),
        session_id: id,
        seq,
        dollars: dollars ?? 0,
        is_partial: isPriceUnknown(entry),
        person_id: 5,
        person: 'ada',
        model: 'test:big',
        is_review: false,
      };
    });
    expect(rows).toHaveLength(3);
    expect(stood).toEqual(rows);
    await database.deleteFrom('spending').execute();
    expect(await spent()).toBe(0);
    await database.insertInto('spending').values(rows).execute();
    expect(await spent()).toBe(0.75);
    await database.destroy();
    await store.close();
  });
});

interface Outcome {
  readonly session: string;
  readonly last: number;
  readonly end: string;
}

const SPENDERS = fileURLToPath(new URL('./spending-process.ts', import.meta.url));

/** Works on its sessions in a process of its own until each has to wait. */
async function spendIn(url: string, task: object): Promise<readonly Outcome[]> {
  const child = spawn(process.execPath, [SPENDERS, url, JSON.stringify(task)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const said = await text(child.stdout);
  expect(await exited).toEqual([0, null]);
  return JSON.parse(said) as readonly Outcome[];
}

const cents = fc.integer({ min: 1, max: 100 }).map((value) => value / 100);
const limit = fc.integer({ min: 1, max: 400 }).map((value) => value / 100);
type World = typeof world extends fc.Arbitrary<infer T> ? T : never;
const world = fc.record({
  budgets: fc.record({
    repositoryDay: fc.option(limit, { nil: undefined }),
    personDay: fc.option(limit, { nil: undefined }),
    serviceDay: fc.option(limit, { nil: undefined }),
    // Otherwise nothing might end the work.
    serviceMonth: limit,
  }),
  costs: fc.array(cents, { minLength: 5, maxLength: 20 }),
});

/** Six sessions of three people in each of two repositories, worked on by two processes. */
async function expectWithin({ budgets, costs }: World): Promise<void> {
  const own = await createDatabase();
  const store = await openStore({ databaseUrl: own.url, dataDir: '/unused', log: silent });
  try {
    const people = [1, 2, 3].map((id) => ({ login: `person-${id}`, id }));
    const repositories = [newRepository(), newRepository()];
    const sessions: { id: string; person: number; repository: number }[] = [];
    for (const happens of repositories)
      for (const [number, sender] of [...people, ...people].entries()) {
        const { id: repository } = happens().repository;
        const id = sessionOf(
          await store.accept({ ...happens({ number: number + 1 }), sender }, delivery()),
        );
        await store.append(id, [{ type: 'admitted', received: 2, lineComments: [] }]);
        sessions.push({ id, person: sender.id, repository });
      }
    const halves = [0, 1].map((half) => sessions.filter((_one, at) => at % 2 === half));
    const outcomes = await Promise.all(
      halves.map((half, at) =>
        spendIn(own.url, { sessions: half.map(({ id }) => id), budgets, costs, seed: at }),
      ),
    );
    const lastOf = new Map(outcomes.flat().map(({ session, last }) => [session, last]));
    expect(outcomes.flat().map(({ end }) => end)).toEqual(sessions.map(() => 'deferred'));
    const epoch = { day: new Date(0), month: new Date(0) };
    for (const { repository, person } of sessions) {
      const spent = await store.spent({ repository, person, ...epoch });
      const beyond = (isIn: (one: (typeof sessions)[number]) => boolean): number =>
        sessions.filter(isIn).reduce((sum, { id }) => sum + (lastOf.get(id) ?? 0), 0);
      const most = {
        repositoryDay: beyond((one) => one.repository === repository),
        personDay: beyond((one) => one.person === person),
        serviceDay: beyond(() => true),
        serviceMonth: beyond(() => true),
      };
      for (const scope of ['repositoryDay', 'personDay', 'serviceDay', 'serviceMonth'] as const)
        expect(spent[scope].dollars).toBeLessThan(
          (budgets[scope] ?? Infinity) + most[scope] + 1e-9,
        );
    }
  } finally {
    await store.close();
    await own.drop();
  }
}

describe('budgets that sessions share', () => {
  it('are exceeded by one request of each session at most, whatever two processes spend', async () => {
    // Other ones each time. A failure names its seed, which TEST_SEEDS plays again; to find a smaller case would take two processes
    // each time.
    const seed = process.env['TEST_SEEDS'];
    const again = seed === undefined ? {} : { seed: Number(seed) };
    const property = fc.asyncProperty(world, expectWithin);
    await fc.assert(property, { numRuns: 5, endOnFailure: true, ...again });
  });
});

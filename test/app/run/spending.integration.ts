import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import { spendingOf } from '../../../src/app/run/spending.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import type { SpendingQuery } from '../../../src/store/spending.ts';
import { delivery, newRepository, reply, sessionOf } from '../../contract/store-world.ts';
import { openTestStore } from '../../support/test-database.ts';

const BUDGETS = { run: undefined, issue: undefined, repositoryDay: 10 };

describe('what a session, and those that share its budgets, have cost', () => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(async () => {
    await store.close();
  });

  let tracker: JournalTracker;
  let other: string;
  let asked: SpendingQuery[];
  let now: number;
  beforeEach(async () => {
    const happens = newRepository();
    const own = sessionOf(await store.accept(happens({ number: 1 }), delivery()));
    await store.append(own, [{ type: 'admitted', received: 2, lineComments: [] }]);
    other = sessionOf(await store.accept(happens({ number: 2 }), delivery()));
    tracker = await JournalTracker.open(store, own);
    asked = [];
    now = Date.now();
  });

  const spending = (budgets: Parameters<typeof spendingOf>[1] = BUDGETS) => {
    const counting: OpenStore = {
      ...store,
      spent: (query) => {
        asked.push(query);
        return store.spent(query);
      },
    };
    return spendingOf({ tracker, store: counting }, budgets, () => now);
  };

  it('includes at once what all sessions of the repository spend', async () => {
    const spent = spending();
    const ofRepository = async () => (await spent()).shared?.repositoryDay?.dollars;
    await store.append(other, [reply(4)]);
    await tracker.append(reply(0.5));
    expect(await ofRepository()).toBe(4.5);
    await store.append(other, [reply(1)]);
    expect(await ofRepository()).toBe(5.5);
    expect((await spent()).issue).toBe(0.5);
  });

  it('counts for the person who requested the work', async () => {
    await tracker.append(reply(0.5));
    const person = (asking: { login: string; id: number } | undefined) =>
      store.spent({
        repository: 0,
        person: asking?.id,
        day: new Date(0),
        month: new Date(0),
      });
    const { requester } = tracker.session.requests;
    expect(requester).toEqual({ login: 'maintainer', id: 9 });
    expect((await person(requester)).personDay.dollars).toBeGreaterThanOrEqual(0.5);
    expect((await person(undefined)).personDay.dollars).toBe(0);
    await spending()();
    expect(asked[0]?.person).toBe(9);
  });

  it('begins anew with each day and month, UTC', async () => {
    const spent = spending({ ...BUDGETS, serviceMonth: 5 });
    for (now of [Date.UTC(2030, 0, 31, 23, 59), Date.UTC(2030, 1, 1)]) await spent();
    expect(asked.map(({ day, month }) => [day, month])).toEqual([
      [new Date(Date.UTC(2030, 0, 31)), new Date(Date.UTC(2030, 0, 1))],
      [new Date(Date.UTC(2030, 1, 1)), new Date(Date.UTC(2030, 1, 1))],
    ]);
  });

  it('makes no query if there are no such budgets', async () => {
    await tracker.append(reply(0.5));
    const spent = spending({ ...BUDGETS, repositoryDay: undefined });
    expect(await spent()).toEqual({ issue: 0.5 });
    expect(asked).toEqual([]);
  });
});

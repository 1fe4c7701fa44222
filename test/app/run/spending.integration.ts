import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { JournalTracker } from '../../../src/app/service/journal-tracker.ts';
import { spendingOf } from '../../../src/app/run/spending.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { delivery, newRepository, reply, sessionOf } from '../../contract/store-world.ts';
import { openTestStore } from '../../support/test-database.ts';

const BUDGETS = { run: undefined, issue: undefined, repositoryDay: 10 };
const SECOND = 1000;
const HOUR = 3_600_000;

describe('what a session and its repository have cost', () => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(async () => {
    await store.close();
  });

  let tracker: JournalTracker;
  let other: string;
  let asked: Date[];
  let now: number;
  beforeEach(async () => {
    const happens = newRepository();
    const own = sessionOf(await store.accept(happens({ number: 1 }), delivery()));
    other = sessionOf(await store.accept(happens({ number: 2 }), delivery()));
    tracker = await JournalTracker.open(store, own);
    asked = [];
    now = Date.now();
  });

  const spending = (budgets: Parameters<typeof spendingOf>[1] = BUDGETS) => {
    const counting: OpenStore = {
      ...store,
      spentSince: (repository, since) => {
        asked.push(since);
        return store.spentSince(repository, since);
      },
    };
    return spendingOf({ tracker, store: counting }, budgets, () => now);
  };

  it('includes what the session itself spends, without asking the store each time', async () => {
    await store.append(other, [reply(4)]);
    await tracker.append(reply(0.5));
    const spent = spending();
    expect(await spent()).toEqual({ issue: 0.5, repositoryDay: 4.5 });
    await tracker.append(reply(0.25));
    expect(await spent()).toEqual({ issue: 0.75, repositoryDay: 4.75 });
    expect(asked).toHaveLength(1);
  });

  it('has what other sessions spent at most ten seconds later', async () => {
    const spent = spending();
    await spent();
    await tracker.append(reply(0.5));
    await store.append(other, [reply(4)]);
    now += 9.9 * SECOND;
    expect(await spent()).toEqual({ issue: 0.5, repositoryDay: 0.5 });
    now += 0.1 * SECOND;
    expect(await spent()).toEqual({ issue: 0.5, repositoryDay: 4.5 });
    expect(asked).toHaveLength(2);
  });

  it('starts over at midnight UTC, and after the clock was set back', async () => {
    const midnight = Date.UTC(2030, 0, 2);
    now = midnight - SECOND;
    const spent = spending();
    await spent();
    now = midnight;
    await spent();
    now = midnight + SECOND;
    await spent();
    now = midnight - HOUR;
    await spent();
    const days = [midnight - 24 * HOUR, midnight, midnight - 24 * HOUR];
    expect(asked.map((since) => since.getTime())).toEqual(days);
  });

  it('makes no query if the repository has no budget', async () => {
    await tracker.append(reply(0.5));
    const spent = spending({ ...BUDGETS, repositoryDay: undefined });
    expect(await spent()).toEqual({ issue: 0.5, repositoryDay: 0 });
    expect(asked).toEqual([]);
  });
});

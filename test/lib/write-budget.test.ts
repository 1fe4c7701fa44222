import { expect, it } from '@jest/globals';
import { hasRoomFor, MOST_REQUESTS_OF_COMMIT } from '../../src/lib/write-budget.ts';
import { MemoryWriteBudget } from '../support/fakes/memory-write-budget.ts';

const MINUTE = 60_000;

it.each([
  ['in a minute', 1],
  ['in an hour', 60],
])(
  'edits that can wait leave room for a signed commit, however many are wanted %s',
  (_in, minutes) => {
    let now = 0;
    const budget = new MemoryWriteBudget(() => now);
    let edits = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      now = minute * MINUTE;
      while (budget.takeNow('later') === 0) edits += 1;
    }
    expect(edits).toBeGreaterThan(40);
    expect(hasRoomFor(MOST_REQUESTS_OF_COMMIT, budget.leftNow())).toBe(true);
  },
);

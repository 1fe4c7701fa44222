import { describe, expect, it } from '@jest/globals';
import type { WriteBudget, WriteRank } from '../../src/lib/write-budget.ts';

/** The budget of one installation that no one else uses. */
export interface Budget {
  /** Takes a write that is answered at once. Resolves with 0, or the milliseconds until there may be room. */
  take(rank?: WriteRank): Promise<number>;
  left(): Promise<WriteBudget>;
  pause(ms: number): Promise<void>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Takes writes until the budget is used up, and counts them. More than a minute allows are asked for at once. */
async function drain(budget: Budget, rank?: WriteRank, length = 90): Promise<number> {
  const waits = await Promise.all(Array.from({ length }, () => budget.take(rank)));
  return waits.filter((wait) => wait === 0).length;
}

/** What every write budget does, wherever it is kept. `open` returns the budget of a new installation. */
export function writeBudgetContract(name: string, open: () => Budget): void {
  describe(`the write budget, kept in ${name}`, () => {
    it('allows what GitHub allows in a minute at once, and then says when the next is possible', async () => {
      const budget = open();
      const begun = Date.now();
      expect(await budget.left()).toMatchObject({ minute: { left: 78 }, hour: { left: 490 } });
      expect(await drain(budget)).toBe(78);
      const wait = await budget.take();
      expect(Date.now() + wait).toBeGreaterThanOrEqual(begun + 60 * SECOND);
      expect(wait).toBeLessThanOrEqual(60 * SECOND);
      await budget.pass(wait);
      expect(await budget.take()).toBe(0);
    });

    it('allows at most 80 writes in a minute and 500 in an hour, however many are asked for', async () => {
      const budget = open();
      const taken: number[] = [];
      for (let passed = 0; passed < 60 * MINUTE; passed += 8 * MINUTE) {
        taken.push(await drain(budget));
        await budget.pass(MINUTE / 2);
        taken.push(await drain(budget, 'awaited', 5));
        await budget.pass(7.5 * MINUTE);
      }
      const minutes = taken.map((count, at) => count + (at % 2 === 0 ? (taken[at + 1] ?? 0) : 0));
      expect(Math.max(...minutes)).toBe(78);
      const hour = taken.reduce((sum, count) => sum + count);
      expect(hour).toBeGreaterThan(480);
      expect(hour).toBeLessThanOrEqual(500);
    });

    it('keeps a share of it for what people wait for', async () => {
      const budget = open();
      const later = await drain(budget, 'later');
      expect(later).toBeLessThan(60);
      expect(await budget.take('later')).toBeGreaterThan(0);
      expect(later + (await drain(budget, 'awaited'))).toBe(78);
    });

    it('allows no writes while GitHub wants the installation to wait', async () => {
      const budget = open();
      const begun = Date.now();
      await budget.pause(90 * SECOND);
      await budget.pause(10 * SECOND);
      const wait = await budget.take();
      expect(Date.now() + wait).toBeGreaterThanOrEqual(begun + 90 * SECOND);
      expect(wait).toBeLessThanOrEqual(90 * SECOND);
      const { pausedMs } = await budget.left();
      expect(Date.now() + pausedMs).toBeGreaterThanOrEqual(begun + 90 * SECOND);
      await budget.pass(90 * SECOND);
      expect(await budget.take()).toBe(0);
    });

    it('keeps a budget of its own for each installation', async () => {
      const [one, other] = [open(), open()];
      await drain(one);
      await one.pause(MINUTE);
      expect(await other.take()).toBe(0);
    });

    it('does not give one write to two callers at once', async () => {
      const budget = open();
      const waits = await Promise.all(Array.from({ length: 150 }, () => budget.take()));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(78);
    });
  });
}

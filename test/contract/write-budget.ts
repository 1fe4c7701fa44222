import { describe, expect, it } from '@jest/globals';
import type { WriteBudget } from '../../src/lib/write-budget.ts';

/** The budget of one installation that no one else uses. */
export interface Budget {
  take(): Promise<number>;
  left(): Promise<WriteBudget>;
  pause(ms: number): Promise<void>;
  /** Lets time pass. */
  pass(ms: number): Promise<void>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Takes writes until the budget is used up, and counts them. */
async function drain(budget: Budget): Promise<number> {
  for (let taken = 0; ; taken += 1) if ((await budget.take()) > 0) return taken;
}

/** What every write budget does, wherever it is kept. `open` returns the budget of a new installation. */
export function writeBudgetContract(name: string, open: () => Budget): void {
  describe(`the write budget, kept in ${name}`, () => {
    it('allows sixty writes at once, and then says when the next is possible', async () => {
      const budget = open();
      expect(await budget.left()).toEqual({ minute: 60, hour: 120, pausedMs: 0, busy: 0 });
      expect(await drain(budget)).toBe(60);
      const wait = await budget.take();
      expect(wait).toBeGreaterThan(3 * SECOND);
      expect(wait).toBeLessThanOrEqual(5 * SECOND);
      await budget.pass(wait);
      expect(await budget.take()).toBe(0);
      expect(await budget.take()).toBeGreaterThan(0);
    });

    it('allows at most 80 writes in a minute and 500 in an hour, however many are asked for', async () => {
      const budget = open();
      const minutes: number[] = [];
      for (let minute = 0; minute < 60; minute += 1) {
        let taken = await drain(budget);
        for (let part = 0; part < 2; part += 1) {
          await budget.pass(MINUTE / 2);
          taken += await drain(budget);
        }
        minutes.push(taken);
      }
      expect(Math.max(...minutes)).toBeLessThanOrEqual(80);
      const hour = minutes.reduce((sum, taken) => sum + taken);
      expect(hour).toBeGreaterThan(400);
      expect(hour).toBeLessThanOrEqual(500);
    });

    it('allows no writes while GitHub wants the installation to wait', async () => {
      const budget = open();
      await budget.pause(90 * SECOND);
      await budget.pause(10 * SECOND);
      const wait = await budget.take();
      expect(wait).toBeGreaterThan(80 * SECOND);
      expect(wait).toBeLessThanOrEqual(90 * SECOND);
      expect((await budget.left()).pausedMs).toBeGreaterThan(80 * SECOND);
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
      expect(waits.filter((wait) => wait === 0)).toHaveLength(60);
    });
  });
}

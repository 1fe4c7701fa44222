import { describe, expect, it } from '@jest/globals';
import type { WriteBudget } from '../../src/lib/write-budget.ts';

/** The budget of one installation that nobody else uses. */
export interface Budget {
  take(): Promise<number>;
  room(): Promise<WriteBudget>;
  pause(ms: number): Promise<void>;
  /** Lets time go by. */
  pass(ms: number): Promise<void>;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Takes until there is no room; how often that went well. */
async function drain(budget: Budget): Promise<number> {
  for (let taken = 0; ; taken += 1) if ((await budget.take()) > 0) return taken;
}

/** What every budget for GitHub's content does, whoever keeps it. `open`: that of another installation. */
export function contentBudgetContract(name: string, open: () => Budget): void {
  describe(`the budget for content, kept in ${name}`, () => {
    it('gives sixty requests at once, and then says when there is room for another', async () => {
      const budget = open();
      expect(await budget.room()).toEqual({ minute: 60, hour: 120, pausedMs: 0, busy: 0 });
      expect(await drain(budget)).toBe(60);
      const wait = await budget.take();
      expect(wait).toBeGreaterThan(3 * SECOND);
      expect(wait).toBeLessThanOrEqual(5 * SECOND);
      await budget.pass(wait);
      expect(await budget.take()).toBe(0);
      expect(await budget.take()).toBeGreaterThan(0);
    });

    it('gives no more than 80 in a minute and 500 in an hour to those who take all they can', async () => {
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

    it('gives nothing while GitHub wants the installation to wait', async () => {
      const budget = open();
      await budget.pause(90 * SECOND);
      await budget.pause(10 * SECOND);
      const wait = await budget.take();
      expect(wait).toBeGreaterThan(80 * SECOND);
      expect(wait).toBeLessThanOrEqual(90 * SECOND);
      expect((await budget.room()).pausedMs).toBeGreaterThan(80 * SECOND);
      await budget.pass(90 * SECOND);
      expect(await budget.take()).toBe(0);
    });

    it('gives each installation its own', async () => {
      const [one, other] = [open(), open()];
      await drain(one);
      await one.pause(MINUTE);
      expect(await other.take()).toBe(0);
    });

    it('does not give one request to two who ask at once', async () => {
      const budget = open();
      const waits = await Promise.all(Array.from({ length: 150 }, () => budget.take()));
      expect(waits.filter((wait) => wait === 0)).toHaveLength(60);
    });
  });
}

import { describe, expect, it } from '@jest/globals';
import type { NewEntry } from '../../src/session/entry.ts';
import type { OpenStore } from '../../src/store/open.ts';
import type { StoredChange } from '../../src/contracts/files.ts';
import {
  delivery,
  newRepository,
  newSession,
  inputTaken,
  reply,
  sessionOf,
  until,
} from './store-world.ts';

/** What every store answers when it is asked what a repository's sessions cost. */
export function spendingContract(store: () => OpenStore): void {
  describe('what was spent', () => {
    const summary = (cost: number): NewEntry => {
      const usage = { input: 2, cached: 0, written: 0, output: 1, reasoning: 0 };
      return { type: 'compacted', upTo: 1, summary: 'so far', usage, cost, durationMs: 5 };
    };

    it('is added up over the sessions of a repository, since any time', async () => {
      const happens = newRepository();
      const repository = happens().repository.id;
      const one = sessionOf(await store().accept(happens({ number: 1 }), delivery()));
      const other = sessionOf(await store().accept(happens({ number: 2 }), delivery()));
      const [first] = await store().append(one, [reply(0.5), inputTaken('free')]);
      const early = first!.at;
      let late = early;
      await until('the clock of the database went on', async () => {
        late = (await store().append(other, [inputTaken('tick')]))[0]!.at;
        return late > early;
      });
      await store().append(other, [reply(0.25), summary(0.125), reply(null)]);
      await store().append(await newSession(store()), [reply(8)]);
      expect(await store().spentSince(repository, new Date(early))).toBe(0.875);
      expect(await store().spentSince(repository, new Date(late))).toBe(0.375);
      expect(await store().spentSince(repository, new Date(Date.now() + 60_000))).toBe(0);
      const entries = [...(await store().journal(one)), ...(await store().journal(other))];
      const costs = entries.map((entry) => ('cost' in entry ? (entry.cost ?? 0) : 0));
      expect(costs.reduce((sum, cost) => sum + cost)).toBe(0.875);
    });

    it('is nothing if the append failed', async () => {
      const happens = newRepository();
      const id = sessionOf(await store().accept(happens(), delivery()));
      const twice: StoredChange = { path: 'a', mode: '100644', content: null };
      const append = store().append(id, [reply(1)], { changes: [twice, twice] });
      await expect(append).rejects.toThrow(/duplicate key/);
      expect(await store().spentSince(happens().repository.id, new Date(0))).toBe(0);
    });
  });
}

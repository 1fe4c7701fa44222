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
  spentSince,
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
      expect(await spentSince(store(), repository, new Date(early))).toBe(0.875);
      expect(await spentSince(store(), repository, new Date(late))).toBe(0.375);
      expect(await spentSince(store(), repository, new Date(Date.now() + 60_000))).toBe(0);
      const entries = [...(await store().journal(one)), ...(await store().journal(other))];
      const costs = entries.map((entry) => ('cost' in entry ? (entry.cost ?? 0) : 0));
      expect(costs.reduce((sum, cost) => sum + cost)).toBe(0.875);
    });

    it('is told apart by person, repository, model and month, with prices that are not known', async () => {
      const happens = newRepository();
      const { id: repository } = happens().repository;
      const one = sessionOf(await store().accept(happens({ number: 1 }), delivery()));
      const other = sessionOf(await store().accept(happens({ number: 2 }), delivery()));
      const by = (login: string, id: number, model: string) => ({
        spender: { person: { login, id }, model },
      });
      await store().append(one, [reply(0.5), inputTaken('free')], by('ada', 1, 'test:big'));
      await store().append(other, [reply(null)], by('ada', 1, 'test:new'));
      await store().append(other, [reply(2)], by('bob', 2, 'test:big'));
      await store().append(other, [reply(1)]);
      const sums = await store().spentFor({ within: [repository] });
      const of = (kind: string) =>
        sums.filter((sum) => sum.by === kind).map(({ by: _by, ...sum }) => sum);
      expect(of('person')).toEqual([
        { name: 'bob', dollars: 2, isPartial: false },
        { name: '', dollars: 1, isPartial: false },
        { name: 'ada', dollars: 0.5, isPartial: true },
      ]);
      expect(of('model')).toEqual([
        { name: 'test:big', dollars: 2.5, isPartial: false },
        { name: '', dollars: 1, isPartial: false },
        { name: 'test:new', dollars: 0, isPartial: true },
      ]);
      expect(of('repository')).toEqual([
        { name: String(repository), dollars: 3.5, isPartial: true },
      ]);
      expect(of('month')).toHaveLength(1);
      expect(await store().spentFor({ within: [repository], since: new Date(2100, 1) })).toEqual(
        [],
      );
    });

    it('counts in the budgets of the repository, the person and the service', async () => {
      const happens = newRepository();
      const { id: repository } = happens().repository;
      const id = sessionOf(await store().accept(happens(), delivery()));
      const person = repository;
      const epoch = { day: new Date(0), month: new Date(0) };
      const before = await store().spent({ repository, person, ...epoch });
      const spender = { person: { login: 'ada', id: person }, model: 'test:big' };
      const [stored] = await store().append(id, [reply(0.5)], { spender });
      const ofReview = { person: undefined, model: '', isReview: true };
      await store().append(id, [reply(0.25)], { spender: ofReview });
      await store().append(await newSession(store()), [reply(8)], { spender });
      const after = await store().spent({ repository, person, ...epoch });
      expect(after.repositoryDay.dollars).toBe(0.75);
      expect(after.reviewsDay.dollars).toBe(0.25);
      expect(after.personDay.dollars).toBe(8.5);
      expect(after.serviceDay.dollars - before.serviceDay.dollars).toBeCloseTo(8.75);
      expect(after.serviceMonth.dollars).toBe(after.serviceDay.dollars);
      expect(Date.parse(after.repositoryDay.lastAt ?? '')).toBeGreaterThanOrEqual(
        Date.parse(stored?.at ?? ''),
      );
      const later = { day: new Date(Date.now() + 60_000), month: new Date(0) };
      const tomorrow = await store().spent({ repository, person, ...later });
      expect([tomorrow.repositoryDay, tomorrow.personDay, tomorrow.serviceDay]).toEqual(
        [1, 2, 3].map(() => ({ dollars: 0 })),
      );
      expect(tomorrow.serviceMonth.dollars).toBe(after.serviceMonth.dollars);
    });

    it('is nothing if the append failed', async () => {
      const happens = newRepository();
      const id = sessionOf(await store().accept(happens(), delivery()));
      const twice: StoredChange = { path: 'a', mode: '100644', content: null };
      const append = store().append(id, [reply(1)], { changes: [twice, twice] });
      await expect(append).rejects.toThrow(/duplicate key/);
      expect(await spentSince(store(), happens().repository.id, new Date(0))).toBe(0);
    });
  });
}

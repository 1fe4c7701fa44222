import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeptJournals } from '../../../src/app/service/journal-tracker.ts';
import type { NewEntry } from '../../../src/session/entry.ts';
import { fold } from '../../../src/session/fold/fold.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { inputTaken, newSession, reply } from '../../contract/store-world.ts';
import { openTestStore } from '../../support/test-database.ts';
import { countedReads } from './counted-reads.ts';

const started: NewEntry = { type: 'run_started', run: 1 };

const toolOutput = (output: string): readonly NewEntry[] => [
  reply(0.1),
  { type: 'call_started', reply: 4, index: 0, title: 'Read a.md' },
  { type: 'call_finished', reply: 4, index: 0, ok: true, output, effects: [], halt: null },
];

describe('journals of working sessions', () => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await openTestStore();
  });
  afterAll(() => store.close());

  /** How many entries are read from the database. */
  function counting(mostEntries?: number) {
    const { store: reading, counted } = countedReads(store);
    const journals = new KeptJournals(reading, mostEntries);
    /** Of one reader. */
    const readBy = async (id: string): Promise<number> => {
      counted.entries = 0;
      await journals.read(id, async () => {});
      return counted.entries;
    };
    return { journals, readBy };
  }

  const turn = (id: string) => store.append(id, [reply(0.1), inputTaken('read')]);

  it('cost as much to read after 3,000 turns as after 50: what is new', async () => {
    const id = await newSession(store);
    await store.append(id, [started]);
    const { journals, readBy } = counting();
    expect(await readBy(id)).toBe(3);
    const costs: number[] = [];
    for (const turns of [50, 450, 2_500]) {
      await store.append(
        id,
        Array.from({ length: turns - 1 }, () => [reply(0.1), inputTaken('x')]).flat(),
      );
      await readBy(id);
      await turn(id);
      costs.push(await readBy(id));
    }
    expect(costs).toEqual([2, 2, 2]);
    const all = await store.journal(id);
    const last = all.findLast(({ type }) => type === 'reply');
    await journals.read(id, async ({ entries, session }) => {
      expect(entries.filter(({ type }) => type !== 'reply')).toEqual(
        all.filter(({ type }) => type !== 'reply'),
      );
      expect(entries.filter(({ type }) => type === 'reply').length).toBeLessThan(100);
      expect(entries).toContainEqual(last);
      expect(session).toEqual(fold(all));
    });
  });

  it('are kept without the output of tools', async () => {
    const id = await newSession(store);
    await store.append(id, [started, ...toolOutput('a'.repeat(10_000))]);
    const { journals } = counting();
    const kept = await journals.read(id, async (tracker) => tracker);
    expect(kept.entries.map(({ type }) => type)).toEqual([
      'opened',
      'received',
      'run_started',
      'reply',
    ]);
  });

  it('are read again by whoever comes while another has them', async () => {
    const id = await newSession(store);
    await store.append(id, [started]);
    const { journals, readBy } = counting();
    await readBy(id);
    await journals.read(id, async (tracker) => {
      expect(await readBy(id)).toBe(3);
      await tracker.append(inputTaken('x'));
    });
    await journals.read(id, async ({ entries }) =>
      expect(entries).toEqual(await store.journal(id)),
    );
  });

  it('are not kept when the session is at rest, or too much is kept, or a reader failed', async () => {
    const [waiting, first, second] = await Promise.all([1, 2, 3].map(() => newSession(store)));
    for (const id of [first!, second!]) await store.append(id, [started]);
    const { journals, readBy } = counting(5);
    for (const id of [waiting!, first!, second!]) await readBy(id);
    expect(await readBy(waiting!)).toBe(2);
    expect(await readBy(second!)).toBe(0);
    expect(await readBy(first!)).toBe(3);
    await expect(journals.read(first!, () => Promise.reject(new Error('no')))).rejects.toThrow(
      'no',
    );
    expect(await readBy(first!)).toBe(3);
  });
});

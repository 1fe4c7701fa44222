import { describe, expect, it } from '@jest/globals';
import { ProcessJournal } from '../../src/store/process-journal.ts';
import { sessionStoreContract } from '../contract/session-store.ts';
import { reply, spentSince } from '../contract/store-world.ts';

const opening = (id: number) => ({
  installation: 0,
  repository: { id, owner: 'folder', name: 'sample' },
  issue: 0,
});

describe('the journal of a process', () => {
  const store = new ProcessJournal();
  sessionStoreContract(() => ({
    store,
    newSession: () => Promise.resolve(store.open(opening(0))),
  }));

  it('tells of each append, and adds up what a repository cost', async () => {
    const heard: number[] = [];
    const journal = new ProcessJournal((_, entries) => void heard.push(entries.length));
    const [one, other] = [journal.open(opening(1)), journal.open(opening(2))];
    await journal.append(one, [reply(0.5), reply(null)]);
    await journal.append(other, [reply(8)]);
    expect(heard).toEqual([2, 1]);
    expect(await spentSince(journal, 1, new Date(0))).toBe(0.5);
    expect(await spentSince(journal, 1, new Date(Date.now() + 60_000))).toBe(0);
    const epoch = { day: new Date(0), month: new Date(0) };
    const all = await journal.spent({ repository: 1, person: undefined, ...epoch });
    expect([all.serviceDay.dollars, all.serviceMonth.dollars]).toEqual([8.5, 8.5]);
  });
});

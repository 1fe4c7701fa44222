import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NewEntry } from '../../src/session/entry.ts';
import { fold } from '../../src/session/fold/fold.ts';
import { worthOf } from '../../src/session/worth.ts';
import { openDatabase, openPool } from '../../src/store/database/database.ts';
import { openStore } from '../../src/store/open.ts';
import { delivery, newRepository, reply, sessionOf, silent } from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

let place: TestDatabase;
beforeAll(async () => {
  place = await createDatabase();
});
afterAll(async () => {
  await place.drop();
});

const prepared = (model: string): NewEntry => ({
  type: 'run_prepared',
  run: 1,
  model,
  destination: '',
  protocol: 'json',
  mode: 'agent',
  instructions: '',
  branch: '',
  baseBranch: '',
  baseCommit: '',
});
const pull: NewEntry = {
  type: 'work_saved',
  run: 1,
  effects: [{ type: 'pull_request', number: 7, url: '', title: '', description: '' }],
};

describe('what sessions came to', () => {
  it('is summed for repositories and models, and can be rebuilt from the journals', async () => {
    const store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    const database = openDatabase(openPool(place.connection, silent));
    const [happens, elsewhere] = [newRepository(), newRepository()];
    const ids: string[] = [];

    /** A session with a run and a pull request, and perhaps its end; settled as `advance` does. */
    async function play(where: typeof happens, number: number, model: string, merged?: boolean) {
      const id = sessionOf(await store.accept(where({ number }), delivery()));
      ids.push(id);
      const claim = await store.claim(id);
      const run: NewEntry[] = [
        { type: 'admitted', received: 2, lineComments: [] },
        { type: 'run_started', run: 1 },
        prepared(model),
        reply(0.5),
        pull,
        { type: 'run_ended', run: 1, end: { kind: 'finished' } },
      ];
      await store.append(id, run, { claim });
      if (merged !== undefined) {
        const intent = { kind: 'pull_request_closed', pullRequest: 7, merged } as const;
        const meaning = randomUUID();
        await store.accept(where({ intent, number, meaning }), delivery());
      }
      const session = fold(await store.journal(id));
      await store.settle(id, claim, session.seq, { worth: worthOf(session) });
    }

    await play(happens, 1, 'test:first', true);
    await play(happens, 2, 'test:first', false);
    await play(happens, 3, 'test:first');
    await play(happens, 4, 'test:second', true);
    await play(elsewhere, 1, 'test:first');

    const { id: repositoryId } = happens().repository;
    const within = [repositoryId];
    const first = { model: 'test:first', sessions: 3, merged: 1, closed: 1, open: 1, zeroTouch: 1 };
    expect(await store.worth({ by: 'model', within })).toMatchObject([
      { ...first, dollars: 1.5, abandoned: 0, rounds: 0, isPartial: false },
      { model: 'test:second', sessions: 1, merged: 1 },
    ]);
    const [all, ...more] = await store.worth({ by: 'all' });
    expect(more).toEqual([]);
    expect(all).toMatchObject({ sessions: 5, merged: 2, dollars: 2.5, mergedDollars: 1 });
    expect(all?.proposedMs).toBeGreaterThanOrEqual(0);
    expect(all?.mergedMs).toBeGreaterThanOrEqual(all?.proposedMs ?? Infinity);
    expect(all?.signMs).toBeNull();
    expect(await store.worth({ by: 'repository', within })).toMatchObject([
      { repositoryId, model: '', sessions: 4 },
    ]);
    expect(await store.worth({ by: 'model' })).toMatchObject([
      { repositoryId: 0, model: 'test:first', sessions: 4 },
      { model: 'test:second', sessions: 1 },
    ]);
    expect(await store.worth({ by: 'all', within })).toMatchObject([{ sessions: 4 }]);
    expect(await store.worth({ by: 'model', within: [] })).toEqual([]);
    const since = new Date(Date.now() + 60_000);
    expect(await store.worth({ by: 'model', since })).toEqual([]);

    const stood = await database.selectFrom('results').selectAll().execute();
    await database.deleteFrom('results').execute();
    for (const id of ids) {
      const session = fold(await store.journal(id));
      const claim = await store.claim(id);
      await store.settle(id, claim, session.seq, { worth: worthOf(session) });
    }
    const rebuilt = await database.selectFrom('results').selectAll().execute();
    const byId = (one: { session_id: string }, other: { session_id: string }): number =>
      one.session_id < other.session_id ? -1 : 1;
    expect(rebuilt.toSorted(byId)).toEqual(stood.toSorted(byId));

    const wereActive = async (daysAgo: number): Promise<void> => {
      const at = new Date(Date.now() - daysAgo * 24 * 60 * 60_000);
      await database.updateTable('results').set({ active_at: at }).execute();
    };
    await wereActive(29);
    expect(await store.worth({ by: 'model', within })).toMatchObject([
      { open: 1, abandoned: 0 },
      { abandoned: 0 },
    ]);
    await wereActive(31);
    expect(await store.worth({ by: 'model', within })).toMatchObject([
      { merged: 1, closed: 1, open: 0, abandoned: 1 },
      { merged: 1, abandoned: 0 },
    ]);
    await database.destroy();
    await store.close();
  });
});

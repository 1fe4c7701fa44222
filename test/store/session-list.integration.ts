import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { openDatabase, openPool, type Database } from '../../src/store/database/database.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import type { SessionQuery } from '../../src/store/store.ts';
import { delivery, newRepository, reply, sessionOf, silent } from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

const MANY = 10_000;

let place: TestDatabase;
let store: OpenStore;
let database: Database;
beforeAll(async () => {
  place = await createDatabase();
  store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
  database = openDatabase(openPool(place.connection, silent));
});
afterAll(async () => {
  await database.destroy();
  await store.close();
  await place.drop();
});

/** Seven of each were opened at the same moment, as by one transaction. */
const fill = () =>
  sql`
    insert into issuewright.sessions
      (id, installation, repository_id, owner, name, issue, title, state, model, created_at, updated_at)
    select 'many' || n, 1, 900 + n % 3, 'example', 'many-' || n % 3, n,
      'Title ' || n, case when n % 500 = 0 then 'failed' else 'done' end, 'test:' || n % 2,
      timestamptz '2030-01-15 12:00:00.123456' + (n / 7) * interval '1 microsecond', now()
    from generate_series(1, ${sql.lit(MANY)}) as n
  `.execute(database);

async function allOf(query: Omit<SessionQuery, 'limit'>, limit: number): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string | undefined; ;) {
    const page = await store.sessions({ ...query, limit, after });
    ids.push(...page.map(({ id }) => id));
    after = page.at(-1)?.id;
    if (page.length < limit) return ids;
  }
}

describe('the list of sessions', () => {
  it('has what each session costs, and which model works on it, as soon as that is journaled', async () => {
    const id = sessionOf(await store.accept(newRepository()({ number: 1 }), delivery()));
    expect(await store.session(id)).toMatchObject({ model: '', cost: { dollars: 0 } });
    const claim = await store.claim(id);
    const cost = { dollars: 0.5, isPartial: true };
    const projection = { state: 'working', model: 'test:model', cost };
    await store.append(id, [reply(0.5)], { claim, projection });
    expect(await store.session(id)).toMatchObject({ model: 'test:model', cost });
    await store.append(id, [reply(0)], { claim });
    expect(await store.session(id)).toMatchObject({ model: 'test:model', cost });
    await store.settle(id, claim, 4, { cost: { dollars: 0.75, isPartial: false } });
    expect(await store.sessions({ limit: 1, model: 'test:model' })).toMatchObject([
      { id, cost: { dollars: 0.75, isPartial: false } },
    ]);
  });

  it('shows each session once, page by page, however many were opened at one moment', async () => {
    await fill();
    const ids = await allOf({ repositoryId: 901 }, 333);
    expect(ids).toHaveLength(Math.ceil(MANY / 3));
    expect(new Set(ids).size).toBe(ids.length);
    const some = await store.sessions({ limit: 400, repositoryId: 901 });
    const times = some.map(({ createdAt }) => createdAt.getTime());
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    expect(await store.sessions({ limit: 5, after: 'deleted' })).toEqual([]);
  });

  it('is narrowed by state, repository, model, title and number', async () => {
    expect(await allOf({ state: 'failed', repositoryId: 900 }, 3)).toHaveLength(6);
    expect(await allOf({ state: 'failed', model: 'test:1' }, 50)).toEqual([]);
    expect(await allOf({ search: 'itle 4321' }, 50)).toEqual(['many4321']);
    expect(await allOf({ search: '#4321', repositoryId: 901 }, 50)).toEqual(['many4321']);
    expect(await allOf({ search: 'EXAMPLE/many-2', state: 'failed' }, 50)).toHaveLength(7);
  });

  it('can be limited to some repositories, with what there is to choose from', async () => {
    expect(await allOf({ state: 'failed', within: [900, 901] }, 50)).toHaveLength(13);
    expect(await allOf({ repositoryId: 902, within: [900, 901] }, 50)).toEqual([]);
    expect(await allOf({ within: [] }, 50)).toEqual([]);
    const { repositories, models } = await store.choices([901]);
    expect(repositories.map(({ id }) => id)).toEqual([901]);
    expect(models).toEqual(['test:0', 'test:1']);
    expect(await store.choices([])).toEqual({ repositories: [], models: [] });
  });

  it('takes every sign of a search for itself', async () => {
    await database
      .updateTable('sessions')
      .set({ title: String.raw`100 % of C:\temp_y'; drop` })
      .where('id', '=', 'many7')
      .execute();
    for (const search of ['% of', String.raw`:\temp`, 'p_y', "y'; drop"])
      expect([search, await allOf({ search }, 50)]).toEqual([search, ['many7']]);
    for (const search of ['1_0', String.raw`\%`, '100%', '9999999999'])
      expect([search, await allOf({ search }, 50)]).toEqual([search, []]);
  });

  it('names the repositories as they are called now, and the models', async () => {
    await database
      .updateTable('sessions')
      .set({ name: 'renamed' })
      .where('id', '=', 'many9999')
      .execute();
    await database
      .updateTable('sessions')
      .set({ created_at: new Date('2031-01-01') })
      .where('id', '=', 'many9999')
      .execute();
    const { repositories, models } = await store.choices();
    const names = repositories.filter(({ id }) => id >= 900 && id <= 902).map(({ name }) => name);
    expect(names).toEqual(['many-1', 'many-2', 'renamed']);
    expect(models).toEqual(['test:0', 'test:1', 'test:model']);
  });

  it('reads a page of ten thousand by their order, and not all of them', async () => {
    await sql`analyze issuewright.sessions`.execute(database);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select * from issuewright.sessions
      where (created_at, id) < (select created_at, id from issuewright.sessions where id = 'many5000')
      order by created_at desc, id desc limit 51
    `.execute(database);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('sessions_newest');
    expect(plan).not.toMatch(/Sort|Seq Scan/);
  });
});

import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { GRACE_DAYS } from '../../src/store/retention/retention.ts';
import { NoSuchSession } from '../../src/store/store.ts';
import {
  START,
  delivery,
  newRepository,
  reply,
  sessionOf,
  silent,
  until,
} from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';

const DAY = 24 * 60 * 60_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY);
const TABLES = ['sessions', 'journal', 'changes', 'images', 'publications', 'deliveries'];

describe('the store', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let store: OpenStore;
  let another: OpenStore;

  beforeAll(async () => {
    database = await createDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    const open = () => openStore({ databaseUrl: database.url, dataDir: '/unused', log: silent });
    store = await open();
    another = await open();
  });
  afterAll(async () => {
    await Promise.all([store.close(), another.close(), pool.end()]);
    await database.drop();
  });

  /** A session with something in every table, which ended so many days ago. */
  async function ended(
    happens: ReturnType<typeof newRepository>,
    { number = 1, days = 0, state = 'done' } = {},
  ): Promise<string> {
    const id = sessionOf(await store.accept(happens({ number }), delivery()));
    const claim = await store.claim(id);
    const content = Buffer.from('content');
    const image = { id: 'i', type: 'image/png', width: 1, height: 1, bytes: 7, content } as const;
    await store.append(id, [reply(0.5)], {
      claim,
      changes: [{ path: 'a', mode: '100644', content }],
      images: [image],
    });
    const memory = { text: `A fact ${number}.`, call: 'c', fromStrangers: false };
    await store.memories.remember(id, memory);
    const status = { key: 'status', remoteId: 1, url: 'https://x', digest: 'd' };
    await store.savePublication(id, status, undefined);
    await store.settle(id, claim, 3, { state, worth: WORTH });
    await pool.query(
      'update issuewright.session_queue set is_woken = false where session_id = $1',
      [id],
    );
    await pool.query('update issuewright.sessions set updated_at = $2 where id = $1', [
      id,
      daysAgo(days),
    ]);
    return id;
  }

  /** The number of rows of a session in each table. */
  async function rowsOf(id: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const column = table === 'sessions' ? 'id' : 'session_id';
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::integer as count from issuewright.${table} where ${column} = $1`,
        [id],
      );
      counts[table] = rows[0]?.count ?? 0;
    }
    return counts;
  }

  const NOTHING = Object.fromEntries(TABLES.map((table) => [table, 0]));
  const removedAt = (id: number, days: number) =>
    pool.query(
      'update issuewright.removed_repositories set removed_at = $2 where repository_id = $1',
      [id, daysAgo(days)],
    );

  it('deletes sessions that were over for long, with all that belongs to them', async () => {
    const happens = newRepository();
    const old = await ended(happens, { number: 1, days: 40 });
    const fresh = await ended(happens, { number: 2, days: 20 });
    const before = await rowsOf(old);
    for (const table of TABLES)
      expect({ table, rows: before[table] }).not.toEqual({ table, rows: 0 });
    expect(await store.retention.sweep()).toEqual({ sessions: 0, repositories: 0 });
    expect(await store.retention.sweep(daysAgo(30))).toEqual({ sessions: 1, repositories: 0 });
    expect(await rowsOf(old)).toEqual(NOTHING);
    expect(await store.session(fresh)).toBeDefined();
    await expect(store.claim(old)).rejects.toThrow(NoSuchSession);
  });

  it('deletes what only the opening of a pull request began that nobody asked to review, and still knows the event', async () => {
    const happens = newRepository();
    const began = async (number: number, reason: 'no_review' | 'not_permitted') => {
      const event = delivery();
      const arrival = happens({ number });
      const id = sessionOf(await store.accept(arrival, event));
      const claim = await store.claim(id);
      await store.append(id, [{ type: 'rejected', received: 2, reason }], { claim });
      await store.settle(id, claim, 3, { state: 'ignored', worth: WORTH });
      return { id, again: () => store.accept(arrival, event) };
    };
    const unasked = await began(1, 'no_review');
    const denied = await began(2, 'not_permitted');
    const asked = await began(3, 'no_review');
    await store.accept(happens({ number: 3 }), delivery());
    expect(await store.retention.sweep()).toEqual({ sessions: 1, repositories: 0 });
    expect(await store.session(unasked.id)).toBeUndefined();
    expect(await unasked.again()).toEqual({ outcome: 'duplicate' });
    for (const { id } of [denied, asked]) expect(await store.session(id)).toBeDefined();
  });

  it('keeps what the sessions came to, cost and remembered', async () => {
    const happens = newRepository();
    const { id: repositoryId } = happens().repository;
    await ended(happens, { number: 1, days: 40 });
    const asking = await ended(happens, { number: 2 });
    const sums = await store.worth({ by: 'all', within: [repositoryId] });
    const spent = await store.spentFor({ within: [repositoryId] });
    await store.retention.sweep(daysAgo(30));
    expect(await store.spentFor({ within: [repositoryId] })).toEqual(spent);
    expect(spent).not.toEqual([]);
    expect(await store.worth({ by: 'all', within: [repositoryId] })).toEqual(sums);
    expect(sums.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(2);
    const { memories } = await store.memories.list(asking, 10);
    expect(memories.map(({ text, issue }) => [text, issue])).toEqual([
      ['A fact 2.', 2],
      ['A fact 1.', 1],
    ]);
  });

  it('keeps the names of whom deleted sessions cost something until the month is over', async () => {
    const happens = newRepository();
    const within = [happens().repository.id];
    const spender = { person: { login: 'ada', id: 3 }, model: 'test:big' };
    const gone = await ended(happens, { number: 1, days: 40 });
    await store.append(gone, [reply(1)], { spender });
    const here = await ended(happens, { number: 2, days: 40, state: 'waiting(review)' });
    await store.append(here, [reply(2)], { spender });
    await pool.query('update issuewright.sessions set updated_at = $2 where id = $1', [
      gone,
      daysAgo(40),
    ]);
    const namesNow = async () =>
      (await store.spentFor({ within }))
        .filter(({ by }) => by === 'person')
        .map(({ name, dollars }) => [name, dollars]);
    await store.retention.sweep(daysAgo(30));
    expect(await store.session(gone)).toBeUndefined();
    expect(await namesNow()).toEqual([
      ['ada', 3],
      ['', 1],
    ]);
    await pool.query(
      `update issuewright.spending set at = at - interval '1 month' where repository_id = $1`,
      within,
    );
    await store.retention.sweep();
    expect(await namesNow()).toContainEqual(['ada', 3]);
    await store.retention.sweep(daysAgo(30));
    expect(await namesNow()).toEqual([
      ['', 2],
      ['ada', 2],
    ]);
  });

  it('keeps a session that waits for people, or that a process works on, however old it is', async () => {
    const happens = newRepository();
    const waiting = await ended(happens, { number: 1, days: 400, state: 'waiting(review)' });
    const taken = await ended(happens, { number: 2, days: 400 });
    await pool.query(
      `insert into issuewright.session_queue (session_id, worker) values ($1, 'w')
       on conflict (session_id) do update set worker = 'w'`,
      [taken],
    );
    expect((await store.retention.sweep(daysAgo(30))).sessions).toBe(0);
    expect(await store.session(waiting)).toBeDefined();
    expect(await store.session(taken)).toBeDefined();
    await pool.query('delete from issuewright.session_queue');
    await store.retention.sweep(daysAgo(30));
    expect(await store.session(taken)).toBeUndefined();
  });

  it('begins anew when work on the issue of a deleted session is requested again', async () => {
    const happens = newRepository();
    const old = await ended(happens, { days: 40 });
    await store.retention.sweep(daysAgo(30));
    const id = sessionOf(await store.accept(happens({ intent: START }), delivery()));
    expect(id).not.toBe(old);
    expect((await store.journal(id)).map(({ type }) => type)).toEqual(['opened', 'received']);
  });

  it('deletes each session once if two processes do it, and loses nothing that arrives', async () => {
    const happens = newRepository();
    const olds: string[] = [];
    for (let number = 1; number <= 50; number += 1)
      olds.push(await ended(happens, { number, days: 40 }));
    const sweeps = [store, another, store].map((one) => one.retention.sweep(daysAgo(30)));
    const arrivals = [3, 17, 49].map((number) =>
      store.accept(happens({ number, intent: START }), delivery()).catch(() => undefined),
    );
    const counts = (await Promise.all(sweeps)).map(({ sessions }) => sessions);
    const accepted = await Promise.all(arrivals);
    const left = await Promise.all(olds.map((id) => store.session(id)));
    const kept = left.filter((row) => row !== undefined);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50 - kept.length);
    expect(kept.length).toBeLessThanOrEqual(3);
    for (const one of accepted)
      expect(one?.outcome === 'accepted' && (await store.session(one.session)) === undefined).toBe(
        false,
      );
  });

  describe('a repository that the App was removed from', () => {
    it('keeps its data for some days, then all of it is deleted', async () => {
      const happens = newRepository();
      const { id: repositoryId } = happens().repository;
      const session = await ended(happens, { state: 'waiting(answer)' });
      const epoch = { day: new Date(0), month: new Date(0) };
      const spent = () => store.spent({ repository: repositoryId, person: undefined, ...epoch });
      const before = await spent();
      const neighbour = await ended(newRepository());
      await store.retention.removed([repositoryId]);
      await removedAt(repositoryId, GRACE_DAYS - 1);
      await store.retention.removed([repositoryId]);
      expect(await store.retention.sweep()).toEqual({ sessions: 0, repositories: 0 });
      await removedAt(repositoryId, GRACE_DAYS + 1);
      expect(await store.retention.sweep()).toEqual({ sessions: 1, repositories: 1 });
      expect(await rowsOf(session)).toEqual(NOTHING);
      expect(await store.worth({ by: 'all', within: [repositoryId] })).toEqual([]);
      expect(await store.spentFor({ within: [repositoryId] })).toEqual([]);
      const { rows } = await pool.query(
        'select from issuewright.memories where repository_id = $1',
        [repositoryId],
      );
      expect(rows).toEqual([]);
      expect(await store.session(neighbour)).toBeDefined();
      expect(await store.retention.sweep()).toEqual({ sessions: 0, repositories: 0 });
      // It still counts in the budget of the month, and belongs to nobody.
      expect((await spent()).repositoryDay.dollars).toBe(0);
      const ofNeighbour = 0.5;
      expect((await spent()).serviceMonth.dollars).toBe(before.serviceMonth.dollars + ofNeighbour);
    });

    it('keeps its data if the App comes back', async () => {
      const happens = newRepository();
      const { id: repositoryId } = happens().repository;
      const session = await ended(happens);
      await store.retention.removed([repositoryId]);
      await removedAt(repositoryId, GRACE_DAYS + 1);
      await store.retention.reachable([repositoryId]);
      await store.retention.sweep();
      expect(await store.session(session)).toBeDefined();
    });

    it('is found by the sessions of its installation', async () => {
      const installation = randomInt(2 ** 40);
      const arrival = { ...newRepository()(), installation };
      const id = sessionOf(await store.accept(arrival, delivery()));
      await store.retention.removed([], installation);
      await removedAt(arrival.repository.id, GRACE_DAYS + 1);
      await until('deleted', async () => {
        await store.retention.sweep();
        return (await store.session(id)) === undefined;
      });
    });
  });
});

const WORTH = {
  model: 'test:first',
  result: 'unchanged',
  rounds: 0,
  isZeroTouch: false,
  dollars: 0.5,
  isPartial: false,
  workedMs: 1,
  signMs: undefined,
  proposedMs: undefined,
  mergedMs: undefined,
  begunAt: '2030-01-15T12:00:00Z',
  activeAt: '2030-01-15T12:00:00Z',
} as const;

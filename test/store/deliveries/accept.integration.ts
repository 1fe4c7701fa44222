import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Acceptance } from '../../../src/store/deliveries/accept.ts';
import {
  executeOn,
  openDatabase,
  openPool,
  type Execute,
  type Statement,
} from '../../../src/store/database/database.ts';
import { openStore, type OpenStore } from '../../../src/store/open.ts';
import type { Accepted } from '../../../src/store/store.ts';
import {
  comment,
  delivery,
  newRepository,
  newSession,
  recordWakes,
  sessionOf,
  silent,
  until,
} from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

const SECOND = 1000;
const later = (ms: number): Date => new Date(Date.now() + ms);

describe('deliveries that come at once', () => {
  let place: TestDatabase;
  let store: OpenStore;
  let wakes: Awaited<ReturnType<typeof recordWakes>>;
  let pool: ReturnType<typeof openPool>;

  beforeAll(async () => {
    place = await createDatabase();
    store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    wakes = await recordWakes(store);
    pool = openPool(place.connection, silent);
  });
  afterAll(async () => {
    await pool.end();
    await store.close();
    await place.drop();
  });

  /** Accepts as a process does that dies before it wakes what it accepted. */
  function dying(execute: Execute = executeOn(pool)) {
    const asked: Statement[] = [];
    const acceptance = new Acceptance({
      execute: (statement, values) => {
        asked.push(statement);
        return execute(statement, values);
      },
      tell: () => {},
    });
    return { acceptance, asked };
  }

  /** Calls `work` while another process has the row of the session. */
  async function lockedMeanwhile<T>(id: string, work: () => Promise<T>): Promise<T> {
    const database = openDatabase(openPool(place.connection, silent));
    const result = await database.transaction().execute(async (transaction) => {
      await transaction
        .selectFrom('sessions')
        .where('id', '=', id)
        .forUpdate()
        .select('id')
        .execute();
      return work();
    });
    await database.destroy();
    return result;
  }

  it('are one statement, on one issue and on many', async () => {
    const happens = newRepository();
    const id = sessionOf(await store.accept(happens(), delivery()));
    const { acceptance, asked } = dying();
    const comments = Array.from({ length: 30 }, (_, index) => comment(`comment ${index}`));
    const outcomes = await Promise.all([
      ...comments.map((intent) => acceptance.accept(happens({ intent }), delivery())),
      ...comments.map((_, index) =>
        acceptance.accept(happens({ number: 100 + index }), delivery()),
      ),
    ]);
    expect(asked).toHaveLength(1);
    expect(new Set(outcomes.map(sessionOf)).size).toBe(31);
    const read = await store.journal(id, 2);
    expect(read.map((entry) => 'intent' in entry && entry.intent)).toEqual(comments);
    expect(read.map(({ seq }) => seq)).toEqual(read.map((_, index) => index + 3));
  });

  it('are numbered without gaps beside the appends of a run', async () => {
    const happens = newRepository();
    const id = sessionOf(await store.accept(happens(), delivery()));
    const claim = await store.claim(id);
    const append = () => store.append(id, [{ type: 'input_read', upTo: 2, text: 'x' }], { claim });
    const intent = comment('news');
    for (let round = 0; round < 5; round += 1)
      await Promise.all(
        Array.from({ length: 8 }, () => [
          store.accept(happens({ intent }), delivery()),
          append(),
        ]).flat(),
      );
    const read = await store.journal(id);
    expect(read.map(({ seq }) => seq)).toEqual(Array.from({ length: 82 }, (_, index) => index + 1));
  });

  it('are decided in their order if one opens the session of another', async () => {
    const happens = newRepository();
    const { acceptance } = dying();
    const said = (body: string) =>
      acceptance.accept(happens({ intent: comment(body) }), delivery());
    const [early, opened, late] = await Promise.all([
      said('early'),
      acceptance.accept(happens(), delivery()),
      said('late'),
    ]);
    expect(early).toEqual({ outcome: 'no_session' });
    expect(late).toEqual(opened);
    expect(await store.journal(sessionOf(opened))).toMatchObject([
      { type: 'opened' },
      { type: 'received', intent: { kind: 'start' } },
      { type: 'received', intent: { body: 'late' } },
    ]);
  });

  it('fail alone', async () => {
    const happens = newRepository();
    const broken = happens({ number: 2 });
    const unstorable = { ...broken, repository: { ...broken.repository, name: 'a\0b' } };
    const { acceptance } = dying();
    const [first, failed, last] = await Promise.allSettled([
      acceptance.accept(happens({ number: 1 }), delivery()),
      acceptance.accept(unstorable, delivery()),
      acceptance.accept(happens({ number: 3 }), delivery()),
    ]);
    expect(failed).toMatchObject({ status: 'rejected' });
    for (const one of [first, last])
      expect(one).toMatchObject({ status: 'fulfilled', value: { outcome: 'accepted' } });
  });

  it('keep their order in every thread that they have in common if one fails', async () => {
    const happens = newRepository();
    const id = sessionOf(await store.accept(happens({ number: 5 }), delivery()));
    const execute = executeOn(pool);
    const steps: string[] = [];
    const { acceptance } = dying(
      <Row extends object>(statement: Statement, values: readonly unknown[]) => {
        const [said, ...others] = JSON.stringify(values).match(/(?:first|second) word/g) ?? [];
        if (said === undefined || others.some((other) => other !== said))
          return execute<Row>(statement, values);
        steps.push(`${said} begins`);
        return execute<Row>(statement, values).finally(() => steps.push(`${said} ends`));
      },
    );
    const broken = happens({ number: 2 });
    const unstorable = { ...broken, repository: { ...broken.repository, name: 'a\0b' } };
    const onPull = happens({ intent: comment('first word') });
    const ofIssue = { ...onPull, thread: { on: 'pull_request', number: 12, issue: 5 } } as const;
    const [first, failed] = await Promise.allSettled([
      acceptance.accept(ofIssue, delivery()),
      acceptance.accept(unstorable, delivery()),
      acceptance.accept(happens({ number: 12, intent: comment('second word') }), delivery()),
    ]);
    expect(first).toMatchObject({ status: 'fulfilled', value: { session: id } });
    expect(failed).toMatchObject({ status: 'rejected' });
    expect(steps).toEqual([
      'first word begins',
      'first word ends',
      'second word begins',
      'second word ends',
    ]);
  });

  it('all fail at once if the database is away, and are accepted when it is back', async () => {
    const happens = newRepository();
    const execute = executeOn(pool);
    let isAway = true;
    const { acceptance, asked } = dying((statement, values) =>
      isAway ? Promise.reject(new Error('connection refused')) : execute(statement, values),
    );
    const deliveries = Array.from({ length: 20 }, (_, number) => happens({ number }));
    const all = () =>
      Promise.allSettled(deliveries.map((one) => acceptance.accept(one, delivery())));
    const failed = await all();
    expect(failed.every(({ status }) => status === 'rejected')).toBe(true);
    expect(asked).toHaveLength(1);
    isAway = false;
    const repeated = await all();
    expect(repeated.every(({ status }) => status === 'fulfilled')).toBe(true);
  });

  it('do not wait for a session that someone else is writing to', async () => {
    const happens = newRepository();
    const id = sessionOf(await store.accept(happens(), delivery()));
    const { acceptance } = dying();
    const held = await lockedMeanwhile(id, async () => {
      const waiting = acceptance.accept(happens({ intent: comment('held') }), delivery());
      const free = acceptance.accept(happens({ number: 2 }), delivery());
      expect((await free).outcome).toBe('accepted');
      expect((await store.session(id))?.lastSeq).toBe(2);
      return [waiting];
    });
    expect(await Promise.all(held)).toEqual([{ outcome: 'accepted', session: id }]);
  });

  it('wait together, and in their order, for whoever writes to their session', async () => {
    const happens = newRepository();
    const id = sessionOf(await store.accept(happens(), delivery()));
    const { acceptance, asked } = dying();
    const comments = Array.from({ length: 20 }, (_, index) => comment(`comment ${index}`));
    const say = (some: typeof comments) =>
      some.map((intent) => acceptance.accept(happens({ intent }), delivery()));
    const said = await lockedMeanwhile(id, async () => {
      const early = say(comments.slice(0, 5));
      await until('the first to wait', async () => asked.length === 2);
      const late = say(comments.slice(5));
      // Shows that the others had their turn.
      await acceptance.accept(happens({ number: 2 }), delivery());
      return [...early, ...late];
    });
    await Promise.all(said);
    const read = await store.journal(id, 2);
    expect(read.map((entry) => 'intent' in entry && entry.intent)).toEqual(comments);
    expect(asked.map(({ name }) => name)).toEqual([
      'accept_group',
      'accept_patiently',
      'accept_group',
      'accept_group',
    ]);
  });

  it('are two groups at once, of different threads', async () => {
    const happens = newRepository();
    const id = sessionOf(await store.accept(happens(), delivery()));
    const execute = executeOn(pool);
    const gate = Promise.withResolvers<void>();
    const { acceptance, asked } = dying(async (statement, values) => {
      await gate.promise;
      return execute(statement, values);
    });
    const sent: Promise<Accepted>[] = [];
    const say = async (number: number, text: string): Promise<void> => {
      sent.push(acceptance.accept(happens({ number, intent: comment(text) }), delivery()));
      await nextTurn();
      await nextTurn();
    };
    await say(1, 'first');
    await say(1, 'second');
    expect(asked).toHaveLength(1);
    await say(2, 'elsewhere');
    expect(asked).toHaveLength(2);
    await say(3, 'elsewhere again');
    await say(1, 'third');
    expect(asked).toHaveLength(2);
    gate.resolve();
    await Promise.all(sent);
    const read = await store.journal(id, 2);
    expect(read).toMatchObject(['first', 'second', 'third'].map((body) => ({ intent: { body } })));
  });

  it('open one session if two processes accept them', async () => {
    const happens = newRepository();
    const processes = [dying().acceptance, dying().acceptance, dying().acceptance];
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        processes[index % 3]!.accept(happens({ number: index % 5 }), delivery()),
      ),
    );
    const ids = new Set(outcomes.map(sessionOf));
    expect(ids.size).toBe(5);
    for (const id of ids) expect(await store.journal(id)).toHaveLength(7);
  });

  it('wake their sessions although their process died before it told anyone', async () => {
    const happens = newRepository();
    const known = await newSession(store);
    await wakes.times('advance', known, 1);
    await wakes.times('publish', known, 1);
    await store.markPublished(known, 2, null);
    await store.settle(known, await store.claim(known), 2, { state: 'waiting(answer)' });
    const repository = (await store.session(known))!.repository;
    const { acceptance } = dying();
    const opened = sessionOf(await acceptance.accept(happens(), delivery()));
    const answer = { ...happens({ intent: comment('yes') }), repository };
    expect(sessionOf(await acceptance.accept(answer, delivery()))).toBe(known);
    await wakes.times('advance', opened, 1);
    await wakes.times('advance', known, 2);
    await store.due(later(4 * SECOND));
    expect([wakes.count('publish', opened), wakes.count('publish', known)]).toEqual([0, 1]);
    await until('published', async () => {
      await store.due(later(5.1 * SECOND));
      return wakes.count('publish', opened) === 1 && wakes.count('publish', known) === 2;
    });
  });

  it('are not put off by a run that did not see them and sleeps', async () => {
    const happens = newRepository();
    const id = sessionOf(await store.accept(happens(), delivery()));
    await wakes.times('advance', id, 1);
    const claim = await store.claim(id);
    await dying().acceptance.accept(happens({ intent: comment('stop') }), delivery());
    await store.release(id, claim, later(3_600 * SECOND));
    await wakes.times('advance', id, 2);
  });
});

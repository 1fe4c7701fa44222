// Ways through the model, taken with two stores on one PostgreSQL database: each statement has the outcome that the model
// says, and leaves the rows that it says.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { executeOn, type Execute, type Statement } from '../../src/store/database/database.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import {
  BEAT,
  BURY_DEAD,
  DROP_IDLE,
  GIVE_BACK,
  HELD,
  RETRY_LATER,
  TAKE,
} from '../../src/store/session-queue/queue-statements.ts';
import { ClaimLost, type StandingPublication } from '../../src/store/store.ts';
import {
  comment,
  delivery,
  inputTaken,
  newRepository,
  sessionOf,
  silent,
} from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';
import { explore, lineOf, walk, type Step } from './checker.ts';
import { SESSION } from './protocols.ts';
import { sessionModel } from './session-model.ts';
import type { Name, State } from './session-state.ts';

const FURTHER = 6;
const WALKS = 8;
const LONGEST = 60;

/** The same numbers from 0 to 1 each time. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('the store', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let execute: Execute;
  let stores: Record<Name, OpenStore>;

  beforeAll(async () => {
    database = await createDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    execute = executeOn(pool);
    const open = () => openStore({ databaseUrl: database.url, dataDir: '/unused', log: silent });
    stores = { A: await open(), B: await open() };
  });
  afterAll(async () => {
    await Promise.all([stores.A.close(), stores.B.close(), pool.end()]);
    await database.drop();
  });

  it('does what the model says, on a way to each kind of step and on random ones', async () => {
    const half = sessionModel(SESSION, { comment: 1, crash: 0, loss: 0, freeze: 1 });
    const { ways } = explore(half);
    expect(ways.size).toBeGreaterThan(20);
    const random = randomFrom(17);
    const through = [...ways.values()].map((way) => ({
      model: half,
      steps: walk(half, way, random, way.length + FURTHER),
    }));
    const whole = sessionModel(SESSION, { comment: 1, crash: 1, loss: 1, freeze: 1 });
    for (let walks = 0; walks < WALKS; walks += 1)
      through.push({ model: whole, steps: walk(whole, [], random, LONGEST) });
    for (const { model, steps } of through) {
      const replay = await openReplay();
      let before = model.initial;
      for (const step of steps) {
        await replay.take(step, before);
        before = step.to;
      }
      await pool.query('delete from issuewright.session_queue');
      await pool.query('delete from issuewright.workers');
    }
  });

  async function openReplay() {
    const happens = newRepository();
    const id = sessionOf(await stores.A.accept(happens(), delivery()));
    const workers = { A: randomUUID(), B: randomUUID(), X: '' };
    const claims: Record<string, string | null> = { '': null };
    const read: Partial<Record<Name, StandingPublication>> = {};
    const run = (statement: Statement, values: readonly unknown[]) =>
      execute<Record<string, unknown>>(statement, values);
    const change = (text: string, ...values: unknown[]) => pool.query(text, values);
    for (const name of ['A', 'B'] as const) await run(BEAT, [workers[name]]);

    /** By the name of the function that a step stands for. */
    const actions: Record<string, (step: Step<State>, before: State, name: Name) => Promise<void>> =
      {
        take: async (_step, _before, name) => {
          await change(`update issuewright.session_queue set not_before = '-infinity'`);
          expect(await run(TAKE, [workers[name], null, null, null])).toEqual([{ session: id }]);
        },
        beat: async ({ does }, _before, name) => {
          await run(BEAT, [workers[name]]);
          const held = await run(HELD, [workers[name]]);
          expect(held.length === 0 || !does.startsWith('learns')).toBe(true);
          const dead = does.startsWith('frees')
            ? 'X'
            : does.includes('for dead')
              ? other(name)
              : '';
          if (dead === '') return;
          await change(
            `update issuewright.workers set since = now() - interval '1 minute', alive_at = now() + case
             when id = $1 then '-1 minute'::interval else '1 minute'::interval end`,
            workers[dead],
          );
          await run(BURY_DEAD, [workers[name]]);
        },
        claim: async (_step, _before, name) => {
          claims[name] = await stores[name].claim(id);
        },
        readJournal: async (_step, before, name) => {
          expect(await stores[name].journal(id)).toHaveLength(before.journal.length + 1);
        },
        refresh: async (_step, before, name) => {
          const { seen } = before.workers[name];
          const news = await stores[name].journal(id, seen + 1);
          expect(news).toHaveLength(before.journal.length - seen);
        },
        writeEntries: async ({ does, to }, before, name) => {
          const letter = / appends? (\w+)|^appends (\w+)/.exec(does)?.[1] ?? does.at(-1)!;
          const options = {
            claim: claims[name]!,
            seen: before.workers[name].seen + 1,
            projection: { state: to.isBusy ? 'working' : 'done' },
          };
          const appending = stores[name].append(id, [inputTaken(letter)], options);
          const isLost = to.workers[name].at === 'lost';
          expect(await outcomeOf(appending.then(() => 'appended'))).toBe(
            isLost ? 'claim lost' : 'appended',
          );
        },
        settleClaim: async ({ to }, before, name) => {
          const { seen } = before.workers[name];
          const settling = stores[name].settle(id, claims[name]!, seen + 1, { state: 'done' });
          const { at } = to.workers[name];
          const outcomes = { lost: 'claim lost', opening: 'more', giving: 'settled' };
          expect(outcomes).toHaveProperty([at], await outcomeOf(settling));
        },
        release: async (_step, _before, name) => stores[name].release(id, claims[name]!),
        giveBack: async (_step, before, name) => {
          const statement = before.workers[name].at === 'lost' ? RETRY_LATER : GIVE_BACK;
          await run(statement, [id, workers[name]]);
          await run(DROP_IDLE, [id]);
        },
        readPublications: async (_step, _before, name) => {
          delete read[name];
          const [row] = await stores[name].publications(id);
          if (row !== undefined) read[name] = row;
        },
        savePublication: async ({ to }, before, name) => {
          const remoteId = Number(before.workers[name].mine);
          const done = { key: 'said', remoteId, url: 'https://x', digest: '' };
          expect(await stores[name].savePublication(id, done, read[name])).toBe(
            to.workers[name].at === 'acted' ? 'saved' : 'contested',
          );
        },
        acceptOne: async () => {
          sessionOf(await stores.B.accept(happens({ intent: comment('c') }), delivery()));
        },
        wakeDue: async () => {
          await change(
            `update issuewright.sessions set updated_at = now() - interval '1 hour' where id = $1`,
            id,
          );
          await stores.A.due(new Date());
        },
      };

    return {
      take: async (step: Step<State>, before: State): Promise<void> => {
        const name = step.actor === 'B' ? 'B' : 'A';
        if (step.does.startsWith('is killed')) {
          [workers.X, workers[name]] = [workers[name], randomUUID()];
          if (before.claim === name) claims['X'] = claims[name] ?? null;
        }
        await actions[step.code?.split('#')[1] ?? '']?.(step, before, name);
        const expected = rowsOf(step.to, workers, claims);
        expect({ after: lineOf(step), ...(await rows(id)) }).toEqual({
          after: lineOf(step),
          ...expected,
        });
      },
    };
  }

  /** What the database has of the session, in the words of the model. */
  async function rows(id: string): Promise<object> {
    const { rows: found } = await pool.query<{ journal: string; published: string }>(
      `select claim, state not in ('done') as "isBusy", coalesce(is_woken, false) as "isWoken",
         worker as taker, coalesce(remote_id, 0) as published, (
           select string_agg(case when type = 'input_read' then body::json ->> 'text'
             when body::json -> 'intent' ->> 'kind' = 'start' then 'q' else 'c' end, '' order by seq)
           from issuewright.journal where session_id = sessions.id and type <> 'opened'
         ) as journal
       from issuewright.sessions left join issuewright.session_queue as queued on queued.session_id = id
       left join issuewright.publications as published on published.session_id = id
       where id = $1`,
      [id],
    );
    return { ...found[0], published: Number(found[0]?.published) };
  }
});

const outcomeOf = (work: Promise<string>): Promise<string> =>
  work.catch((error: unknown) => {
    if (error instanceof ClaimLost) return 'claim lost';
    throw error;
  });

const other = (name: Name): Name => (name === 'A' ? 'B' : 'A');

const rowsOf = (
  { journal, claim, isBusy, isWoken, taker, row }: State,
  workers: Readonly<Record<string, string>>,
  claims: Readonly<Record<string, string | null>>,
) => ({
  journal,
  claim: claims[claim] ?? null,
  isBusy,
  isWoken,
  taker: workers[taker] ?? null,
  published: Number(row.id),
});

// A whole store whose database goes silent, in the middle of what it writes.
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { openStore } from '../../../src/store/open.ts';
import { patientStore } from '../../../src/store/patient-store.ts';
import { inputTaken, newSession, silent, until } from '../../contract/store-world.ts';
import { silentProxy } from '../../support/silent-proxy.ts';
import { createDatabase } from '../../support/test-database.ts';

/** More than the heartbeat of the connection that listens. */
const SILENCE_MS = 12_000;

it.each([
  ['what was sent before is lost', false],
  ['what was sent before arrives late', true],
])(
  'after a silence an append is written once, and sessions are taken, if %s',
  async (_how, late) => {
    const place = await createDatabase();
    const proxy = await silentProxy(place);
    const admin = new pg.Client(place.connection);
    await admin.connect();
    const others = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    const lines: string[] = [];
    const log = pino({}, { write: (line) => void lines.push(line) });
    const opening = { databaseUrl: proxy.url, dataDir: '/unused', silenceMs: SILENCE_MS, log };
    const store = await openStore(opening);
    const patient = patientStore(store, { patienceMs: 120_000, log });
    const taken: string[] = [];
    await store.queue.work('advance', { concurrency: 2 }, async (session) => {
      taken.push(session);
    });
    const heard: string[] = [];
    store.onWake((session) => heard.push(session));
    const backends = async (): Promise<Set<number>> => {
      const { rows } = await admin.query<{ pid: number }>(
        'select pid from pg_stat_activity where datname = current_database()',
      );
      return new Set(rows.map(({ pid }) => pid));
    };

    const ofOthers = await backends();
    const id = await newSession(others);
    await until('taken', () => taken.includes(id));
    const isOver = async (): Promise<boolean> => {
      const queued = 'select from issuewright.session_queue where session_id = $1';
      return (await admin.query(queued, [id])).rows.length === 0;
    };
    // What the silence cuts off is done again.
    await until('over', isOver);
    const claim = await patient.claim(id);
    const before = [...(await backends())].filter((pid) => !ofOthers.has(pid));
    proxy.silence();
    const appending = patient.append(id, [inputTaken('Once.')], { claim, seen: 2 });
    const second = await newSession(others);
    const said = (words: RegExp) => lines.some((line) => words.test(line));
    await until('given up', () => said(/"operation":"append".*waiting for the database/));
    heard.splice(0);
    proxy.resume({ late });
    const [entry] = await appending;
    if (late)
      await until('all of before arrived', async () => {
        const left = await backends();
        return !before.some((pid) => left.has(pid));
      });
    await until('the second is taken', () => taken.includes(second));
    expect(await store.journal(id, 2)).toEqual([entry]);
    expect(taken).toEqual([id, second]);
    // The claimed one is told if it may have missed something.
    const third = await newSession(others);
    await until('it listens', () => heard.includes(third) || heard.includes(id));
    await store.close();
    await others.close();
    await admin.end();
    await proxy.close();
    await place.drop();
  },
  300_000,
);

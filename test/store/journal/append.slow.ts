import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  executeOn,
  openDatabase,
  openPool,
  type Database,
  type Statement,
} from '../../../src/store/database/database.ts';
import { migrate } from '../../../src/store/database/migrations.ts';
import { startEmbedded } from '../../../src/store/embedded/postgres-server.ts';
import { append, readJournal } from '../../../src/store/journal/journal.ts';
import { openStore, type OpenStore } from '../../../src/store/open.ts';
import type { StoreParts } from '../../../src/store/sessions.ts';
import type { StoredChange } from '../../../src/contracts/files.ts';
import {
  inputTaken,
  newSession,
  recordWakes,
  reply,
  silent,
  temporaryDirectory,
  until,
} from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

const SECOND = 1000;
const later = (at: string, ms: number): Date => new Date(Date.parse(at) + ms);

const NOBODY: StoreParts['queue'] = { wake: () => Promise.reject(new Error('it died before')) };

/** A session without entries. */
async function opened(database: Database): Promise<string> {
  const place = { installation: 1, repository_id: 2, owner: 'example', name: 'sample', issue: 3 };
  await database
    .insertInto('sessions')
    .values({ id: 'session', ...place })
    .execute();
  return 'session';
}

/** Beside the service: what a process does until it dies. */
describe('an append', () => {
  it('that resolved is there after the database was killed', async () => {
    const own = temporaryDirectory();
    let killed = await startEmbedded(own.path, silent);
    const pool = openPool(killed.connection, silent);
    const database = openDatabase(pool);
    await migrate(database);
    const id = await opened(database);
    const parts: StoreParts = {
      database,
      execute: executeOn(pool),
      queue: NOBODY,
      publishSoon: () => {},
    };
    const written = await append(parts, id, [inputTaken('1'), reply(0.5)]);
    const lost = new Promise((resolve) => killed.onExit(resolve));
    process.kill(killed.pid, 'SIGKILL');
    await lost;
    await database.destroy();
    await killed.stop();
    killed = await startEmbedded(own.path, silent);
    const again = openDatabase(openPool(killed.connection, silent));
    const read = await readJournal(again, id, 0);
    await again.destroy();
    await killed.stop();
    own.remove();
    expect(read).toEqual(written);
  });

  let place: TestDatabase;
  let store: OpenStore;
  let wakes: Awaited<ReturnType<typeof recordWakes>>;

  beforeAll(async () => {
    place = await createDatabase();
    store = await openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
    wakes = await recordWakes(store);
  });
  afterAll(async () => {
    await store.close();
    await place.drop();
  });

  /** The parts of a process that dies before it wakes a session, and its queries. */
  async function dying(
    work: (parts: StoreParts, asked: Statement[]) => Promise<void>,
  ): Promise<void> {
    const asked: Statement[] = [];
    const pool = openPool(place.connection, silent);
    const execute = executeOn(pool);
    const database: Database = openDatabase(pool);
    const parts: StoreParts = {
      database,
      execute: (statement, values) => {
        asked.push(statement);
        return execute(statement, values);
      },
      queue: NOBODY,
      publishSoon: () => {},
    };
    try {
      await work(parts, asked);
    } finally {
      await database.destroy();
    }
  }

  it('is one statement, with its projection, its cost and the files that its call changed', () =>
    dying(async (parts, asked) => {
      const id = await newSession(store);
      const claim = await store.claim(id);
      const noDatabase = openDatabase(openPool(place.connection, silent));
      await noDatabase.destroy();
      const change: StoredChange = { path: 'a', mode: '100644', content: Buffer.from('text') };
      const [entry] = await append({ ...parts, database: noDatabase }, id, [reply(0.5)], {
        claim,
        projection: { state: 'working', pullRequest: randomInt(2 ** 31 - 1), wakeAt: null },
        changes: [change],
      });
      expect(asked).toHaveLength(1);
      expect(await store.journal(id, 2)).toEqual([entry]);
      expect((await store.changes(id, 2)).map(({ path }) => path)).toEqual(['a']);
    }));

  it.each([
    ['beside an entry', 1],
    ['in a statement of their own', 5 * 1024 * 1024],
  ])('keeps which files only commands made, %s', (_, bytes) =>
    dying(async () => {
      const id = await newSession(store);
      const content = Buffer.alloc(bytes, 'x');
      const changes: readonly StoredChange[] = [
        { path: 'a', mode: '100644', content, madeByCommand: true },
        { path: 'b', mode: '100644', content },
      ];
      await store.append(id, [inputTaken('x')], { changes });
      expect(await store.changes(id, 0)).toEqual(changes);
    }),
  );

  it.each([
    ['beside an entry', 1],
    ['in a statement of their own', 5 * 1024 * 1024],
  ])('keeps of each file only its last state, %s', (_, bytes) =>
    dying(async ({ database }) => {
      const id = await newSession(store);
      for (const text of ['x', 'y', 'z'])
        for (const path of ['a', 'b'])
          await store.append(id, [inputTaken(`${text} ${path}`)], {
            changes: [{ path, mode: '100644', content: Buffer.from(text.repeat(bytes)) }],
          });
      const kept = database.selectFrom('changes').select(['seq', 'path']).orderBy('seq');
      expect(await kept.where('session_id', '=', id).execute()).toEqual([
        { seq: 7, path: 'a' },
        { seq: 8, path: 'b' },
      ]);
    }),
  );

  it('without a wake-up before its process died is found by the sweep after five seconds', () =>
    dying(async (parts) => {
      const id = await newSession(store);
      await wakes.times('publish', id, 1);
      await store.markPublished(id, 2, null);
      const [entry] = await append(parts, id, [inputTaken('unheard')]);
      await store.due(later(entry!.at, 4 * SECOND));
      expect((await store.session(id))?.publishAt).toBeNull();
      await until('woken by the sweep', async () => {
        await store.due(later(entry!.at, 5.1 * SECOND));
        return wakes.count('publish', id) === 2;
      });
    }));

  it('is reported by the end of its run, which wakes in its own transaction', () =>
    dying(async (parts) => {
      const [settled, released, told] = await Promise.all([
        newSession(store),
        newSession(store),
        newSession(store),
      ]);
      for (const id of [settled, released, told]) {
        await wakes.times('publish', id, 1);
        await store.markPublished(id, 2, null);
      }
      await append(parts, settled, [inputTaken('unheard')]);
      await append(parts, released, [inputTaken('unheard')]);
      await store.settle(settled, await store.claim(settled), 3, { state: 'done' });
      await store.release(released, await store.claim(released), new Date(Date.now() + SECOND));
      await store.settle(told, await store.claim(told), 2, { state: 'done' });
      await wakes.times('publish', settled, 2);
      await wakes.times('publish', released, 2);
      expect(wakes.count('publish', told)).toBe(1);
    }));
});

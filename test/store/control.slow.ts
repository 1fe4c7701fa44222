import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { control } from '../../src/store/control.ts';
import { openDatabase, openPool } from '../../src/store/database/database.ts';
import { migrate } from '../../src/store/database/migrations.ts';
import { lockDirectory } from '../../src/store/embedded/lock.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { newSession, silent, temporaryDirectory, until } from '../contract/store-world.ts';
import { isRoot, NOBODY, whyNoOtherUser } from '../support/other-user.ts';
import { prepareData } from '../support/prepared-data.ts';
import { createDatabase } from '../support/test-database.ts';

describe('the operator', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());

  const place = () => ({ dataDir: join(directory.path, 'data'), log: silent });
  const reach = () => ({ ...place(), databaseUrl: undefined });

  it('pauses a service that runs, from another process, and wakes what waits with the resume', async () => {
    await prepareData(place().dataDir);
    const store = await openStore(place());
    try {
      const [waiting, other] = [await newSession(store), await newSession(store)];
      await store.append(waiting, [], { projection: { state: 'waiting(pause)' } });
      await control(reach(), (service) => service.pause('first'));
      await control(reach(), (service) => service.pause('second'));
      expect(await control(reach(), (service) => service.isInUse())).toBe(true);
      expect(await store.servicePause()).toEqual({ reason: 'second', since: expect.any(Date) });
      expect(await control(reach(), (service) => service.resume())).toBe(true);
      expect(await store.servicePause()).toBeUndefined();
      expect((await store.session(waiting))?.wakeAt).toBeInstanceOf(Date);
      expect((await store.session(other))?.wakeAt).toBeNull();
      expect(await control(reach(), (service) => service.resume())).toBe(false);
    } finally {
      await store.close();
    }
  });

  it('pauses a service that does not run', async () => {
    await prepareData(place().dataDir);
    await control(reach(), (service) => service.pause('not yet'));
    expect(await control(reach(), (service) => service.isInUse())).toBe(false);
    const store = await openStore(place());
    expect(await store.servicePause()).toMatchObject({ reason: 'not yet' });
    await store.close();
  });

  it('pauses a service that does not run, twice at the same time', async () => {
    await prepareData(place().dataDir);
    const both = ['one', 'two'].map((reason) =>
      control(reach(), (service) => service.pause(reason)),
    );
    await Promise.all(both);
    expect(await control(reach(), (service) => service.resume())).toBe(true);
  });

  it('pauses a service that starts for the first time', async () => {
    const opening = openStore(place());
    await until('it starts', () => existsSync(join(place().dataDir, 'owner.pid')));
    await control(reach(), (service) => service.pause('too early'));
    const store = await opening;
    expect(await store.servicePause()).toMatchObject({ reason: 'too early' });
    await store.close();
  });

  it('pauses a service that starts meanwhile', async () => {
    await prepareData(place().dataDir);
    const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
    const lines: string[] = [];
    let opening: Promise<OpenStore> | undefined;
    await control(reach(), async (service) => {
      opening = openStore({ ...place(), log });
      opening.catch(() => {});
      const isWaiting = () => lines.some((line) => line.includes('waiting for the data directory'));
      await until('it waits', isWaiting);
      await service.pause('meanwhile');
    });
    const store = await opening;
    expect(await store?.servicePause()).toMatchObject({ reason: 'meanwhile' });
    await store?.close();
  });

  it('pauses a service that has just reached its database server', async () => {
    const database = await createDatabase('empty');
    const elsewhere = { ...place(), databaseUrl: database.url };
    const pool = openPool({ connectionString: database.url }, silent);
    const service = openDatabase(pool);
    try {
      await sql`select 1`.execute(service);
      const pausing = control(elsewhere, (starting) => starting.pause('now'));
      await migrate(service);
      await pausing;
      expect(await control(elsewhere, (started) => started.resume())).toBe(true);
    } finally {
      await service.destroy();
      await database.drop();
    }
  });

  it.each(['Connection terminated unexpectedly', 'Client has encountered a connection error'])(
    'resumes a service whose server another command stops meanwhile: %s',
    async (words) => {
      const service = await openStore(place());
      let tries = 0;
      const resumed = control(reach(), async (found) => {
        tries += 1;
        if (tries === 1) throw new Error(words);
        return found.resume();
      });
      expect(await resumed).toBe(false);
      expect(tries).toBe(2);
      await service.close();
    },
  );

  it('is told whose process does not get ready', async () => {
    await prepareData(place().dataDir);
    const lock = lockDirectory(place().dataDir);
    const attempt = control({ ...reach(), patienceMs: 0 }, (service) => service.pause('now'));
    const owner = `(PID ${process.pid})`;
    await expect(attempt).rejects.toThrow(
      `Nothing was changed: another Issuewright process ${owner} uses the database, which is not ready.`,
    );
    lock.release();
  });

  (isRoot ? it : it.skip)(
    'is told whose service it is, and leaves its files as they are',
    async () => {
      const { dataDir } = place();
      await prepareData(dataDir);
      chownSync(join(dataDir, 'postgres'), NOBODY, NOBODY);
      const before = readdirSync(dataDir).toSorted();
      const attempt = control(reach(), (service) => service.pause('now'));
      await expect(attempt).rejects.toThrow(
        /belongs to user 65534, .* as user 0.* Run it as user 65534/,
      );
      expect(readdirSync(dataDir).toSorted()).toEqual(before);
    },
  );

  (whyNoOtherUser === '' ? it : it.skip)(
    'is told that the data directory is closed to this user',
    async () => {
      const { dataDir } = place();
      await prepareData(dataDir);
      const { status, stderr } = spawnSync(
        process.execPath,
        [resolve('bin/issuewright.js'), 'pause'],
        {
          cwd: '/',
          env: { DATA_DIR: dataDir },
          uid: NOBODY,
          gid: NOBODY,
          encoding: 'utf8',
        },
      );
      expect([status, stderr]).toEqual([
        1,
        expect.stringMatching(
          /Nothing was changed.*cannot be read.*\(EACCES\).*as the user who runs/,
        ),
      ]);
    },
  );

  it('is told that a data directory belongs to no service, and none is made', async () => {
    const attempt = control(reach(), (service) => service.pause('now'));
    await expect(attempt).rejects.toThrow(/Nothing was changed.*has no database.*DATA_DIR/);
    expect(existsSync(place().dataDir)).toBe(false);
  });

  it('is told that a database belongs to no service, and nothing is written to it', async () => {
    const database = await createDatabase('empty');
    try {
      const elsewhere = { ...place(), databaseUrl: database.url };
      for (let times = 0; times < 2; times += 1)
        await expect(control(elsewhere, (service) => service.pause('now'))).rejects.toThrow(
          /Nothing was changed.*no tables of Issuewright.*DATABASE_URL/,
        );
    } finally {
      await database.drop();
    }
  });

  it('is told that the database does not answer', async () => {
    const nowhere = { ...place(), databaseUrl: 'postgres://localhost:1/none' };
    await expect(control(nowhere, (service) => service.resume())).rejects.toThrow(
      /Cannot open the database at localhost:1: .*ECONNREFUSED.*Check DATABASE_URL/,
    );
  });

  it('is told that the database is read-only, or locked by another program', async () => {
    const database = await createDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });
    try {
      const url = new URL(database.url);
      url.searchParams.set('options', '-c default_transaction_read_only=on');
      const pauseAt = (databaseUrl: string, statementMs?: number): Promise<void> =>
        control(
          { ...place(), databaseUrl, ...(statementMs === undefined ? {} : { statementMs }) },
          (service) => service.pause('now'),
        );
      await expect(pauseAt(url.href)).rejects.toThrow(/is read-only \(25006\).*Check DATABASE_URL/);
      await pool.query('begin');
      await pool.query('lock table issuewright.service_pause in access exclusive mode');
      await expect(pauseAt(database.url, 100)).rejects.toThrow(/did not answer in time \(57014\)/);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});

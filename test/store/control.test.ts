import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { control } from '../../src/store/control.ts';
import { openStore } from '../../src/store/open.ts';
import { newSession, silent, temporaryDirectory } from '../contract/store-world.ts';
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
    const store = await openStore(place());
    expect(await store.servicePause()).toMatchObject({ reason: 'not yet' });
    await store.close();
  });

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
      /Cannot open the database/,
    );
  });
});

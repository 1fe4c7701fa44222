import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { control } from '../../src/store/control.ts';
import { openStore } from '../../src/store/open.ts';
import { newSession, silent, temporaryDirectory } from '../contract/store-world.ts';
import { prepareData } from '../support/prepared-data.ts';

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

  it('pauses a service before it starts', async () => {
    await control(reach(), (service) => service.pause('not yet'));
    const store = await openStore(place());
    expect(await store.servicePause()).toMatchObject({ reason: 'not yet' });
    await store.close();
  });

  it('is reported if there is no database', async () => {
    const nowhere = { ...place(), databaseUrl: 'postgres://localhost:1/none' };
    await expect(control(nowhere, (service) => service.resume())).rejects.toThrow(
      /Cannot open the database/,
    );
  });
});

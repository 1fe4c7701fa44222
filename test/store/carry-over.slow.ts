import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrateCommand } from '../../src/commands/operate.ts';
import { carryOver } from '../../src/store/carry-over.ts';
import { openStore } from '../../src/store/open.ts';
import type { StandingPublication } from '../../src/store/store.ts';
import {
  inputTaken,
  newRepository,
  newSession,
  silent,
  delivery,
} from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';
import { prepareData } from '../support/prepared-data.ts';
import { NO_TERMINAL } from '../support/no-terminal.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A version says nothing beyond its own database. */
const unversioned = (publications: readonly StandingPublication[]) =>
  publications.map(({ version: _version, ...rest }) => rest);

describe('the data of an embedded database', () => {
  let dataDir: string;
  let place: TestDatabase;
  beforeEach(async () => {
    dataDir = join(temporaryDirectory(), 'data');
    await prepareData(dataDir);
    place = await createDatabase('empty');
  });
  afterEach(() => place.drop());

  const openEmbedded = () => openStore({ dataDir, log: silent });
  const openServer = () => openStore({ databaseUrl: place.url, dataDir: '/unused', log: silent });
  const options = () => ({ dataDir, databaseUrl: place.url, log: silent });

  it('comes to a server as it is, and the work goes on there', async () => {
    const before = await openEmbedded();
    const arrives = newRepository();
    const arrival = arrives();
    const accepted = await before.accept(arrival, delivery('guid-1'));
    if (accepted.outcome !== 'accepted') throw new Error(accepted.outcome);
    const id = accepted.session;
    const content = new Uint8Array([0, 1, 2, 250, 251, 255]);
    const change = { path: 'src/ümlaut "q".bin', mode: '100644', content } as const;
    const image = {
      id: 'image-1',
      type: 'image/png',
      width: 1,
      height: 1,
      bytes: 6,
      content,
    } as const;
    await before.append(id, [inputTaken('Quote " back\\slash \u2028 😀')], {
      claim: await before.claim(id),
      changes: [change],
      images: [image],
    });
    await before.savePublication(
      id,
      { key: 'status', remoteId: 2 ** 40, url: 'u', digest: 'd' },
      undefined,
    );
    for (let more = 0; more < 150; more += 1) await newSession(before);
    const all = [
      await before.session(id),
      await before.journal(id),
      await before.changes(id, 0),
      unversioned(await before.publications(id)),
      await before.sessions({ limit: 1000 }),
    ];
    await before.close();

    const copied = await carryOver(options());
    expect(copied.get('sessions')).toBe(151);
    expect(copied.get('journal')).toBe(303);

    const after = await openServer();
    expect([
      await after.session(id),
      await after.journal(id),
      await after.changes(id, 0),
      unversioned(await after.publications(id)),
      await after.sessions({ limit: 1000 }),
    ]).toEqual(all);
    expect([...(await after.images(id, ['image-1'])).values()].map((one) => [...one])).toEqual([
      [...content],
    ]);
    expect(await after.accept(arrival, delivery('guid-1'))).toEqual({ outcome: 'duplicate' });
    const woken = Promise.withResolvers<string>();
    await after.queue.work('advance', { concurrency: 1 }, async (session) =>
      woken.resolve(session),
    );
    expect(await woken.promise).toMatch(/^[a-z0-9]{12}$/);
    await after.close();
    await expect(carryOver(options())).rejects.toThrow(/has sessions already/);
  });

  it('stays where it is while a service uses either database', async () => {
    const server = await openServer();
    await expect(carryOver(options())).rejects.toThrow(/A service uses the database/);
    await server.close();
    const embedded = await openEmbedded();
    await expect(carryOver(options())).rejects.toThrow(/another Issuewright process/i);
    await embedded.close();
  });

  it('is looked for where the operator says', async () => {
    const nowhere = { ...options(), dataDir: temporaryDirectory() };
    await expect(carryOver(nowhere)).rejects.toThrow(/DATA_DIR has no database/);
    const unknown = { ...options(), databaseUrl: 'postgresql://nobody@127.0.0.1:1/none' };
    await expect(carryOver(unknown)).rejects.toThrow(/^Cannot open the database at 127.0.0.1:1/);
  });
});

describe('issuewright migrate', () => {
  const run = async (environment: Record<string, string>) => {
    const printed: string[] = [];
    const code = await migrateCommand.run({
      arguments: [],
      options: { fromEmbedded: true, json: true },
      environment,
      startService: () => Promise.reject(new Error('it starts nothing')),
      print: (text) => void printed.push(text),
      terminal: NO_TERMINAL,
    });
    return { code, text: printed.join('\n') };
  };

  it('changes nothing without a DATABASE_URL', async () => {
    await expect(run({})).rejects.toThrow(/^Nothing was changed\. Set DATABASE_URL/);
  });

  it('tells scripts how much it has copied', async () => {
    const dataDir = join(temporaryDirectory(), 'data');
    await prepareData(dataDir);
    const place = await createDatabase('empty');
    try {
      const { code, text } = await run({ DATA_DIR: dataDir, DATABASE_URL: place.url });
      expect([code, JSON.parse(text)]).toEqual([
        0,
        { copied: expect.objectContaining({ sessions: 0, journal: 0 }) },
      ]);
    } finally {
      await place.drop();
    }
  });
});

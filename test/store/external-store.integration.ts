import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { newSession, until } from '../contract/store-world.ts';
import { newDatabase, open } from './url-database.ts';
import { startWorker } from './service-worker.ts';

describe('several processes on one database', () => {
  it('may all start at once on an empty one', async () => {
    const url = await newDatabase();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const [first, second] = stores;
    const id = await newSession(first!);
    expect(await second!.session(id)).toMatchObject({ id });
    for (const store of stores) await store.close();
  });

  it('hear of what another one accepted, and run its wake-ups', async () => {
    const url = await newDatabase();
    const [here, there] = [await open(url), await open(url)];
    const heard: string[] = [];
    const ran: string[] = [];
    there.onWake((session) => heard.push(session));
    await there.queue.work('advance', { concurrency: 1 }, async (session) => {
      ran.push(session);
    });
    const id = await newSession(here);
    await until('heard and run', () => heard.length > 0 && ran.length > 0);
    expect([heard, ran]).toEqual([[id], [id]]);
    await here.close();
    await there.close();
  });

  it('take over the running job of one that was killed', async () => {
    const url = await newDatabase();
    const worker = startWorker('url', url);
    const { woken } = await worker.line((line) => line.woken !== undefined);
    await worker.kill();
    const store = await open(url);
    const taken: string[] = [];
    await store.queue.work('advance', { concurrency: 4 }, async (session) => {
      taken.push(session);
    });
    // The signs of life are put back in time, in place of waiting the ten seconds.
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(
      `update issuewright.workers set since = since - interval '1 minute', alive_at = case
         when alive_at = (select min(alive_at) from issuewright.workers)
         then alive_at - interval '1 minute' else alive_at end`,
    );
    await client.end();
    await until('taken over', () => taken.includes(woken!));
    expect(taken.filter((session) => session === woken)).toHaveLength(1);
    await store.close();
  });

  it('are explained if the database cannot be reached or used', async () => {
    const opening = open('postgresql://nobody@127.0.0.1:1/none');
    await expect(opening).rejects.toThrow(
      /^Cannot open the database at 127.0.0.1:1: .*ECONNREFUSED/,
    );
  });
});

import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { ProblemNews } from '../../../src/contracts/service.ts';
import { ProblemWatch } from '../../../src/app/service/problem-watch.ts';
import { followClock } from '../../../src/lib/clock.ts';
import { measured } from '../../../src/lib/measurements.ts';
import { openStore, type OpenStore } from '../../../src/store/open.ts';
import { notifyAt } from '../../../src/telemetry/notify.ts';
import { delivery, newRepository, reply, sessionOf, silent } from '../../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

const BUDGETS = { run: undefined, issue: undefined, serviceDay: 10, personDay: 4 };

describe('problems', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  /** Of two processes. */
  let stores: readonly OpenStore[];
  let told: string[];

  const open = () => openStore({ databaseUrl: database.url, dataDir: '/unused', log: silent });

  beforeAll(async () => {
    database = await createDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    stores = [await open(), await open()];
  });
  afterAll(async () => {
    await Promise.all([...stores.map((store) => store.close()), pool.end()]);
    await database.drop();
  });
  beforeEach(async () => {
    told = [];
    await pool.query('delete from issuewright.problems');
    await pool.query('delete from issuewright.spending');
  });

  const tell = async ({ cause, subject, over }: ProblemNews): Promise<void> => {
    told.push(`${cause} ${subject} ${over === null ? 'begun' : 'over'}`);
    await Promise.resolve();
  };

  function watch(
    at = 0,
    notify: ((news: ProblemNews) => Promise<void>) | 'none' = tell,
    services = ['GitHub', 'openai', 'gemini', 'secret'],
  ) {
    const store = stores[at];
    if (store === undefined) throw new Error('there is no such process');
    const told = notify === 'none' ? undefined : notify;
    const one = new ProblemWatch({
      store,
      budgets: BUDGETS,
      services,
      notify: told,
      log: silent,
    });
    one.listen();
    return one;
  }

  const letPass = (minutes: number) =>
    pool.query(
      `update issuewright.problems set last_at = last_at - $1 * interval '1 minute', taken_until = '-infinity'`,
      [minutes],
    );

  it('that two processes see are told once, and once that they are over, also after a restart', async () => {
    const both = [watch(0), watch(1)];
    measured('credentials', { of: 'openai', answer: 'key_rejected' });
    await Promise.all(both.map((one) => one.look()));
    await Promise.all(both.map((one) => one.stop()));
    expect(told).toEqual(['key_rejected openai begun']);
    const next = watch(1);
    measured('credentials', { of: 'openai', answer: 'key_rejected' });
    await next.look();
    measured('credentials', { of: 'openai', answer: 'ok' });
    await next.look();
    expect(told).toHaveLength(1);
    await letPass(6);
    const third = watch(0);
    await Promise.all([next.look(), third.look()]);
    await next.look();
    expect(told).toEqual(['key_rejected openai begun', 'key_rejected openai over']);
    await Promise.all([next.stop(), third.stop()]);
  });

  it('that come and go within minutes are no news each time', async () => {
    const one = watch();
    for (let times = 0; times < 4; times += 1) {
      measured('credentials', { of: 'gemini', answer: 'quota_used_up' });
      await one.look();
      measured('credentials', { of: 'gemini', answer: 'ok' });
      await one.look();
      await letPass(3);
    }
    await one.stop();
    expect(told).toEqual(['quota_used_up gemini begun']);
  });

  it('are not over because another process was served before they began', async () => {
    const other = watch(1);
    measured('credentials', { of: 'openai', answer: 'ok' });
    await other.stop();
    const one = watch(0);
    measured('credentials', { of: 'openai', answer: 'key_rejected' });
    await one.look();
    await pool.query(`update issuewright.problems set last_at = last_at + interval '1 second'`);
    await other.look();
    await one.stop();
    expect(told).toEqual(['key_rejected openai begun']);
    expect(await stores[0]?.problems.open()).toHaveLength(1);
  });

  it('that were over before anyone looked are no news', async () => {
    const one = watch();
    const minutesAgo = (minutes: number) => followClock(async () => Date.now() - minutes * 60_000);
    await minutesAgo(10);
    measured('delivery', { outcome: 'failed' });
    await minutesAgo(9);
    measured('delivery', { outcome: 'accepted' });
    await minutesAgo(0);
    await one.look();
    await one.stop();
    expect(told).toEqual([]);
    expect(await stores[0]?.problems.open()).toEqual([]);
  });

  it('are over for whoever may have been told that they began', async () => {
    const dying = watch(0, async (news) => {
      await tell(news);
      throw new Error('the process died before it could note that');
    });
    measured('credentials', { of: 'openai', answer: 'key_rejected' });
    await dying.look();
    await dying.stop();
    const next = watch(1);
    measured('credentials', { of: 'openai', answer: 'ok' });
    await pool.query(`update issuewright.problems
      set last_at = last_at - interval '6 minutes', taken_until = now() - interval '1 minute'`);
    await next.look();
    await next.stop();
    expect(told).toEqual(['key_rejected openai begun', 'key_rejected openai over']);
  });

  it('that begin again while their end is told are other problems', async () => {
    const begun: Date[] = [];
    const problem = { cause: 'key_rejected', subject: 'openai', text: 'x' } as const;
    const one = watch(0, async (news) => {
      await tell(news);
      if (news.over === null) begun.push(news.since);
      else await stores[1]?.problems.seen([problem]);
    });
    measured('credentials', { of: 'openai', answer: 'key_rejected' });
    await one.look();
    measured('credentials', { of: 'openai', answer: 'ok' });
    await letPass(6);
    await one.look();
    await one.stop();
    expect(told.map((line) => line.split(' ').at(-1))).toEqual(['begun', 'over', 'begun']);
    expect(begun[1]).not.toEqual(begun[0]);
  });

  it('with services that are no longer configured are over after a restart', async () => {
    const before = watch(0);
    for (const service of ['openai', 'gemini', 'GitHub'])
      for (const answer of ['key_rejected', 'quota_used_up'] as const)
        measured('credentials', { of: service, answer });
    await before.look();
    await before.stop();
    told = [];
    const next = watch(1, tell, ['GitHub', 'openai']);
    await next.look();
    await next.stop();
    expect(told.toSorted()).toEqual(['key_rejected gemini over', 'quota_used_up gemini over']);
    expect(await stores[0]?.problems.open()).toHaveLength(4);
  });

  it('with budgets are over when a new day begins, or the limit is raised', async () => {
    const store = stores[0]!;
    const id = sessionOf(await store.accept(newRepository()(), delivery()));
    const spender = { person: { login: 'ada', id: 3 }, model: 'test:big' };
    await store.append(id, [reply(5)], { spender });
    const one = watch();
    await one.look();
    expect(told).toEqual(['budget_used_up BUDGET_PERSON_DAY ada begun']);
    await store.append(id, [reply(5)]);
    await one.look();
    expect(told.slice(1)).toEqual(['budget_used_up BUDGET_DAY begun']);
    expect((await store.problems.open()).map(({ text }) => text)).toContainEqual(
      expect.stringMatching(
        /^BUDGET_DAY is used up: \$10\.00 per day for the whole service\. Its sessions wait until .*, 00:00 UTC\.$/,
      ),
    );
    await pool.query(`update issuewright.spending set at = at - interval '1 day'`);
    await one.look();
    await one.stop();
    expect(told.slice(2).toSorted()).toEqual([
      'budget_used_up BUDGET_DAY over',
      'budget_used_up BUDGET_PERSON_DAY ada over',
    ]);
  });

  it('with deliveries and the queue are told too', async () => {
    const one = watch();
    const id = sessionOf(await stores[0]!.accept(newRepository()(), delivery()));
    await pool.query(
      `update issuewright.sessions set updated_at = now() - interval '20 minutes' where id = $1`,
      [id],
    );
    await pool.query(
      `update issuewright.session_queue set not_before = '-infinity' where session_id = $1`,
      [id],
    );
    measured('delivery', { outcome: 'failed' });
    await one.look();
    expect(told.toSorted()).toEqual([
      'deliveries_fail webhooks begun',
      'queue_stands advance begun',
    ]);
    await pool.query(`delete from issuewright.session_queue`);
    measured('delivery', { outcome: 'accepted' });
    await letPass(6);
    await one.look();
    await one.stop();
    expect(told.toSorted().filter((line) => line.endsWith('over'))).toEqual([
      'deliveries_fail webhooks over',
      'queue_stands advance over',
    ]);
  });

  it('are kept for the doctor where nobody is told, and go by themselves', async () => {
    const one = watch(0, 'none');
    measured('missed_events', { events: 2 });
    await one.look();
    expect(await stores[0]?.problems.open()).toMatchObject([
      { cause: 'deliveries_fail', isTold: false },
    ]);
    expect((await stores[0]?.figures())?.problems).toEqual({ deliveries_fail: 1 });
    measured('delivery', { outcome: 'accepted' });
    await letPass(6);
    await one.look();
    await one.stop();
    const { rows } = await pool.query('select from issuewright.problems');
    expect(rows).toEqual([]);
  });

  describe('at the address of the operator', () => {
    let servers: http.Server[];
    beforeEach(() => {
      servers = [];
    });

    async function serve(answer: http.RequestListener): Promise<string> {
      const server = http.createServer(answer).listen(0, '127.0.0.1');
      await once(server, 'listening');
      servers.push(server);
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=t`;
    }
    const closeServers = () =>
      Promise.all(
        servers.map(async (server) => {
          server.closeAllConnections();
          server.close();
          await once(server, 'close');
        }),
      );

    it('are a small JSON without secrets, which is sent again until it is taken', async () => {
      const bodies: unknown[] = [];
      let status = 503;
      const url = await serve((request, response) => {
        void json(request).then((body) => {
          bodies.push(body);
          response.writeHead(status).end('a long answer that nobody reads');
        });
      });
      const one = watch(
        0,
        notifyAt(url, (text) => text.replaceAll('secret', '[redacted]')),
      );
      measured('credentials', { of: 'secret', answer: 'key_rejected' });
      await one.look();
      expect((await stores[0]?.problems.open())?.[0]?.isTold).toBe(false);
      status = 204;
      await letPass(0);
      await one.look();
      await one.look();
      await one.stop();
      await closeServers();
      expect(bodies).toHaveLength(2);
      expect(bodies[1]).toEqual(bodies[0]);
      expect(bodies[0]).toEqual({
        id: expect.stringMatching(/^key_rejected \[redacted\] .*Z begun$/),
        event: 'begun',
        cause: 'key_rejected',
        subject: '[redacted]',
        text: expect.stringMatching(/^\[redacted\] rejected the key\./),
        since: expect.any(String),
      });
    });

    it('say why they cannot be sent, without the address', async () => {
      const url = await serve(() => undefined);
      await closeServers();
      const news = { cause: 'queue_stands', subject: 'advance', text: 'x', over: null } as const;
      const sending = notifyAt(url, (text) => text)({ ...news, since: new Date() });
      await expect(sending).rejects.toThrow(/fetch failed: ECONNREFUSED$/);
    });

    it('are sent nowhere else if that redirects', async () => {
      let elsewhere = 0;
      const other = await serve((_request, response) => {
        elsewhere += 1;
        response.end();
      });
      const url = await serve((_request, response) => {
        response.writeHead(307, { location: other }).end();
      });
      const news = { cause: 'queue_stands', subject: 'advance', text: 'x', since: new Date() };
      await expect(
        notifyAt(url, (text) => text)({ ...news, cause: 'queue_stands', over: null }),
      ).rejects.toThrow('it answered 307');
      await closeServers();
      expect(elsewhere).toBe(0);
    });
  });
});

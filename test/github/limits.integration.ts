// GitHub's limits for all requests of an installation: processes share them, and waits for them can be ended.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Repository } from '../../playground/github/state.ts';
import type { LocalGitHub } from '../../playground/index.ts';
import { pauseIn, requestLimiterIn } from '../../src/app/service/request-limiter.ts';
import { WaitEnded } from '../../src/github/errors.ts';
import { roomBy, type RequestLimiter } from '../../src/github/requests/write-room.ts';
import { TryLater } from '../../src/lib/errors.ts';
import type { Writer } from '../../src/lib/write-budget.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { silent } from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

const SECOND = 1_000;
/** Nothing else is done for it. */
const OTHER_INSTALLATION = 2;
const PERMISSION = /\/collaborators\/helper\/permission$/;

let opened: Awaited<ReturnType<typeof openLocalApp>>;
let local: LocalGitHub;
let repository: Repository;
let database: TestDatabase;
let store: OpenStore;
beforeAll(async () => {
  opened = await openLocalApp('maintainer', 'helper');
  local = opened.local;
  repository = await local.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n' },
    collaborators: { maintainer: 'maintain', helper: 'triage' },
  });
  database = await createDatabase();
  store = await openStore({ databaseUrl: database.url, dataDir: '/unused', log: silent });
});
afterAll(async () => {
  await store.close();
  await database.drop();
  await opened.close();
});

type Spend = RequestLimiter['spend'];
type LimiterIn = (store: OpenStore) => (installation: number, writer: Writer) => RequestLimiter;

/** A process that has heard nothing of GitHub yet. `spend`: what it is told of its points, in place of the database. */
function connect(spend?: (writer: Writer) => Spend, limiterIn: LimiterIn = requestLimiterIn) {
  const app = github({
    enterprise: { host: new URL(local.url).host, protocol: 'http' },
    requestLimiter: (installation, writer) => ({
      ...limiterIn(store)(installation, writer),
      ...(spend && { spend: spend(writer) }),
    }),
  });
  return (holder = 'run', signal?: AbortSignal) => {
    const writer: Writer = { holder, rank: 'work', patienceMs: () => 0, signal };
    const ref = { id: repository.id, owner: 'example', name: 'words' };
    return app.repository(1, ref, writer).permissionOf('helper');
  };
}

const asked = (): number => local.requests.filter(({ path }) => PERMISSION.test(path)).length;

const LIMITERS: [string, LimiterIn][] = [
  ['', requestLimiterIn],
  [' without other limits', pauseIn],
];

describe('a pause that GitHub asks one process for', () => {
  it.each(LIMITERS)(
    'keeps every process%s from reading until it is over',
    async (_limits, limiterIn) => {
      const start = () => connect(undefined, limiterIn);
      const [one, other] = [start(), start()];
      expect(await other()).toBe('triage');
      local.faults.failNext({
        method: 'GET',
        path: PERMISSION,
        status: 403,
        body: { message: 'You have exceeded a secondary rate limit.' },
        headers: { 'retry-after': '90' },
      });
      await expect(one()).rejects.toBeInstanceOf(TryLater);
      const before = asked();
      for (const process of [one, other, other, start()]) {
        const error = await process().catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(TryLater);
        expect((error as TryLater).retryAfterMs).toBeGreaterThan(80 * SECOND);
        expect((error as TryLater).retryAfterMs).toBeLessThanOrEqual(90 * SECOND);
      }
      expect(asked()).toBe(before);

      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('update issuewright.write_budget set paused_until = now()');
      await client.end();
      expect(await start()()).toBe('triage');
    },
  );

  it('is all that is shared where GitHub has no other limits', async () => {
    const limiter = pauseIn(store)(1, { holder: 'run', rank: 'live', patienceMs: () => 0 });
    for (let times = 0; times < 3; times += 1)
      expect(await limiter.spend(800)).toEqual({ waitMs: 0, pausedMs: 0 });
    expect(await limiter.reserve(1_000)).toBe(0);
    await limiter.pause(60 * SECOND);
    expect(await limiter.reserve(1)).toBeGreaterThan(50 * SECOND);
  });

  it.each(LIMITERS)('is what a run%s that has no room to write is told of', async (_limits, of) => {
    const limiter = of(store)(OTHER_INSTALLATION, {
      holder: 'run',
      rank: 'work',
      patienceMs: () => 0,
    });
    await limiter.pause(60 * SECOND);
    const room = roomBy(() => limiter).reserve(3);
    await expect(room).rejects.toBeInstanceOf(TryLater);
    await expect(room).rejects.toMatchObject({ message: "GitHub's rate limit still applies" });
  });
});

describe('a wait for another attempt', () => {
  it('ends when whoever waits is stopped, and says what had failed', async () => {
    const stop = new AbortController();
    const read = connect(() => () => Promise.resolve({ waitMs: 0, pausedMs: 0 }));
    const before = asked();
    local.faults.failNext({ method: 'GET', path: PERMISSION, status: 502 });
    const reading = read('run', stop.signal);
    await local.waitFor(() => local.requests.some(({ status }) => status === 502), {
      what: 'the failure',
    });
    stop.abort();
    await expect(reading).rejects.toBeInstanceOf(WaitEnded);
    await expect(reading).rejects.toMatchObject({
      message: expect.stringContaining('502'),
      cause: expect.any(TryLater),
    });
    expect(asked()).toBe(before + 1);
  });
});

describe('a wait for the limit of a minute', () => {
  const waits = (waitMs: number): Spend => {
    return () => Promise.resolve({ waitMs, pausedMs: 0 });
  };

  it('goes on in place until there are points', async () => {
    const answers = [5, 5, 0];
    const read = connect(() => async () => ({ waitMs: answers.shift() ?? 0, pausedMs: 0 }));
    expect(await read()).toBe('triage');
    expect(answers).toEqual([]);
  });

  it('fails at once with the time to retry if it would be long', async () => {
    const before = asked();
    const reading = connect(() => waits(90 * SECOND))();
    await expect(reading).rejects.toMatchObject({ retryAfterMs: 90 * SECOND });
    await expect(reading).rejects.toBeInstanceOf(TryLater);
    expect(asked()).toBe(before);
  });

  it('ends when whoever waits is stopped', async () => {
    const stop = new AbortController();
    const isAsked = Promise.withResolvers<void>();
    const read = connect(() => () => {
      isAsked.resolve();
      return waits(60 * SECOND)(1);
    });
    const reading = read('run', stop.signal);
    await isAsked.promise;
    stop.abort();
    await expect(reading).rejects.toBeInstanceOf(WaitEnded);
  });

  it('does not end for others who wait for the same answer', async () => {
    const stop = new AbortController();
    const isAsked = Promise.withResolvers<void>();
    const read = connect(({ holder }) => () => {
      if (holder !== 'stopped') return waits(0)(1);
      isAsked.resolve();
      return waits(60 * SECOND)(1);
    });
    const held = local.faults.hold({ method: 'GET', path: PERMISSION });
    const first = read('first');
    await held.applied;
    const stopped = read('stopped', stop.signal);
    const other = read('other');
    held.release();
    await isAsked.promise;
    stop.abort();
    await expect(stopped).rejects.toBeInstanceOf(WaitEnded);
    expect(await Promise.all([first, other])).toEqual(['triage', 'triage']);
  });
});

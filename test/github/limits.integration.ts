// GitHub's limits for all requests of an installation: processes share them, and waits for them can be ended.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Repository } from '../../packages/local-github/src/github/state.ts';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import { WaitEnded } from '../../src/github/errors.ts';
import { TryLater } from '../../src/lib/errors.ts';
import type { Writer } from '../../src/lib/write-budget.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { silent } from '../contract/store-world.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

const SECOND = 1_000;
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

/** A process that has heard nothing of GitHub yet. */
function connect() {
  const app = github({
    enterprise: { host: new URL(local.url).host, protocol: 'http' },
    limits: store,
  });
  return (signal?: AbortSignal) => {
    const writer: Writer = { rank: 'awaited', patienceMs: () => 0, signal };
    const ref = { id: repository.id, owner: 'example', name: 'words' };
    return app.repository(1, ref, writer).permissionOf('helper');
  };
}

const asked = (): number => local.requests.filter(({ path }) => PERMISSION.test(path)).length;

describe('a pause that GitHub asks one process for', () => {
  it('keeps every process from reading until it is over', async () => {
    const [one, other] = [connect(), connect()];
    expect(await other()).toBe('triage');
    local.faults.failNext({
      method: 'GET',
      path: PERMISSION,
      status: 403,
      body: { message: 'You have exceeded a secondary rate limit.' },
      headers: { 'retry-after': '90' },
    });
    const begun = Date.now();
    await expect(one()).rejects.toBeInstanceOf(TryLater);
    const before = asked();
    for (const process of [one, other, other, connect()]) {
      const error = await process().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(TryLater);
      expect(error).toHaveProperty('message', "GitHub's rate limit still applies");
      const { retryAfterMs } = error as TryLater;
      expect(Date.now() + retryAfterMs!).toBeGreaterThanOrEqual(begun + 90 * SECOND);
      expect(retryAfterMs).toBeLessThanOrEqual(90 * SECOND);
    }
    expect(asked()).toBe(before);

    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('update issuewright.write_budget set paused_until = now()');
    await client.end();
    expect(await connect()()).toBe('triage');
  });
});

describe('a wait for another attempt', () => {
  it('ends when whoever waits is stopped, and says what had failed', async () => {
    const stop = new AbortController();
    const read = connect();
    const before = asked();
    local.faults.failNext({ method: 'GET', path: PERMISSION, status: 502 });
    const reading = read(stop.signal);
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

// Deliveries that did not arrive, read from the local GitHub's list of them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import pg from 'pg';
import { pino } from 'pino';
import { missedOf, takeMissed } from '../../../src/app/receive/missed-events.ts';
import type { DeliveryAttempt } from '../../../src/contracts/delivery.ts';
import type { GitHub } from '../../../src/github/index.ts';
import { openStore, type OpenStore } from '../../../src/store/open.ts';
import { github } from '../../github/support.ts';
import { startPlayground, type Playground } from '../../../packages/local-github/test/support.ts';
import { createDatabase, type TestDatabase } from '../../support/test-database.ts';

const log = pino({ level: 'silent' });

let playground: Playground;
let app: GitHub;
let database: TestDatabase;
let store: OpenStore;
/** The texts of the comments that were received, and their deliveries. */
let received: { readonly id: string; readonly body: string }[] = [];
/** The next comment with this text cannot be received. */
let broken: string | undefined;

beforeAll(async () => {
  nock.restore();
  playground = await startPlayground();
  database = await createDatabase();
  store = await openStore({ databaseUrl: database.url, dataDir: '/unused', log });
  app = github({ enterprise: { host: new URL(playground.github.url).host, protocol: 'http' } });
  await app.start([
    {
      name: 'issue_comment.created',
      handle: async ({ id, payload }) => {
        const { body } = (payload as { comment: { body: string } }).comment;
        if (body === broken) throw new Error('the database is away');
        received.push({ id, body });
        return 'Accepted.';
      },
    },
  ]);
});
afterAll(async () => {
  await playground.close();
  await store.close();
  await database.drop();
});

beforeEach(async () => {
  playground.answerWith(202);
  await look();
  received = [];
  broken = undefined;
});

async function look(): Promise<number> {
  const { signal } = new AbortController();
  return (await takeMissed({ github: app, store, log }, signal)).events;
}
const bodies = () => received.map(({ body }) => body);

/** Comments, each answered with this status by a service that is not there. Resolves with their deliveries. */
async function say(status: number, ...texts: readonly string[]) {
  playground.answerWith(status);
  const { github: local } = playground;
  const before = local.deliveries.length;
  const repository = local.repository('example', 'words');
  const [issue = local.as('maintainer').openIssue(repository, { title: 'One' })] =
    repository.issues;
  for (const text of texts) local.as('maintainer').comment({ repository, number: 1 }, text);
  expect(issue.number).toBe(1);
  return local.waitFor(
    () => {
      const made = local.deliveries.slice(before).filter(({ event }) => event === 'issue_comment');
      return made.length === texts.length && made.every((one) => one.status === status) && made;
    },
    { what: 'the deliveries' },
  );
}

/** For the tries that were counted. */
async function letPass(seconds: number): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const statement = `update issuewright.missed_deliveries set tried_at = tried_at - $1 * interval '1 second'`;
  await client.query(statement, [seconds]);
  await client.end();
}

const READING = /\/hook\/deliveries\/\d+$/;
const readings = () => playground.github.requests.filter(({ path }) => READING.test(path)).length;

describe('deliveries that did not arrive', () => {
  it('are received in the order in which GitHub tried, under their own ids, and once', async () => {
    const [one] = await say(503, 'one', 'two', 'three', 'four', 'five', 'six');
    expect(await look()).toBe(6);
    expect(bodies()).toEqual(['one', 'two', 'three', 'four', 'five', 'six']);
    expect(received[0]?.id).toBe(one?.guid);
    expect(await look()).toBe(0);
    expect(received).toHaveLength(6);
  });

  it('are not those that arrived later, or that have no handler', async () => {
    await say(202, 'arrived');
    const [later] = await say(503, 'later');
    playground.answerWith(202);
    await playground.github.redeliver(later?.guid ?? '');
    playground.answerWith(503);
    const repository = playground.github.repository('example', 'words');
    playground.github.as('maintainer').label({ repository, number: 1 }, 'unused');
    const before = readings();
    expect(await look()).toBe(0);
    expect([received, readings()]).toEqual([[], before]);
  });

  it('continue where GitHub stopped answering, and come in order all the same', async () => {
    const sent = await say(503, 'a', 'b', 'c', 'd', 'e', 'f');
    const { faults } = playground.github;
    const path = new RegExp(`/hook/deliveries/${sent[4]?.id}$`);
    const mend = faults.failNext({ method: 'GET', path, status: 502, times: 40 });
    await expect(look()).rejects.toThrow(/GitHub/);
    expect(bodies()).toEqual(['a', 'b', 'c', 'd']);
    mend();
    await look();
    expect(bodies()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('stop at one that cannot be received, which is given up after three tries', async () => {
    await say(503, 'first', 'broken', 'last');
    broken = 'broken';
    for (let tries = 1; tries <= 3; tries += 1) {
      await expect(look()).rejects.toThrow(/could not be received/);
      expect(bodies()).toEqual(['first']);
      await letPass(31);
    }
    await look();
    expect(bodies()).toEqual(['first', 'last']);
  });

  it('are not given up within seconds, however many processes try', async () => {
    await say(503, 'broken');
    broken = 'broken';
    for (let tries = 1; tries <= 6; tries += 1) {
      await expect(look()).rejects.toThrow(/could not be received/);
      await letPass(4);
    }
    broken = undefined;
    await look();
    expect(bodies()).toEqual(['broken']);
  });

  it('that GitHub does not have any more are left out', async () => {
    const [gone] = await say(503, 'gone', 'there');
    const path = new RegExp(`/hook/deliveries/${gone?.id}$`);
    playground.github.faults.failNext({ method: 'GET', path, status: 404 });
    await look();
    expect(bodies()).toEqual(['there']);
    expect(await look()).toBe(0);
  });

  it('whose content GitHub does not show are delivered again, three times at most', async () => {
    const [hidden] = await say(503, 'hidden');
    const body = { id: hidden?.id, request: { headers: null, payload: null } };
    playground.github.faults.failNext({
      method: 'GET',
      path: READING,
      status: 200,
      body,
      times: 20,
    });
    const tries = () =>
      playground.github.deliveries.filter(({ guid }) => guid === hidden?.guid).length;
    await Promise.all([look(), look()]);
    expect(tries()).toBe(2);
    for (let looks = 1; looks <= 5; looks += 1) {
      await letPass(31);
      await look();
    }
    expect(tries()).toBe(4);
  });
});

describe('the attempts in the list', () => {
  const attempt = (id: string, at: number, isReceived = false): DeliveryAttempt => ({
    attempt: at,
    id,
    event: 'issues',
    name: 'issues.labeled',
    at: new Date(at * 1000).toISOString(),
    status: isReceived ? 202 : 0,
    isReceived,
  });

  it('count by the first one of each delivery, in the order of time', () => {
    const listed = [attempt('b', 9), attempt('a', 8), attempt('c', 7), attempt('b', 6)];
    expect(missedOf([...listed, attempt('a', 5)]).map(({ id, attempt: of }) => [id, of])).toEqual([
      ['a', 5],
      ['b', 6],
      ['c', 7],
    ]);
  });

  it('of which one arrived are of no delivery that was missed', () => {
    expect(missedOf([attempt('a', 3), attempt('a', 2, true), attempt('a', 1)])).toEqual([]);
  });
});

// What could not be delivered, for whoever waits for it.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { pino } from 'pino';
import { MissedEvents } from '../../../src/app/receive/missed-events.ts';
import { installationHandlers } from '../../../src/app/receive/installations.ts';
import { eventHandlers } from '../../../src/app/receive/receive.ts';
import { EVENTS } from '../../../src/events/index.ts';
import type { GitHub } from '../../../src/github/index.ts';
import { TryLater } from '../../../src/lib/errors.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { github } from '../../github/support.ts';
import { startPlayground, type Playground } from '../../playground/support.ts';
import { openTestStore } from '../../support/test-database.ts';

const LIST = /\/app\/hook\/deliveries(?:\?.*)?$/;

let playground: Playground;
let app: GitHub;
let store: OpenStore;
let leaving: AbortController;
let missed: MissedEvents;

beforeAll(async () => {
  nock.restore();
  playground = await startPlayground();
  store = await openTestStore();
  app = github({ enterprise: { host: new URL(playground.github.url).host, protocol: 'http' } });
  const serves = () => true;
  const slug = () => 'issuewright';
  const parts = { store, serves, allowedBots: [], assignee: undefined, slug };
  const installations = installationHandlers({ store, forget: (id) => app.forget(id) });
  await app.start([...eventHandlers(EVENTS, parts), ...installations]);
});
afterAll(async () => {
  await playground.close();
  await store.close();
});

beforeEach(async () => {
  leaving = new AbortController();
  missed = new MissedEvents({
    github: app,
    store,
    serves: () => true,
    assignee: undefined,
    leaving: leaving.signal,
    log: pino({ level: 'silent' }),
  });
  playground.answerWith(503);
});

const words = () => playground.github.repository('example', 'words');
const looks = () => playground.github.requests.filter(({ path }) => LIST.test(path)).length;
/** Someone labels an issue, and the service is not there. Resolves with the issue. */
async function label(): Promise<number> {
  const person = playground.github.as('maintainer');
  const { number } = person.openIssue(words(), { title: 'Greet', labels: ['issuewright'] });
  await playground.github.webhooksSent();
  return number;
}
const isKnown = async (issue: number): Promise<boolean> =>
  (await store.sessionFor(words().id, issue)) !== undefined;

describe('what people did before a time', () => {
  it('is received when that resolves, with one look for all who wait', async () => {
    const issue = await label();
    const before = looks();
    const now = new Date();
    await Promise.all([
      missed.receiveEventsBefore(now),
      missed.receiveEventsBefore(now),
      missed.receiveEventsBefore(now),
    ]);
    expect(await isKnown(issue)).toBe(true);
    expect(looks()).toBe(before + 1);
  });

  it('is looked for again only if it may be later than the last look', async () => {
    await missed.look(leaving.signal, false);
    const before = looks();
    await missed.receiveEventsBefore(new Date(Date.now() - 60_000));
    expect(looks()).toBe(before);
    const issue = await label();
    await missed.receiveEventsBefore(new Date());
    expect(await isKnown(issue)).toBe(true);
  });

  it('is not known while GitHub does not answer, and is looked for the next time', async () => {
    const issue = await label();
    const { faults } = playground.github;
    const mend = faults.failNext({ method: 'GET', path: LIST, status: 502, times: 40 });
    const now = new Date();
    await expect(missed.receiveEventsBefore(now)).rejects.toBeInstanceOf(TryLater);
    mend();
    await missed.receiveEventsBefore(now);
    expect(await isKnown(issue)).toBe(true);
  });

  it('is not waited for if GitHub denies the list', async () => {
    playground.github.faults.failNext({ method: 'GET', path: LIST, status: 404 });
    await expect(missed.receiveEventsBefore(new Date())).resolves.toBeUndefined();
  });

  it('is not waited for by a process that is stopping', async () => {
    const held = playground.github.faults.hold({ method: 'GET', path: LIST });
    const waiting = missed.receiveEventsBefore(new Date());
    await held.applied;
    leaving.abort();
    await expect(waiting).rejects.toBeInstanceOf(TryLater);
    held.release();
  });
});

describe('events during a suspension whose end was not delivered', () => {
  /** Resolves with an issue that was labelled meanwhile. */
  async function suspended(): Promise<number> {
    await missed.look(leaving.signal, true);
    const { installations } = playground.github;
    installations.suspend(1);
    const issue = await label();
    installations.unsuspend(1);
    await playground.github.webhooksSent();
    return issue;
  }
  const look = () => missed.look(leaving.signal, false);

  it('are looked for with the next look at failed deliveries', async () => {
    const issue = await suspended();
    await look();
    expect(await isKnown(issue)).toBe(true);
  });

  it('are looked for again if that failed', async () => {
    const issue = await suspended();
    const installations = /\/app\/installations$/;
    const mend = playground.github.faults.failNext({
      method: 'GET',
      path: installations,
      status: 502,
      times: 40,
    });
    await expect(look()).rejects.toBeInstanceOf(TryLater);
    expect(await isKnown(issue)).toBe(false);
    mend();
    await look();
    expect(await isKnown(issue)).toBe(true);
  });
});

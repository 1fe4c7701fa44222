// What could not be delivered, for whoever waits for it.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import nock from 'nock';
import { pino } from 'pino';
import { MissedEvents } from '../../../src/app/receive/missed-events.ts';
import { installationHandlers } from '../../../src/app/receive/installations.ts';
import { eventHandlers } from '../../../src/app/receive/receive.ts';
import { EVENTS } from '../../../src/events/index.ts';
import { WaitEnded } from '../../../src/github/errors.ts';
import type { GitHub } from '../../../src/github/index.ts';
import { TryLater } from '../../../src/lib/errors.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import { github } from '../../github/support.ts';
import { startPlayground, type Playground } from '../../../packages/local-github/test/support.ts';
import { openTestStore } from '../../support/test-database.ts';

const LIST = /\/app\/hook\/deliveries(?:\?.*)?$/;
const INSTALLATIONS = /\/app\/installations(?:\?.*)?$/;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let playground: Playground;
let app: GitHub;
let store: OpenStore;
let leaving: AbortController;
let missed: MissedEvents;
/** Milliseconds that passed for this process. */
let passed = 0;

beforeAll(async () => {
  const { now } = Date;
  const counted = performance.now.bind(performance);
  jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
  jest.spyOn(performance, 'now').mockImplementation(() => counted() + passed);
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
  jest.restoreAllMocks();
  await playground.close();
  await store.close();
});

const open = (parts: { readonly store: OpenStore }) =>
  new MissedEvents({
    github: app,
    serves: () => true,
    assignee: undefined,
    leaving: leaving.signal,
    log: pino({ level: 'silent' }),
    ...parts,
  });

beforeEach(() => {
  passed = 0;
  leaving = new AbortController();
  missed = open({ store });
  playground.answerWith(503);
});

const words = () => playground.github.repository('example', 'words');
const asked = (what: RegExp) =>
  playground.github.requests.filter(({ path }) => what.test(path)).length;
const looks = () => asked(LIST);
const comparisons = () => asked(INSTALLATIONS);
/** Someone labels an issue, and the service is not there. Resolves with the issue. */
async function label(): Promise<number> {
  const person = playground.github.as('maintainer');
  const { number } = person.openIssue(words(), { title: 'Greet', labels: ['issuewright'] });
  await playground.github.webhooksSent();
  return number;
}
/** What was done until now is received when that resolves. It begins a little later. */
function untilNow(signal = new AbortController().signal): Promise<void> {
  const now = new Date(Date.now());
  passed += 20 * SECOND;
  return missed.receiveEventsBefore(now, signal);
}
const failing = (path: RegExp) =>
  playground.github.faults.failNext({ method: 'GET', path, status: 502, times: 40 });
const isKnown = async (issue: number): Promise<boolean> =>
  (await store.sessionFor(words().id, issue)) !== undefined;

describe('what people did before a time', () => {
  it('is received when that resolves, with one look for all who wait', async () => {
    const issue = await label();
    const before = looks();
    const now = new Date(Date.now());
    passed += 20 * SECOND;
    const { signal } = leaving;
    await Promise.all([1, 2, 3].map(() => missed.receiveEventsBefore(now, signal)));
    expect(await isKnown(issue)).toBe(true);
    expect(looks()).toBe(before + 1);
  });

  it('is looked for again only if it may be later than the last look', async () => {
    await missed.look(leaving.signal, false);
    const before = looks();
    await missed.receiveEventsBefore(new Date(Date.now() - 60 * SECOND), leaving.signal);
    expect(looks()).toBe(before);
    const issue = await label();
    await untilNow();
    expect(await isKnown(issue)).toBe(true);
  });

  it('is not known while GitHub does not answer, and is looked for the next time', async () => {
    const issue = await label();
    const mend = failing(LIST);
    await expect(untilNow()).rejects.toBeInstanceOf(TryLater);
    mend();
    await untilNow();
    expect(await isKnown(issue)).toBe(true);
  });

  it('is not waited for if GitHub denies the list', async () => {
    playground.github.faults.failNext({ method: 'GET', path: LIST, status: 404 });
    await expect(untilNow()).resolves.toBeUndefined();
  });

  it('is not waited for by a process that is stopping', async () => {
    const held = playground.github.faults.hold({ method: 'GET', path: LIST });
    const waiting = untilNow();
    await held.applied;
    leaving.abort();
    await expect(waiting).rejects.toBeInstanceOf(TryLater);
    held.release();
    // The next look begins when the one that was held has ended.
    await missed.look(new AbortController().signal, false);
  });

  it('is not waited for by a session that is stopped', async () => {
    const stopped = new AbortController();
    const held = playground.github.faults.hold({ method: 'GET', path: LIST });
    const waiting = untilNow(stopped.signal);
    await held.applied;
    stopped.abort();
    await expect(waiting).rejects.toBeInstanceOf(WaitEnded);
    held.release();
    // The next look begins when the one that was held has ended.
    await missed.look(new AbortController().signal, false);
  });

  it('is not known while a delivery may be under way, and GitHub is not asked', async () => {
    const before = looks();
    const now = new Date(Date.now());
    passed += 10 * SECOND;
    await expect(missed.receiveEventsBefore(now, leaving.signal)).rejects.toBeInstanceOf(TryLater);
    expect(looks()).toBe(before);
    passed += 10 * SECOND;
    await missed.receiveEventsBefore(now, leaving.signal);
    expect(looks()).toBe(before + 1);
  });

  it('is not known from a look that began when a delivery may have been under way', async () => {
    await missed.look(leaving.signal, false);
    const before = looks();
    await missed.receiveEventsBefore(new Date(Date.now() - 16 * SECOND), leaving.signal);
    expect(looks()).toBe(before);
    const justBefore = new Date(Date.now() - 10 * SECOND);
    passed += 10 * SECOND;
    await missed.receiveEventsBefore(justBefore, leaving.signal);
    expect(looks()).toBe(before + 1);
  });

  it('is not known while GitHub was only asked to deliver some of it again', async () => {
    const issue = await label();
    const body = { id: 1, request: { headers: null, payload: null } };
    const path = /\/hook\/deliveries\/\d+$/;
    const { faults } = playground.github;
    const mend = faults.failNext({ method: 'GET', path, status: 200, body, times: 20 });
    await expect(untilNow()).rejects.toBeInstanceOf(TryLater);
    expect(await isKnown(issue)).toBe(false);
    mend();
    await untilNow();
    expect(await isKnown(issue)).toBe(true);
  });
});

describe('a comparison of the repositories', () => {
  beforeEach(() => missed.look(leaving.signal, true));

  it('that fails keeps nobody from what GitHub lists, and is not repeated for it', async () => {
    const mend = failing(INSTALLATIONS);
    await expect(missed.look(leaving.signal, true)).rejects.toBeInstanceOf(TryLater);
    const compared = comparisons();
    const issue = await label();
    await untilNow();
    expect(await isKnown(issue)).toBe(true);
    expect(comparisons()).toBe(compared);
    mend();
  });

  it('lets those who need only what GitHub lists pass', async () => {
    const held = playground.github.faults.hold({ method: 'GET', path: INSTALLATIONS });
    const looking = missed.look(leaving.signal, true);
    await held.applied;
    const issue = await label();
    await untilNow();
    expect(await isKnown(issue)).toBe(true);
    held.release();
    await looking;
  });

  it('comes first if the list does not reach back, but if it fails, the list is received', async () => {
    passed = 61 * HOUR;
    const mend = failing(INSTALLATIONS);
    const compared = comparisons();
    const issue = await label();
    await untilNow();
    expect(comparisons()).toBeGreaterThan(compared);
    expect(await isKnown(issue)).toBe(true);
    mend();
  });
});

describe('the first look', () => {
  it('receives what was missed', async () => {
    const issue = await label();
    await missed.first();
    expect(await isKnown(issue)).toBe(true);
  });

  it('does not keep the work from beginning, whatever fails', async () => {
    const away = () => Promise.reject(new Error('the database is away'));
    const failed = open({ store: { ...store, missed: { ...store.missed, watermark: away } } });
    await expect(failed.first()).resolves.toBeUndefined();
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

  it('is looked for by whoever needs to know what people did before', async () => {
    const issue = await suspended();
    await untilNow();
    expect(await isKnown(issue)).toBe(true);
  });

  it('is looked for again if that failed', async () => {
    const issue = await suspended();
    const mend = failing(INSTALLATIONS);
    await expect(look()).rejects.toBeInstanceOf(TryLater);
    expect(await isKnown(issue)).toBe(false);
    mend();
    await look();
    expect(await isKnown(issue)).toBe(true);
  });
});

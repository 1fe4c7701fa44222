// What no webhook told of, read from the local GitHub itself.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { pino } from 'pino';
import { eventHandlers } from '../../../src/app/receive/receive.ts';
import { reconcile } from '../../../src/app/receive/reconcile.ts';
import type { Intent } from '../../../src/contracts/intent.ts';
import { EVENTS } from '../../../src/events/index.ts';
import type { GitHub } from '../../../src/github/index.ts';
import type { OpenStore } from '../../../src/store/open.ts';
import type { Repository } from '../../../packages/local-github/src/github/state.ts';
import { github } from '../../github/support.ts';
import { startPlayground, type Playground } from '../../../packages/local-github/test/support.ts';
import { openTestStore } from '../../support/test-database.ts';

const LABEL = 'issuewright';
let playground: Playground;
let app: GitHub;
let store: OpenStore;
let repository: Repository;
let warnings: string[] = [];
let names = 0;

beforeAll(async () => {
  nock.restore();
  playground = await startPlayground();
  store = await openTestStore();
  app = github({ enterprise: { host: new URL(playground.github.url).host, protocol: 'http' } });
  const slug = () => 'issuewright';
  const parts = {
    store,
    serves: () => true,
    allowedBots: [],
    assignee: 'machine',
    slug,
  };
  await app.start(eventHandlers(EVENTS, parts));
});
afterAll(async () => {
  await playground.close();
  await store.close();
});

beforeEach(async () => {
  warnings = [];
  repository = await playground.github.createRepository({
    owner: 'example',
    name: `words-${(names += 1)}`,
    files: { 'README.md': '# Words\n' },
    collaborators: { maintainer: 'admin', helper: 'triage', machine: 'read' },
  });
  expect(await look()).toBe(0);
});

const log = pino({ level: 'warn' }, { write: (line) => warnings.push(line) });
const look = () =>
  reconcile(
    { github: app, store, serves: () => true, assignee: 'machine', log },
    new AbortController().signal,
  );

/** What GitHub answers about the repository while it is looked at. */
async function statusesOfLook(): Promise<readonly number[]> {
  const { requests } = playground.github;
  const from = requests.length;
  await look();
  const made = requests.slice(from).filter(({ path }) => path.includes(`/${repository.name}/`));
  return made.map(({ status }) => status);
}

const maintainer = () => playground.github.as('maintainer');
const thread = ({ number }: { number: number }) => ({ repository, number });
const openIssue = (title = 'Greet', body = '') =>
  maintainer().openIssue(repository, { title, body });

/** What each session of the repository was told, by the number of its issue. */
async function told(): Promise<Record<number, readonly string[]>> {
  const sessions = await store.sessions({ limit: 100 });
  const entries = await Promise.all(
    sessions
      .filter((one) => one.repository.id === repository.id)
      .map(async ({ id, issue }) => {
        const journal = await store.journal(id);
        const intents = journal.flatMap((one) => (one.type === 'received' ? [one.intent] : []));
        return [issue, intents.map(wordFor)] as const;
      }),
  );
  return Object.fromEntries(entries);
}

const wordFor = (intent: Intent): string =>
  intent.kind === 'comment'
    ? intent.body
    : intent.kind === 'review'
      ? `review ${intent.verdict}`
      : intent.kind;

/** What GitHub sent to the service, which was not there. */
const sent = () => playground.github.deliveries.filter((one) => one.repositoryId === repository.id);
const deliverAll = async () => {
  for (const { guid, event, payload } of sent()) await app.take({ id: guid, event, payload });
};
async function pullRequest(branch = 'b') {
  await maintainer().push(repository, { branch, files: { 'a.md': 'a\n' }, message: 'A' });
  return maintainer().openPull(repository, { title: 'A', body: '', head: branch, base: 'main' });
}

describe('what no webhook told of', () => {
  it('is received in the order in which people did it', async () => {
    const issue = openIssue();
    maintainer().comment(thread(issue), 'before the label');
    maintainer().label(thread(issue), LABEL);
    maintainer().comment(thread(issue), 'first');
    maintainer().comment(thread(issue), '/issuewright stop');
    await maintainer().close(thread(issue));
    await maintainer().reopen(thread(issue));
    maintainer().unlabel(thread(issue), LABEL);
    expect(await look()).toBeGreaterThanOrEqual(6);
    const words = (await told())[issue.number] ?? [];
    expect(words[0]).toBe('start');
    expect([...words].sort()).toEqual(
      expect.arrayContaining([
        'first',
        '/issuewright stop',
        'issue_closed',
        'issue_reopened',
        'unlabeled',
      ]),
    );
    expect(words.indexOf('first')).toBeLessThan(words.indexOf('/issuewright stop'));
    expect(words.indexOf('issue_closed')).toBeLessThan(words.indexOf('issue_reopened'));
  });

  it('includes who an issue was assigned to, if that account stands for the App', async () => {
    const [issue, other] = [openIssue(), openIssue()];
    maintainer().assign(thread(issue), 'machine');
    maintainer().unassign(thread(issue), 'machine');
    maintainer().assign(thread(other), 'helper');
    await look();
    await deliverAll();
    const words = await told();
    expect(words[issue.number]).toEqual(['start', 'unassigned']);
    expect(words[other.number]).toBeUndefined();
  });

  it('counts no assignment after which somebody without permission edited the issue', async () => {
    const issue = openIssue();
    maintainer().assign(thread(issue), 'machine');
    await playground.github.as('helper').change(thread(issue), { title: 'Something else' });
    await look();
    expect(await told()).toEqual({});
    expect(warnings.join()).toContain('the issue was edited after it');
  });

  it('is received once, also if its webhooks come later', async () => {
    const issue = openIssue();
    maintainer().label(thread(issue), LABEL);
    maintainer().comment(thread(issue), 'an answer');
    await look();
    const before = await told();
    expect(before[issue.number]).toEqual(['start', 'an answer']);
    expect(await look()).toBe(0);
    await deliverAll();
    expect(await told()).toEqual(before);
  });

  it('is nothing if all webhooks came', async () => {
    const issue = openIssue();
    maintainer().label(thread(issue), LABEL);
    maintainer().comment(thread(issue), 'an answer');
    await maintainer().close(thread(issue));
    await playground.github.waitFor(() => sent().length >= 4, { what: 'the deliveries' });
    await deliverAll();
    const before = await told();
    expect(await look()).toBe(0);
    expect(await told()).toEqual(before);
  });

  it('includes reviews, and that a pull request was closed or merged', async () => {
    const pull = await pullRequest();
    maintainer().comment(thread(pull), '@issuewright Look at this.');
    await look();
    await playground.github.as('helper').review(thread(pull), { event: 'APPROVE', body: 'Nice.' });
    await maintainer().merge(thread(pull));
    expect(await look()).toBe(2);
    expect((await told())[pull.number]).toEqual([
      '@issuewright Look at this.',
      'review approved',
      'pull_request_closed',
    ]);
    await deliverAll();
    // That it was opened asks for a review where the settings say so, and comes as a webhook only.
    expect((await told())[pull.number]?.toSorted()).toEqual(
      ['@issuewright Look at this.', 'review approved', 'pull_request_closed', 'start'].toSorted(),
    );
  });

  it('includes a label on a pull request, and a request to review one, though it has no session', async () => {
    const pulls = [await pullRequest('one'), await pullRequest('two'), await pullRequest('three')];
    const [labelled, requested, other] = pulls.map(thread);
    if (labelled === undefined || requested === undefined || other === undefined) throw new Error();
    maintainer().label(labelled, LABEL);
    maintainer().comment(labelled, 'about it');
    maintainer().requestReview(requested, 'machine');
    maintainer().withdrawReviewRequest(requested, 'machine');
    maintainer().label(other, 'bug');
    maintainer().requestReview(other, 'helper');
    expect(await look()).toBe(4);
    const found = await told();
    expect(found).toEqual({
      [labelled.number]: ['start', 'about it'],
      [requested.number]: ['start', 'unassigned'],
    });
    expect(warnings.filter((line) => line.includes(repository.name))).toEqual([]);
    maintainer().unlabel(labelled, LABEL);
    expect(await look()).toBe(1);
    expect((await told())[labelled.number]).toEqual(['start', 'about it', 'unlabeled']);
    expect(await look()).toBe(0);
  });

  it('includes no label on a pull request twice, if its webhook came or comes', async () => {
    const [before, after] = [await pullRequest('before'), await pullRequest('after')];
    maintainer().label(thread(before), LABEL);
    const isSent = () => sent().some(({ action }) => action === 'labeled');
    await playground.github.waitFor(isSent, { what: 'the delivery' });
    await deliverAll();
    expect(await look()).toBe(0);
    maintainer().label(thread(after), LABEL);
    expect(await look()).toBe(1);
    await playground.github.webhooksSent();
    await deliverAll();
    // Of each, that it was opened came as a webhook.
    const twice = ['start', 'start'];
    expect(await told()).toEqual({ [before.number]: twice, [after.number]: twice });
  });

  it('includes nothing of issues that nobody requested', async () => {
    const issue = openIssue();
    maintainer().comment(thread(issue), 'a remark');
    await maintainer().close(thread(issue));
    expect(await look()).toBe(0);
    expect(await told()).toEqual({});
  });

  it('includes no label under which a stranger wrote something else', async () => {
    const issue = playground.github.as('stranger').openIssue(repository, { title: 'A', body: 'a' });
    maintainer().label(thread(issue), LABEL);
    await playground.github.as('stranger').change(thread(issue), { body: 'Something else.' });
    expect(await look()).toBe(0);
    expect(await told()).toEqual({});
    expect(warnings.join()).toMatch(/the issue was edited after it/);
  });

  it('is looked for once if it happened in the second in which the repository was seen', async () => {
    await look();
    openIssue();
    await look();
    await look();
    const seen = await store.missed.watermark(`repository:${repository.id}`);
    expect(seen?.until.getMilliseconds()).toBe(0);
  });

  it('costs three requests at most if nothing happened', async () => {
    expect(await statusesOfLook()).toEqual([200]);
    openIssue();
    await look();
    expect(await statusesOfLook()).toEqual([200, 200, 200]);
  });

  it('is found after a suspension', async () => {
    playground.github.installations.suspend(1);
    const issue = openIssue();
    maintainer().label(thread(issue), LABEL);
    expect(await look()).toBe(0);
    playground.github.installations.unsuspend(1);
    expect(await look()).toBe(1);
    expect(await told()).toEqual({ [issue.number]: ['start'] });
  });

  it('is found when GitHub answers again', async () => {
    const issue = openIssue();
    maintainer().label(thread(issue), LABEL);
    const path = new RegExp(`/${repository.name}/issues/events$`);
    const mend = playground.github.faults.failNext({ method: 'GET', path, status: 502, times: 99 });
    await expect(look()).rejects.toThrow(/GitHub/);
    mend();
    expect(await look()).toBe(1);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhooks } from '@octokit/webhooks';
import webhookExamples from '@octokit/webhooks-examples' with { type: 'json' };
import type { Playground } from './support.ts';
import { SECRET, asApp, asInstallation, startPlayground } from './support.ts';

/** The package's types describe a namespace; what it exports is the list itself. */
const examples = webhookExamples as unknown as { name: string; examples: unknown[] }[];

const at = { owner: 'example', repo: 'words' };
let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground({
    events: [
      'issues',
      'issue_comment',
      'pull_request',
      'pull_request_review',
      'pull_request_review_comment',
      'pull_request_review_thread',
    ],
  });
});
afterAll(() => playground.close());
beforeEach(() => playground.answerWith(202));

const repository = () => playground.github.repository('example', 'words');
const maintainer = () => playground.github.as('maintainer');
const names = () =>
  playground.github.deliveries.map(({ event, action }) => `${event}.${action ?? ''}`);

/** Every event of the story, in its order. */
const STORY = [
  'issues.opened',
  'issues.labeled',
  'issue_comment.created',
  'issue_comment.edited',
  'issue_comment.deleted',
  'issues.unlabeled',
  'issues.edited',
  'issues.closed',
  'issues.reopened',
  'pull_request.opened',
  'issue_comment.created',
  'pull_request.labeled',
  'pull_request.ready_for_review',
  'pull_request.synchronize',
  'pull_request.edited',
  'pull_request_review.submitted',
  'pull_request_review_comment.created',
  'pull_request_review_thread.resolved',
  'pull_request.closed',
  'issues.closed',
];

async function tellTheStory(): Promise<void> {
  const person = maintainer();
  const issue = person.openIssue(repository(), { title: 'One', body: 'Text' });
  const thread = { repository: repository(), number: issue.number };
  person.label(thread, 'issuewright');
  const comment = person.comment(thread, 'First');
  person.editComment(repository(), comment.id, 'Second');
  person.deleteComment(repository(), comment.id);
  person.unlabel(thread, 'issuewright');
  await person.change(thread, { title: 'Another' });
  await person.close(thread);
  await person.reopen(thread);
  const push = (text: string) =>
    person.push(repository(), { branch: 'two', files: { two: text }, message: 'Two' });
  await push('2\n');
  const wanted = { title: 'Two', body: 'Closes #1', head: 'two', base: 'main', draft: true };
  const { number } = await person.openPull(repository(), wanted);
  const pull = { repository: repository(), number };
  person.comment(pull, 'On the pull request');
  person.label(pull, 'bug');
  person.setDraft(pull, false);
  await push('3\n');
  await person.change(pull, { title: 'Now in other words' });
  const comments = [{ path: 'two', line: 1, body: 'Why?' }];
  await person.review(pull, { event: 'COMMENT', body: 'So so', comments });
  person.resolve(repository(), repository().reviewComments[0]!.id);
  await person.merge(pull);
  await playground.github.waitFor(
    () =>
      playground.github.deliveries.length >= STORY.length &&
      playground.github.deliveries.every((one) => one.status === 202),
    { what: 'all deliveries' },
  );
}

describe('webhooks', () => {
  beforeAll(tellTheStory);

  it('come in the order of the events', () => {
    expect(names()).toEqual(STORY);
  });

  it('are signed over the very bytes', async () => {
    const verifier = new Webhooks({ secret: SECRET });
    for (const { text, signature } of playground.received)
      expect(await verifier.verify(text, signature)).toBe(true);
    const [first] = playground.received;
    expect(await verifier.verify(`${first?.text} `, first?.signature ?? '')).toBe(false);
  });

  it.each([...new Set(STORY)])('%s carries all that the examples of GitHub carry', (name) => {
    const [event, action] = name.split('.');
    const ours = playground.github.deliveries.filter(
      (one) => one.event === event && one.action === action,
    );
    const theirs = examples
      .filter((one) => one.name === event)
      .flatMap((one) => one.examples)
      .filter((one) => isObject(one) && one['action'] === action);
    expect(ours.length).toBeGreaterThan(0);
    // An event without an example is compared with the event's other actions.
    const judges = theirs.length > 0 ? theirs : exampleOf(event ?? '');
    expect(judges.length).toBeGreaterThan(0);
    for (const one of ours) expect(missing(one.payload, judges)).toEqual([]);
  });

  it('name the App when it acted itself', async () => {
    const client = asInstallation(playground.github);
    await client.rest.issues.createComment({ ...at, issue_number: 1, body: 'From the App' });
    const delivery = playground.github.deliveries.at(-1);
    expect(delivery?.payload).toMatchObject({
      sender: { login: 'issuewright[bot]', type: 'Bot' },
      comment: { performed_via_github_app: { slug: 'issuewright' } },
      installation: { id: 1 },
    });
  });

  it('are delivered again under the same GUID, or as by a second hook under another', async () => {
    const { github, received } = playground;
    const [first] = github.deliveries;
    const guid = first?.guid ?? '';
    const count = () => received.filter((one) => one.guid === guid).length;
    await github.redeliver(guid);
    expect(count()).toBe(2);
    await github.deliverAgainWithOtherGuid(guid);
    expect(count()).toBe(2);
    expect(received.at(-1)?.text).toBe(received[0]?.text);
  });

  it('that failed are listed to the App, which can ask for them again', async () => {
    const { github } = playground;
    playground.answerWith(503);
    maintainer().comment({ repository: repository(), number: 1 }, 'During the downtime');
    const failed = await github.waitFor(() => github.deliveries.find((one) => one.status === 503), {
      what: 'the failed delivery',
    });
    const client = asApp(github);
    const { data } = await client.rest.apps.listWebhookDeliveries();
    expect(data[0]).toMatchObject({ guid: failed.guid, status_code: 503, event: 'issue_comment' });
    playground.answerWith(202);
    await client.rest.apps.redeliverWebhookDelivery({ delivery_id: failed.id });
    const again = await github.waitFor(
      () => github.deliveries.find((one) => one.guid === failed.guid && one.status === 202),
      { what: 'the redelivery' },
    );
    expect(again.redelivery).toBe(true);
  });

  it('to no one are failed deliveries', async () => {
    const { github } = playground;
    github.setWebhookUrl('http://127.0.0.1:1/');
    maintainer().comment({ repository: repository(), number: 1 }, 'To nobody');
    const failed = await github.waitFor(() => github.deliveries.find((one) => one.status === 0), {
      what: 'the failure',
    });
    expect(failed.action).toBe('created');
  });
});

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function exampleOf(event: string): unknown[] {
  const all = examples.filter((one) => one.name === event).flatMap((one) => one.examples);
  return all.filter((one) => isObject(one) && one['action'] !== 'locked').slice(0, 1);
}

/** What GitHub no longer sends, or sends only of repositories in an organization's plan. */
const EXCUSED = /(^|\.)(installation|organization|changes|assignee|label|before|after|draft)$/;

/** Paths that every example has and ours has not, or has with another type. */
function missing(ours: unknown, examples: unknown[], where = ''): string[] {
  if (where !== '' && EXCUSED.test(where)) return [];
  const present = examples.filter((one) => one !== null);
  if (ours === null || present.length === 0) return [];
  if (present.every(Array.isArray)) {
    if (!Array.isArray(ours)) return [`${where} is no list`];
    const items = present.flat();
    return ours.flatMap((one, index) => missing(one, items, `${where}.${index}`));
  }
  if (!present.every(isObject)) {
    const types = new Set(present.map((one) => typeof one));
    return types.has(typeof ours) ? [] : [`${where} is a ${typeof ours}`];
  }
  if (!isObject(ours)) return [`${where} is no object`];
  const keys = Object.keys(present[0] ?? {}).filter((key) => present.every((one) => key in one));
  return keys.flatMap((key) => {
    const path = where === '' ? key : `${where}.${key}`;
    if (!(key in ours)) return EXCUSED.test(path) ? [] : [`${path} is missing`];
    return missing(
      ours[key],
      present.map((one) => one[key]),
      path,
    );
  });
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhooks } from '@octokit/webhooks';
import type { Playground } from './support.ts';
import { SECRET, asApp, asInstallation, startPlayground } from './support.ts';
import { missingFields } from './webhook-examples.ts';

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
  'issues.assigned',
  'issues.unassigned',
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
  person.assign(thread, 'maintainer');
  person.unassign(thread, 'maintainer');
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
    expect(ours.length).toBeGreaterThan(0);
    for (const one of ours) expect(missingFields(one)).toEqual([]);
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
    github.appOwner.webhookUrl = 'http://127.0.0.1:1/';
    maintainer().comment({ repository: repository(), number: 1 }, 'To nobody');
    const failed = await github.waitFor(() => github.deliveries.find((one) => one.status === 0), {
      what: 'the failure',
    });
    expect(failed.action).toBe('created');
  });
});

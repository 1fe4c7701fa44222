import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { Scene } from '../scene.ts';
import { call, say } from '../turns.ts';

const SCRIPTS: Script[] = [
  {
    match: 'Say nothing',
    turns: Array.from({ length: 9 }, () => ({ raw: '' })),
  },
  {
    match: 'Nothing to do',
    turns: [say(call('finish', { summary: 'It does that already.', outcome: 'nothing_to_do' }))],
  },
  {
    match: 'Write a file',
    turns: [
      say(call('write_file', { path: 'NOTES.md', content: 'Notes\n' })),
      // A second later than the label: two labels within one are the same to GitHub's payloads.
      { ...say(call('commit', { message: 'Add notes' })), delay_ms: 1100 },
      say(call('finish', { summary: 'Notes are there.', outcome: 'done' })),
    ],
  },
  {
    match: 'Take long',
    turns: [
      say(call('list_directory', { path: '.' })),
      say(call('write_file', { path: 'LONG.md', content: 'Long\n' })),
      say(call('finish', { summary: 'Done at last.', outcome: 'done' })),
    ],
  },
  {
    match: 'Commit words',
    turns: [
      say(call('write_file', { path: 'WORDS.md', content: 'Words\n' })),
      say(
        call('commit', {
          message: 'Add words\n\nFixes #1, for @someone <!-- issuewright:x:status -->',
        }),
      ),
      say(call('finish', { summary: 'Words are there.', outcome: 'done' })),
    ],
  },
  {
    match: 'Ask first',
    turns: [
      say(call('ask_question', { question: 'Which one?' })),
      say(call('finish', { summary: 'Thanks.', outcome: 'nothing_to_do' })),
    ],
  },
];

describe('failures', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await Scene.open({ ownDatabase: true, scripts: SCRIPTS });
  });
  afterAll(() => scene.closeReplayed());

  const texts = (issue: Issue): string =>
    scene
      .comments(issue)
      .map(({ body }) => body)
      .join('\n');
  const runs = (): number => scene.agentRequests.length;

  describe('from the model', () => {
    it('that says nothing: it is corrected three times, then the issue says so', async () => {
      const issue = scene.ask('Say nothing', '');
      await scene.untilStatus(issue, /failed/i);
      await scene.until('the outcome', () => scene.comments(issue).length === 2);
      expect(runs()).toBe(4);
      expect(texts(issue)).toMatch(/could not be read/);
      expect(texts(issue)).toMatch(/issuewright retry/);
      expect(scene.pulls()).toHaveLength(0);
    });

    it('that changes nothing: the issue says so, and there is no empty pull request', async () => {
      const issue = scene.ask('Nothing to do', '');
      await scene.untilStatus(issue, /nothing to change/i);
      await scene.untilSaid(issue, /It does that already\./);
      expect(await scene.branches()).toEqual([]);
      expect(scene.pulls()).toHaveLength(0);
    });
  });

  describe('from GitHub', () => {
    it('that denies the push: the issue says so, with GitHub’s reason; a label tries again', async () => {
      await scene.github.faults.rejectPush('GH006: Protected branch update failed');
      const issue = scene.ask('Write a file', '');
      await scene.untilStatus(issue, /failed/i);
      await scene.untilSaid(issue, /GH006: Protected branch update failed/);
      await scene.github.faults.rejectPush(undefined);
      scene.maintainer.unlabel(scene.thread(issue), SAMPLE.label);
      await scene.until('the label to be gone', () =>
        scene.github.deliveries.some(
          ({ action, status }) => action === 'unlabeled' && status === 202,
        ),
      );
      scene.maintainer.label(scene.thread(issue), SAMPLE.label);
      await scene.untilStatus(issue, /ready for review/i);
      const [branch = ''] = await scene.branches();
      expect(await scene.git('show', `${branch}:NOTES.md`)).toBe('Notes');
      await scene.maintainer.close({
        repository: scene.repository,
        number: scene.pulls()[0]?.number ?? 0,
      });
      await scene.untilStatus(issue, /stopped/i);
    });

    it('that closes the issue in the middle: the run stops and says so', async () => {
      const before = runs();
      const replies = scene.holdReplies('Take long', 1);
      const issue = scene.ask('Take long', '');
      await scene.untilAgentAsked(before + 2);
      await scene.maintainer.close(scene.thread(issue));
      await scene.untilStatus(issue, /stopped/i);
      replies.release();
      expect(runs()).toBe(before + 2);
    });
  });

  describe('from the repository', () => {
    const SETTINGS = '.github/issuewright.yml';
    const settings = (text: string) =>
      scene.maintainer.push(scene.repository, {
        branch: 'main',
        files: { [SETTINGS]: text },
        message: 'Change the settings',
      });

    it('whose settings cannot be read: the issue says why, once, and a label tries again', async () => {
      const before = runs();
      await settings('label: issuewright\nlimits: {turns: many}\n');
      const issue = scene.ask('Nothing to do', 'with settings');
      await scene.untilStatus(issue, /failed/i);
      await scene.untilSaid(issue, /issuewright\.yml.*turns/s);
      await settings('label: robot\nmodel: openai:other\n');
      scene.maintainer.label(scene.thread(issue), 'robot');
      await scene.untilSaid(issue, /openai:other/);
      await settings('label: robot\n');
      const next = scene.maintainer.openIssue(scene.repository, {
        title: 'Nothing to do',
        body: '',
      });
      scene.maintainer.label(scene.thread(next), 'robot');
      await scene.untilStatus(next, /nothing to change/i);
      expect(runs()).toBe(before + 1);
      await settings('label: issuewright\n');
    });
  });

  describe('in what was written', () => {
    it('a commit closes nothing, notifies no one and forges no marker', async () => {
      const issue = scene.ask('Commit words', '');
      await scene.untilStatus(issue, /ready for review/i);
      const message = await scene.git(
        'log',
        '-1',
        '--format=%B',
        `issuewright/issue-${issue.number}`,
      );
      expect(message).toContain('Add words');
      expect(message).not.toMatch(/fixes #\d|@someone|<!--/i);
    });

    it('a comment that is deleted before its 👀 keeps nothing else back', async () => {
      const issue = scene.ask('Ask first', 'deleted');
      await scene.untilStatus(issue, /waiting/i);
      const path = new RegExp(`/issues/comments/\\d+/reactions$`);
      scene.github.faults.failNext({
        method: 'POST',
        path,
        status: 404,
        body: { message: 'Not Found' },
        times: 99,
      });
      scene.maintainer.comment(scene.thread(issue), 'The first.');
      await scene.untilStatus(issue, /nothing to change/i);
    });
  });

  it('because the port is in use ends the second service with an explanation', async () => {
    // One that serves the same accounts would ask for the database of the first.
    const other = { DATA_DIR: `${scene.directory}/other`, ALLOWED_OWNERS: 'nobody' };
    const again = scene.stage.startService(other);
    await expect(again).rejects.toThrow(
      /is in use by \S+ \(PID \d+\).*ended with 1|ended with 1.*is in use/s,
    );
  });

  describe('from people', () => {
    it('without write access: one polite comment however often they label, and no run', async () => {
      const before = runs();
      const issue = scene.github
        .as('stranger')
        .openIssue(scene.repository, { title: 'Mine', body: '' });
      const triager = scene.github.as('triager');
      triager.label(scene.thread(issue), SAMPLE.label);
      await scene.until('the rejection', () => scene.comments(issue).length > 0);
      triager.unlabel(scene.thread(issue), SAMPLE.label);
      triager.label(scene.thread(issue), SAMPLE.label);
      // The rejection of the second label shows nowhere, so wait for the next issue.
      const next = scene.ask('Nothing to do', 'again');
      await scene.untilStatus(next, /nothing to change/i);
      expect(scene.comments(issue)).toHaveLength(1);
      expect(texts(issue)).toMatch(/^@triager/);
      expect(issue.reactions).toEqual([]);
      expect(runs()).toBe(before + 1);
    });

    it('who use another label: nothing happens', async () => {
      const issue = scene.maintainer.openIssue(scene.repository, {
        title: 'Nothing to do',
        body: '',
      });
      scene.maintainer.label(scene.thread(issue), 'bug');
      const next = scene.ask('Nothing to do', 'third');
      await scene.untilStatus(next, /nothing to change/i);
      expect(scene.comments(issue)).toEqual([]);
      expect(issue.reactions).toEqual([]);
    });

    it('without write access cannot answer for others', async () => {
      const issue = scene.ask('Ask first', '');
      await scene.untilStatus(issue, /waiting/i);
      scene.github.as('stranger').comment(scene.thread(issue), 'Take mine.');
      scene.maintainer.comment(scene.thread(issue), 'The second.');
      await scene.untilStatus(issue, /nothing to change/i);
      const sent = JSON.stringify(scene.agentRequests.at(-1));
      expect(sent).toContain('The second.');
      expect(sent).not.toContain('Take mine.');
    });
  });

  describe('from deliveries', () => {
    it('that come twice, under the same id or another: one session', async () => {
      const before = runs();
      const issue = scene.ask('Nothing to do', 'once');
      await scene.untilStatus(issue, /nothing to change/i);
      const { guid } = scene.github.deliveries.findLast(({ action }) => action === 'labeled')!;
      await scene.github.redeliver(guid);
      await scene.github.deliverAgainWithOtherGuid(guid);
      const next = scene.ask('Nothing to do', 'after');
      for (const each of [next, issue])
        await scene.until('the outcome', () => scene.comments(each).length === 2);
      expect(runs()).toBe(before + 2);
      expect(scene.comments(issue)).toHaveLength(2);
    });

    const payload = JSON.stringify({ action: 'labeled', zen: 'hello' });
    const broken = JSON.stringify({ action: 'labeled', installation: { id: 1 } });
    const sign = (body: string): string =>
      `sha256=${createHmac('sha256', scene.stage.webhookSecret).update(body).digest('hex')}`;
    const post = (body: string, headers: Record<string, string>) =>
      fetch(`${scene.stage.serviceUrl}/api/github/webhooks`, {
        method: 'POST',
        body,
        headers: {
          'content-type': 'application/json',
          'x-github-event': 'issues',
          'x-github-delivery': 'd-1',
          ...headers,
        },
      });

    it.each([
      [
        'with a wrong signature',
        401,
        () => post(payload, { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` }),
      ],
      ['with no signature', 400, () => post(payload, {})],
      ['that are no JSON', 400, () => post('{"a":', { 'x-hub-signature-256': sign('{"a":') })],
      [
        'of an unknown event',
        202,
        () => post(payload, { 'x-github-event': 'sparkle', 'x-hub-signature-256': sign(payload) }),
      ],
      [
        'that belong to no installation',
        202,
        () => post(payload, { 'x-hub-signature-256': sign(payload) }),
      ],
      [
        'of a payload that lacks what it must have',
        400,
        () => post(broken, { 'x-hub-signature-256': sign(broken) }),
      ],
    ])('%s are answered with %i, and the service lives on', async (_what, status, send) => {
      const answer = await send();
      expect(answer.status).toBe(status);
      expect(await answer.text()).not.toMatch(/undefined|TypeError|at .*\.ts/);
      expect((await fetch(`${scene.stage.serviceUrl}/readyz`)).status).toBe(200);
    });

    it('of an account that is not served make no row and no noise', async () => {
      const other = await scene.github.createRepository({
        owner: 'elsewhere',
        name: 'thing',
        files: { 'a.txt': 'a' },
        collaborators: { [SAMPLE.maintainer]: 'admin' },
        installationId: 9,
      });
      const issue = scene.maintainer.openIssue(other, { title: 'Nothing to do', body: '' });
      scene.maintainer.label({ repository: other, number: issue.number }, SAMPLE.label);
      const delivery = await scene.until('the delivery', () =>
        scene.github.deliveries.find(
          ({ repositoryId, action, status }) =>
            repositoryId === other.id && action === 'labeled' && status !== undefined,
        ),
      );
      expect(delivery.status).toBe(202);
      expect(other.comments).toEqual([]);
    });
  });

  it('SIGTERM in the middle: the service exits with 0, and continues where it was', async () => {
    const before = runs();
    const replies = scene.holdReplies('Take long', 1);
    const issue = scene.ask('Take long', 'to the end');
    await scene.untilAgentAsked(before + 2);
    expect(await scene.stop()).toBe(0);
    replies.release();
    await scene.start();
    await scene.untilStatus(issue, /ready for review/i);
    expect(await scene.git('show', `issuewright/issue-${issue.number}:LONG.md`)).toBe('Long');
    expect(scene.comments(issue)).toHaveLength(1);
  });
});

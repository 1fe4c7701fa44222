// What a comment asks for after its author edited it, as GitHub's own webhooks tell of it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventHandlers } from '../../../src/app/receive/receive.ts';
import { EVENTS } from '../../../src/events/index.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const ask = json(['ask_question', { question: 'Which?' }]);
const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const log = pino({ level: 'silent' });

let service: Service;
let delivered = 0;
beforeAll(async () => {
  service = await openService();
});
afterAll(() => service.close());

/** What GitHub has sent since, each several times under another id, as after a lost answer. */
async function deliver(times = 1): Promise<void> {
  const { github, store } = service;
  await github.webhooksSent();
  const handlers = eventHandlers(EVENTS, {
    store,
    serves: () => true,
    allowedBots: [],
    assignee: undefined,
    slug: () => 'issuewright',
  });
  const sent = github.deliveries.slice(delivered);
  delivered = github.deliveries.length;
  for (const { event, action, payload } of sent) {
    const name = action === null ? event : `${event}.${action}`;
    const handler = handlers.find((one) => one.name === name);
    for (let time = 0; time < times; time += 1)
      await handler?.handle({ id: randomUUID(), event, payload }, log);
  }
}

/** A session of which GitHub has told everything. */
async function labelled(title: string) {
  const issue = service.open(title, ['issuewright']);
  await deliver();
  const [row] = await service.store.sessions({ limit: 1 });
  const thread = { repository: service.repository, number: issue.number };
  return { ...service.sessionOf(issue, row?.id ?? ''), issue, thread };
}
/** The same, with an open question. */
async function asked(title: string) {
  const session = await labelled(title);
  service.model.says(ask);
  await session.advance();
  return session;
}
const edit = (login: string, id: number, body: string): void =>
  service.github.as(login).editComment(service.repository, id, body);
const stateOf = async ({ row }: { row: () => Promise<{ state: string } | undefined> }) =>
  (await row())?.state;
const reactionsOn = (id: number): (string | undefined)[] | undefined =>
  service.repository.comments.find((one) => one.id === id)?.reactions.map(({ content }) => content);

describe('an edit', () => {
  it('that corrects a command has it carried out once, however often GitHub tells of it', async () => {
    const session = await asked('Stop it');
    const { id } = service.github.as('maintainer').comment(session.thread, '/issuewright stpo');
    await deliver();
    await session.publish();
    expect([await stateOf(session), reactionsOn(id)]).toEqual(['waiting(answer)', ['confused']]);
    edit('maintainer', id, '/issuewright stop');
    await deliver(3);
    await session.advance();
    await session.publish();
    expect([await stateOf(session), reactionsOn(id)]).toEqual(['stopped', ['+1']]);
    const heard = entriesOf(await session.journal(), 'received');
    expect(heard.filter(({ intent }) => intent.kind === 'edited')).toHaveLength(1);
    await session.comment('maintainer', '@issuewright go on');
    service.model.says(ask);
    await session.advance();
    edit('maintainer', id, '/issuewright stop, please');
    await deliver();
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(answer)');
  });

  it('that names the App at last opens a session, and its comment counts once', async () => {
    const issue = service.open('Named at last');
    const thread = { repository: service.repository, number: issue.number };
    const { id } = service.github.as('maintainer').comment(thread, '@isuewright please do it');
    await deliver();
    const before = await service.store.sessions({ limit: 100 });
    edit('maintainer', id, '@issuewright please do it');
    await deliver();
    const [row, ...others] = await service.store.sessions({ limit: 100 });
    expect(others).toEqual(before);
    const session = service.sessionOf(issue, row?.id ?? '');
    service.model.says(finish);
    await session.advance();
    expect(await stateOf(session)).toBe('done');
    const [read] = entriesOf(await session.journal(), 'input_read');
    expect(read?.text.match(/please do it/g)).toHaveLength(1);
    expect(read?.text).toContain('# Comment by @maintainer, as they edited it');
    await session.publish();
    expect(reactionsOn(id)).toEqual(['eyes', '+1']);
    await session.happens('maintainer', {
      kind: 'comment',
      on: 'issue',
      commentId: id,
      body: '@issuewright please do it',
      addressed: true,
      thread: { title: 'Named at last', body: '', isOpen: true },
    });
    await session.advance();
    expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([{ reason: 'duplicate' }]);
  });

  it('changes nothing where something was asked before, or nothing is asked now', async () => {
    const session = await asked('Keep it');
    const maintainer = service.github.as('maintainer');
    const status = maintainer.comment(session.thread, '/issuewright status');
    const answer = maintainer.comment(session.thread, 'Not yet.');
    await deliver();
    await session.advance();
    edit('maintainer', status.id, '/issuewright stop');
    edit('maintainer', answer.id, 'Not today.');
    await deliver();
    const ran = entriesOf(await session.journal(), 'run_started').length;
    await session.publish();
    expect(entriesOf(await session.journal(), 'rejected').map(({ reason }) => reason)).toEqual([
      'outdated',
      'outdated',
    ]);
    expect(entriesOf(await session.journal(), 'run_started')).toHaveLength(ran);
  });

  it('by someone without write access is told so, and by someone else than the author ignored', async () => {
    const session = await asked('Ask for it');
    const { id } = service.github.as('stranger').comment(session.thread, '/issuewright stpo');
    await deliver();
    edit('stranger', id, '/issuewright stop');
    await deliver();
    edit('maintainer', id, '/issuewright pause');
    await deliver();
    await session.advance();
    await session.publish();
    expect(await stateOf(session)).toBe('waiting(answer)');
    const journal = await session.journal();
    expect(entriesOf(journal, 'rejected').map(({ reason }) => reason)).toEqual([
      'not_permitted',
      'not_permitted',
    ]);
    const edits = entriesOf(journal, 'received').filter(({ intent }) => intent.kind === 'edited');
    expect(edits.map(({ sender }) => sender.login)).toEqual(['stranger']);
  });

  it('of words in a review or on a line gives a command too', async () => {
    const { repository, github } = service;
    const session = await service.start('Review it');
    service.model.says(json(['write_file', { path: 'a.md', content: 'one\n' }]), finish);
    await session.advance();
    const pull = repository.issues.at(-1)?.number ?? 0;
    const thread = { repository, number: pull };
    const remark = await github
      .as('maintainer')
      .remark(thread, { path: 'a.md', line: 1, body: '/issuewright stauts' });
    await deliver();
    await session.advance();
    edit('maintainer', remark.id, '/issuewright status');
    await deliver();
    const review = { on: 'review', id: 99, pullRequest: pull } as const;
    const about = { title: 'x', body: '', isOpen: true };
    await session.happens('maintainer', {
      kind: 'edited',
      in: review,
      body: '/issuewright cost',
      at: '2030-01-01T00:00:00Z',
      addressed: true,
      on: 'pull_request',
      thread: about,
    });
    await session.advance();
    const verdicts = entriesOf(await session.journal(), 'admitted');
    expect(verdicts.map(({ ask: request }) => request?.for).slice(-3)).toEqual([
      'unclear',
      'status',
      'cost',
    ]);
    expect(verdicts.at(-1)?.asks).toEqual([{ in: review, for: 'cost', alone: true }]);
    await session.publish();
    const shown = repository.reviewComments.find(({ id }) => id === remark.id);
    expect(shown?.reactions.map(({ content }) => content)).toEqual(['+1']);
  });

  it('that asks for something on a line is read with that line, in place of the words before', async () => {
    const { repository, github } = service;
    const session = await labelled('Rename it');
    service.model.says(json(['write_file', { path: 'b.md', content: 'one\n' }]), finish);
    await session.advance();
    const thread = { repository, number: repository.issues.at(-1)?.number ?? 0 };
    const remark = await github
      .as('maintainer')
      .remark(thread, { path: 'b.md', line: 1, body: 'Rename this.' });
    await deliver();
    await session.advance();
    edit('maintainer', remark.id, '@issuewright rename this, please');
    await deliver();
    service.model.says(finish);
    await session.advance();
    const read = entriesOf(await session.journal(), 'input_read').at(-1)?.text;
    expect(read).toContain(
      '# Comment by @maintainer, as they edited it\n\n- Thread 1: b.md, line 1\n',
    );
    expect(read?.match(/Rename this|rename this/g)).toHaveLength(1);
    expect(read).not.toContain('# Review');
  });

  describe('that is heard before the review that it is in', () => {
    /** A session with a pull request, of whose next review GitHub cannot tell. */
    async function reviewed(title: string, path: string, body: string, line: string) {
      const { repository, github } = service;
      const session = await labelled(title);
      service.model.says(json(['write_file', { path, content: 'one\n' }]), finish);
      await session.advance();
      const pull = repository.issues.at(-1)?.number ?? 0;
      const { id } = await github
        .as('maintainer')
        .review(
          { repository, number: pull },
          { event: 'COMMENT', body, comments: [{ path, line: 1, body: line }] },
        );
      await github.webhooksSent();
      delivered = github.deliveries.length;
      const comment = repository.reviewComments.find((one) => one.reviewId === id)?.id ?? 0;
      const isHeard = async () => {
        const review = { kind: 'review', pullRequest: pull, reviewId: id, body: '' } as const;
        await session.happens('maintainer', review);
        await session.advance();
      };
      return { ...session, comment, review: { on: 'review', id, pullRequest: pull }, isHeard };
    }

    it('asks for it alone', async () => {
      const session = await reviewed('Say it once', 'c.md', '', '@issuewright rename thsi');
      edit('maintainer', session.comment, '@issuewright rename this');
      await deliver();
      service.model.says(finish);
      await session.advance();
      await session.isHeard();
      const journal = await session.journal();
      expect(entriesOf(journal, 'rejected').map(({ reason }) => reason)).toEqual(['duplicate']);
      expect(entriesOf(journal, 'run_started')).toHaveLength(2);
    });

    it('leaves the rest of the review to be read', async () => {
      const words = ['@issuewright rename it', 'Why is that here?'] as const;
      const session = await reviewed('Read the rest', 'd.md', ...words);
      const { review } = session;
      await session.happens('maintainer', {
        kind: 'edited',
        in: { on: 'review', id: review.id, pullRequest: review.pullRequest },
        body: '@issuewright rename it, please',
        at: '2030-01-01T00:00:00Z',
        addressed: true,
        on: 'pull_request',
        thread: { title: 'x', body: '', isOpen: true },
      });
      service.model.says(finish);
      await session.advance();
      await session.isHeard();
      const verdict = entriesOf(await session.journal(), 'admitted').at(-1);
      expect(verdict).toMatchObject({ lineComments: [{ body: 'Why is that here?' }] });
      for (const field of ['ask', 'asks', 'shown']) expect(verdict).not.toHaveProperty(field);
    });
  });
});

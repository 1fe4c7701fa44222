import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, SHELLS, type Service } from '../support.ts';

const HOUR = 3_600_000;
const plan = (...titles: string[]) =>
  json(['update_plan', { items: titles.map((title, index) => ({ id: String(index), title })) }]);
const write = json(['write_file', { path: 'new.md', content: 'New.\n' }]);
const finish = json(['finish', { summary: 'There is a new file.' }]);

describe('a plan that comes first', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({
      '.github/issuewright.yml': 'plan: ask\nanswers_from: author\n',
    });
  });
  afterAll(() => service.close());

  /** A session that shows its plan and waits. */
  async function proposed(title: string, ...before: string[]) {
    service.model.says(...before, plan('Write a file', 'Say so'));
    const session = await service.start(title);
    await session.advance();
    await session.publish();
    await session.publish();
    return session;
  }

  const stateOf = async ({ row }: Awaited<ReturnType<typeof proposed>>) => (await row())?.state;

  const textsOn = (number: number): readonly string[] =>
    service.repository.comments
      .filter(({ issueNumber }) => issueNumber === number)
      .map(({ body }) => body);

  const planOn = (number: number) => {
    const comment = service.repository.comments.findLast(
      ({ issueNumber, body }) => issueNumber === number && body.includes(':plan:'),
    );
    if (comment === undefined) throw new Error('no plan');
    return comment;
  };

  const issueOf = async ({ row }: Awaited<ReturnType<typeof proposed>>) =>
    (await row())?.issue ?? 0;

  it('is shown, and until then the run can look and ask, and changes nothing', async () => {
    const session = await proposed(
      'Look only',
      json(['read_file', { path: 'README.md' }]),
      write,
      json(['commit', { message: 'Commit' }]),
      json(['create_pull_request', { title: 'Pull', body: 'x' }]),
      json(['finish', { summary: 'Done.' }]),
    );
    const entries = await session.journal();
    const calls = entriesOf(entries, 'call_finished');
    expect(calls.map(({ ok }) => ok)).toEqual([true, false, false, false, false, true]);
    expect(calls[1]?.output).toMatch(/write_file was not run: the plan is not approved yet/);
    expect(calls.map(({ changedFiles: changed }) => changed).filter(Boolean)).toEqual([]);
    expect(entriesOf(entries, 'notice')[0]?.text).toContain('people approve the plan first');
    expect(await stateOf(session)).toBe('waiting(approval)');
    const texts = textsOn(await issueOf(session)).join('\n');
    expect(texts).toMatch(/@maintainer Here is my plan\.[^]*1\. Write a file\n2\. Say so/);
    expect(texts).toMatch(/📝 Waiting for approval\*\* · \[see the plan\]/);
  });

  it.each(['approve', '@issuewright LGTM 👍'])(
    'is carried out after %j, and later runs of the session need no other',
    async (words) => {
      const session = await proposed(`Agree with ${words}`);
      await session.comment('maintainer', words);
      service.model.says(write, finish);
      await session.advance();
      expect(await stateOf(session)).toBe('waiting(review)');
      expect(session.onBranch('new.md')).toBe('New.');
      await session.publish();
      const entries = await session.journal();
      expect(entriesOf(entries, 'input_read').at(-1)?.text).toContain(
        '# @maintainer approved your plan: carry it out',
      );
      expect(textsOn(await issueOf(session)).join('\n')).toContain('Plan approved by maintainer:');
      await session.comment('maintainer', '@issuewright another one, please');
      service.model.says(json(['write_file', { path: 'b.md', content: 'b\n' }]), finish);
      await session.advance();
      expect(session.onBranch('b.md')).toBe('b');
    },
  );

  it('is changed by anything else, and shown again', async () => {
    const session = await proposed('Change it');
    await session.comment('maintainer', 'ok but name it other.md');
    service.model.says(write, plan('Write other.md'));
    await session.advance();
    await session.publish();
    expect(await stateOf(session)).toBe('waiting(approval)');
    expect(entriesOf(await session.journal(), 'call_finished').map(({ ok }) => ok)).toEqual([
      true,
      false,
      true,
    ]);
    const texts = textsOn(await issueOf(session));
    expect(texts.filter((body) => body.includes('Here is my plan'))).toHaveLength(1);
    expect(texts.filter((body) => body.includes('Replaced by the plan below'))).toHaveLength(1);
    await session.comment('maintainer', 'go');
    service.model.says(write, finish);
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(review)');
  });

  it('cannot be approved by people without permission, with a comment or 👍', async () => {
    const session = await proposed('Strangers');
    const number = await issueOf(session);
    await session.comment('stranger', 'approved');
    service.github.as('stranger').react(planOn(number), '+1');
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(approval)');
    expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([
      { reason: 'not_permitted' },
      { reason: 'not_permitted' },
    ]);
  });

  it('can be changed, but not approved, by an author who may only answer', async () => {
    const { github, repository } = service;
    const issue = github.as('stranger').openIssue(repository, { title: 'Mine', body: '' });
    github.as('maintainer').label({ repository, number: issue.number }, 'issuewright');
    const start = { kind: 'start', label: 'issuewright', title: 'Mine', body: '' } as const;
    const id = await service.sessionOf(issue, '').happens('maintainer', start);
    const session = service.sessionOf(issue, id);
    service.model.says(plan('One'), plan('Two'));
    await session.advance();
    await session.comment('stranger', 'ok');
    await session.advance();
    expect(entriesOf(await session.journal(), 'run_started')).toHaveLength(1);
    await session.comment('stranger', 'Two is better.');
    await session.advance();
    expect(entriesOf(await session.journal(), 'run_started')).toHaveLength(2);
    expect(await stateOf(session)).toBe('waiting(approval)');
  });

  it('is approved with 👍, which is looked for at growing intervals, and found once', async () => {
    const session = await proposed('Thumbs');
    const number = await issueOf(session);
    const waits = async () => Number((await session.row())?.wakeAt ?? 0) - Date.now();
    await session.advance();
    expect(await waits()).toBeLessThan(10_000);
    service.letPass(5 * HOUR);
    await session.advance();
    expect(await waits()).toBeGreaterThan(HOUR / 3);
    service.github.as('maintainer').react(planOn(number), '+1');
    service.model.says(write, finish);
    await Promise.all([session.advance(), session.advance()]);
    await session.advance();
    const received = entriesOf(await session.journal(), 'received').map(({ intent }) => intent);
    expect(received.map(({ kind }) => kind)).toEqual(['start', 'thumbs_up']);
    expect(received.at(-1)).toMatchObject({ at: expect.stringMatching(/^\d{4}-.*Z$/) });
    expect(await stateOf(session)).toBe('waiting(review)');
  });

  it('may say without approval that there is nothing to do', async () => {
    service.model.says(json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]));
    const session = await service.start('Nothing');
    await session.advance();
    expect(await stateOf(session)).toBe('done');
  });

  it('waits behind a question, and is stopped like any work', async () => {
    service.model.says(json(['ask_question', { question: 'Which?' }]));
    const session = await service.start('Ask first');
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(answer)');
    await session.comment('maintainer', 'ok');
    service.model.says(plan('One'));
    await session.advance();
    expect(await stateOf(session)).toBe('waiting(approval)');
    await session.comment('maintainer', '/issuewright stop');
    await session.advance();
    expect(await stateOf(session)).toBe('stopped');
  });

  it('is not carried out if whoever approved it has lost the role since', async () => {
    const { collaborators } = service.repository;
    collaborators.set('writer', 'write');
    const session = await proposed('Agreed by one who left');
    await session.comment('writer', 'approve');
    await session.publish();
    collaborators.set('writer', 'read');
    service.letPass(HOUR);
    await session.advance();
    expect(await stateOf(session)).toBe('stopped');
    service.model.says(write, plan('Write a file', 'Say so'));
    await session.comment('maintainer', '@issuewright Go on with another file.');
    await session.advance();
    const calls = entriesOf(await session.journal(), 'call_finished');
    expect(calls.at(-2)?.output).toMatch(/write_file was not run: the plan is not approved yet/);
    expect(await stateOf(session)).toBe('waiting(approval)');
    await session.publish();
    await session.publish();
    await session.comment('maintainer', 'approve');
    service.model.says(write, finish);
    await session.advance();
    expect(session.onBranch('new.md')).toBe('New.');
  });

  it('stays approved by one who left after something was changed', async () => {
    const { collaborators } = service.repository;
    collaborators.set('writer', 'write');
    const session = await proposed('Left later');
    await session.comment('writer', 'approve');
    service.model.says(write, finish, write, finish);
    await session.advance();
    collaborators.set('writer', 'read');
    service.letPass(HOUR);
    await session.comment('maintainer', '@issuewright Once more.');
    await session.advance();
    expect(entriesOf(await session.journal(), 'approval_withdrawn')).toEqual([]);
    expect(await stateOf(session)).toBe('waiting(review)');
  });
});

describe('the label issuewright:plan', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService();
  });
  afterAll(() => service.close());

  it('asks for the plan of one issue', async () => {
    const issue = service.open('With a label', ['issuewright', 'issuewright:plan']);
    const start = { kind: 'start', label: 'issuewright', title: 'x', body: '' } as const;
    const id = await service.sessionOf(issue, '').happens('maintainer', start);
    const session = service.sessionOf(issue, id);
    service.model.says(plan('One'));
    await session.advance();
    expect((await session.row())?.state).toBe('waiting(approval)');
    const other = await service.start('Without');
    service.model.says(plan('One'), write, finish);
    await other.advance();
    expect((await other.row())?.state).toBe('waiting(review)');
  });
});

describe('a plan that comes first, where tests can run', () => {
  it('is made without a word of run_tests, which is told of once it is approved', async () => {
    const files = {
      '.github/issuewright.yml': 'plan: ask\n',
      'package.json': JSON.stringify({ scripts: { test: 'node --test' } }),
    };
    const service = await openService(files, { shells: SHELLS });
    try {
      service.model.says(plan('Write a file'));
      const session = await service.start('Plan it');
      await session.advance();
      const told = async () =>
        entriesOf(await session.journal(), 'notice').filter(({ text }) =>
          text.includes('run_tests'),
        );
      expect(await told()).toEqual([]);
      await session.publish();
      await session.comment('maintainer', 'go');
      service.model.says(write, finish);
      await session.advance();
      expect(await told()).toMatchObject([{ text: '(run_tests runs `npm test`.)' }]);
    } finally {
      await service.close();
    }
  });
});

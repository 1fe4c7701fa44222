import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { control } from '../../../src/store/control.ts';
import { json } from '../../agent/support.ts';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const ask = json(['ask_question', { question: 'Which?' }]);

const LIMITS = { turns: 20, minutes: 600, outputTokens: 1_000, runTokens: undefined };

let service: Service;
beforeEach(async () => {
  service = await openService({ '.github/issuewright.yml': 'continuous: true\n' });
});
afterEach(() => service.close());

type Started = Awaited<ReturnType<Service['start']>>;

/** Issues with the label that the service has not heard of, oldest first. */
const waiting = (...titles: string[]): Issue[] =>
  titles.map((title) => service.open(title, ['issuewright']));

async function finished(title: string): Promise<Started> {
  service.model.says(finish);
  const session = await service.start(title);
  await session.advance();
  return session;
}

const taken = async ({ journal }: Started) =>
  entriesOf(await journal(), 'next_issue_started').map(({ issue }) => issue);

const sessionOn = async (issue: Issue) => {
  const rows = await service.store.sessions({ limit: 50 });
  const row = rows.find((one) => one.issue === issue.number);
  return row && service.sessionOf(issue, row.id);
};

const statusOn = ({ number }: Issue): string =>
  service.repository.comments.find(
    ({ issueNumber, body }) => issueNumber === number && body.includes(':status -->'),
  )?.body ?? '';

describe('after a session is finished', () => {
  it('the oldest open issue with the label is taken, in the name of who put that on it', async () => {
    const [first, second] = waiting('First', 'Second') as [Issue, Issue];
    const session = await finished('Begin');
    expect(await taken(session)).toEqual([first.number]);
    const next = await sessionOn(first);
    service.model.says(finish);
    await next?.advance();
    await next?.publish();
    const entries = (await next?.journal()) ?? [];
    expect(entriesOf(entries, 'received')[0]).toMatchObject({
      sender: { login: 'maintainer' },
      intent: { kind: 'start', title: 'First', label: 'issuewright' },
    });
    expect(statusOn(first)).toMatch(/Started after #3 \(`continuous: true`\)\./);
    expect(await sessionOn(second)).toBeDefined();
    expect((await next?.row())?.state).toBe('done');
    const [start] = entriesOf(entries, 'received');
    if (start?.intent.kind !== 'start') throw new Error('no start');
    const { afterIssue: _after, ...late } = start.intent;
    await next?.happens('maintainer', late);
    await next?.advance();
    const rejected = entriesOf((await next?.journal()) ?? [], 'rejected');
    expect(rejected).toMatchObject([{ reason: 'duplicate' }]);
  });

  it('the next one works in a clone of what the repository has become', async () => {
    const [issue] = waiting('Later') as [Issue];
    await finished('Begin');
    await service.github.as('maintainer').push(service.repository, {
      branch: 'main',
      files: { 'LATER.md': 'Merged meanwhile.\n' },
      message: 'Merge the work before',
    });
    service.model.says(json(['read_file', { path: 'LATER.md' }]), finish);
    const next = await sessionOn(issue);
    await next?.advance();
    const [read] = entriesOf((await next?.journal()) ?? [], 'call_finished');
    expect(read).toMatchObject({ ok: true, output: '1\tMerged meanwhile.' });
  });

  it('one is taken, however many look for it', async () => {
    const issues = waiting('One', 'Two', 'Three');
    service.model.says(finish);
    const session = await service.start('Begin');
    await Promise.all([session.advance(), session.advance(), session.advance()]);
    await session.advance();
    const sessions = await Promise.all(issues.map(sessionOn));
    expect(sessions.map((one) => one !== undefined)).toEqual([true, false, false]);
  });

  it('one is started even if a process presumed dead comes back late', async () => {
    const issues = waiting('One', 'Two');
    const hold = service.github.faults.hold({ method: 'GET', path: /\/issues$/ });
    service.model.says(finish);
    const session = await service.start('Begin');
    const late = session.advance();
    await hold.applied;
    await session.advance();
    hold.release();
    await late;
    const sessions = await Promise.all(issues.map(sessionOn));
    expect(sessions.map((one) => one !== undefined)).toEqual([true, false]);
    expect(await taken(session)).toEqual([issues[0]?.number]);
  });

  it('two that are finished together take two', async () => {
    const issues = waiting('One', 'Two', 'Three');
    service.model.says(finish, finish);
    const both = [await service.start('Begin'), await service.start('Begin too')];
    await Promise.all(both.map((session) => session.advance()));
    const sessions = await Promise.all(issues.map(sessionOn));
    expect(sessions.map((one) => one !== undefined)).toEqual([true, true, false]);
  });

  it('none is started while a question is open in the repository, or after a failure', async () => {
    const [issue] = waiting('Waits') as [Issue];
    service.model.says(ask);
    const asking = await service.start('Ask');
    await asking.advance();
    expect(await taken(await finished('Begin'))).toEqual([null]);
    service.model.says(json(['finish', { summary: 'No.', outcome: 'cannot' }]));
    const other = await service.start('Cannot');
    await other.advance();
    expect(await taken(other)).toEqual([]);
    expect(await sessionOn(issue)).toBeUndefined();
    await asking.comment('maintainer', 'The first.');
    service.model.says(finish);
    await asking.advance();
    expect(await sessionOn(issue)).toBeDefined();
  });

  it('issues are skipped that no one with permission labelled, or that others edited after that', async () => {
    const { github, repository } = service;
    repository.collaborators.set('writer', 'triage');
    const [edited, renamed, closed, good] = waiting('Edited', 'Renamed', 'Closed', 'Good') as [
      Issue,
      Issue,
      Issue,
      Issue,
    ];
    const mine = github.as('stranger').openIssue(repository, { title: 'Mine', body: 'Fine.' });
    github.as('writer').label({ repository, number: mine.number }, 'issuewright');
    const on = ({ number }: Issue) => ({ repository, number });
    await github.as('stranger').change(on(edited), { body: 'Do something else.' });
    await github.as('stranger').change(on(renamed), { title: 'Something else' });
    await github.as('maintainer').close(on(closed));
    expect(await taken(await finished('Begin'))).toEqual([good.number]);
    for (const issue of [edited, renamed, closed, mine])
      expect(await sessionOn(issue)).toBeUndefined();
  });

  it('starts nothing if there is no next issue, and a denial by GitHub is not a failure', async () => {
    expect(await taken(await finished('Alone'))).toEqual([null]);
    waiting('Denied');
    service.github.faults.failNext({ method: 'GET', path: /\/issues$/, status: 403 });
    const session = await finished('Begin');
    expect(await taken(session)).toEqual([null]);
    expect((await session.row())?.state).toBe('done');
    const body = { data: null, errors: [{ message: 'Something went wrong.' }] };
    service.github.faults.failNext({
      method: 'POST',
      path: /graphql$/,
      status: 200,
      body,
      times: 2,
    });
    expect(await taken(await finished('Begin again'))).toEqual([null]);
  });

  it('what is taken waits while the service is paused, and keeps to the budget of the repository', async () => {
    const [issue, other] = waiting('Paused', 'Too dear') as [Issue, Issue];
    const { connection } = service;
    service.model.says(finish);
    const session = await service.start('Begin');
    await session.advance();
    await control(connection, (one) => one.pause('Maintenance'));
    const next = await sessionOn(issue);
    await next?.advance();
    expect((await next?.row())?.state).toBe('waiting(pause)');
    await control(connection, (one) => one.resume());
    service.model.says(finish);
    await next?.advance();
    const dear = await sessionOn(other);
    const asked = service.model.requests.length;
    const dollars = { run: undefined, issue: undefined, repositoryDay: 0 };
    await dear?.advance({ limits: { ...LIMITS, dollars } });
    expect((await dear?.row())?.state).toMatch(/^(?:failed|working)$/);
    expect(service.model.requests).toHaveLength(asked);
  });
});

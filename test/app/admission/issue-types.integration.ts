// Issue types that start work, by the setting `on`. Whoever sets one needs the role that a label takes.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Issue } from '../../../packages/local-github/src/github/state.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);

let service: Service;
beforeAll(async () => {
  service = await openService({ '.github/issuewright.yml': 'on: [type:bug, type:Task]\n' });
});
afterAll(() => service.close());

const typed = (title: string, type: string): Issue => {
  const issue = service.open(title);
  const { repository } = service;
  service.github.as('maintainer').setType({ repository, number: issue.number }, type);
  return issue;
};

/** The session of an issue whose type someone set. */
async function told(issue: Issue, login: string, type: string, more: object = {}) {
  const start = { kind: 'start', label: '', title: issue.title, body: '', ...more } as const;
  const id = await service.sessionOf(issue, '').happens(login, { ...start, type });
  const session = service.sessionOf(issue, id);
  await session.publish();
  return session;
}

const commentsOn = ({ number }: Issue): number =>
  service.repository.comments.filter(({ issueNumber }) => issueNumber === number).length;

it('starts work for a type that the settings name, and stops when it is taken away', async () => {
  const issue = typed('First', 'Bug');
  const session = await told(issue, 'maintainer', 'Bug', { atOpening: true });
  // GitHub tells of the type of a new issue in two events.
  await told(issue, 'maintainer', 'Bug', { atOpening: true });
  const verdicts = (await session.journal()).flatMap((entry) =>
    entry.type === 'rejected' ? entry.reason : entry.type === 'admitted' ? 'admitted' : [],
  );
  expect(verdicts).toEqual(['admitted', 'duplicate']);
  const { repository } = service;
  service.github.as('maintainer').setType({ repository, number: issue.number }, null);
  await session.happens('maintainer', { kind: 'untyped', type: 'Task' });
  await session.happens('maintainer', { kind: 'untyped', type: 'Bug' });
  await session.publish();
  expect(entriesOf(await session.journal(), 'rejected').at(-1)).toMatchObject({
    reason: 'other_type',
  });
  await session.advance();
  expect((await session.row())?.state).toBe('stopped');
});

it('starts work in any case of its name, and not for another type', async () => {
  service.model.says(finish);
  const session = await told(typed('Second', 'Task'), 'maintainer', 'TASK');
  await session.advance();
  expect((await session.row())?.state).toBe('done');
  const other = await told(typed('Third', 'Feature'), 'maintainer', 'Feature');
  expect(entriesOf(await other.journal(), 'rejected')).toMatchObject([{ reason: 'other_type' }]);
  await other.advance();
  expect((await other.row())?.state).toBe('ignored');
});

it('starts nothing for a type that is gone by the time it is judged', async () => {
  const session = await told(service.open('Fourth'), 'maintainer', 'Bug');
  expect(entriesOf(await session.journal(), 'rejected')).toMatchObject([{ reason: 'outdated' }]);
});

it('starts nothing for a stranger whose form gave the issue its type, and says nothing to them', async () => {
  const issue = typed('Fifth', 'Bug');
  const session = await told(issue, 'stranger', 'Bug', { atOpening: true });
  const [rejected] = entriesOf(await session.journal(), 'rejected');
  expect(rejected).toMatchObject({ reason: 'not_permitted' });
  expect(rejected).not.toHaveProperty('notify');
  expect(rejected).not.toHaveProperty('attempt');
  await session.advance();
  expect((await session.row())?.state).toBe('ignored');
  expect(commentsOn(issue)).toBe(0);
});

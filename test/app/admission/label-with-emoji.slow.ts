// A label whose emoji the settings write in another way than GitHub.
import { afterEach, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const finish = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);

let service: Service;
afterEach(() => service.close());

describe.each([
  [':robot: agent', '🤖 agent'],
  ['🤖 agent', ':robot: agent'],
  ['Agent', 'agent'],
])('with the setting "%s", the label "%s" on GitHub', (setting, label) => {
  it('starts work, goes on with the next issue, and stops when it is removed', async () => {
    const settings = `label: ${JSON.stringify(setting)}\ncontinuous: true\n`;
    service = await openService({ '.github/issuewright.yml': settings });
    const [first, next] = [service.open('First', [label]), service.open('Next', [label])];
    const start = { kind: 'start', label, title: 'First', body: '' } as const;
    const opened = service.sessionOf(first, '');
    const session = service.sessionOf(first, await opened.happens('maintainer', start));
    service.model.says(finish);
    await session.advance();
    const taken = entriesOf(await session.journal(), 'next_issue_started');
    expect(taken.map(({ issue }) => issue)).toEqual([next.number]);

    const rows = await service.store.sessions({ limit: 50 });
    const row = rows.find(({ issue }) => issue === next.number);
    const second = service.sessionOf(next, row?.id ?? '');
    await second.publish();
    const { repository } = service;
    service.github.as('maintainer').unlabel({ repository, number: next.number }, label);
    await second.happens('maintainer', { kind: 'unlabeled', label });
    await second.publish();
    expect(entriesOf(await second.journal(), 'rejected')).toEqual([]);
    await second.advance();
    expect((await second.row())?.state).toBe('stopped');
  });
});

describe('a label that only looks similar', () => {
  it('starts nothing', async () => {
    service = await openService({ '.github/issuewright.yml': 'label: ":robot: agent"\n' });
    const issue = service.open('First', ['robot agent']);
    const start = { kind: 'start', label: 'robot agent', title: 'First', body: '' } as const;
    const id = await service.sessionOf(issue, '').happens('maintainer', start);
    const session = service.sessionOf(issue, id);
    await session.publish();
    const rejected = entriesOf(await session.journal(), 'rejected');
    expect(rejected).toMatchObject([{ reason: 'other_label' }]);
  });
});

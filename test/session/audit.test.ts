import { describe, expect, it } from '@jest/globals';
import { deedsIn } from '../../src/session/audit.ts';
import { Journal } from '../support/journal.ts';

const ADA = { login: 'ada', id: 1 };
const BOB = { login: 'bob', id: 2 };

const told = (journal: Journal): readonly string[] =>
  deedsIn(journal.entries).map(({ person, did, command = '' }) =>
    `${person.login} ${did} ${command}`.trim(),
  );

describe('the audit of a session', () => {
  it('says who requested, stopped, paused and resumed it, and by which command', () => {
    const journal = new Journal().start().run();
    journal.command('pause', ADA).command('resume', BOB).command('stop', ADA);
    journal.add({ type: 'run_ended', run: 1, end: { kind: 'stopped', reason: 'x' } });
    journal.command('retry', BOB).comment('How nice!', ADA).reject('not_permitted');
    expect(told(journal)).toEqual([
      'octo-maintainer requested',
      'ada paused pause',
      'bob resumed resume',
      'ada stopped stop',
      'bob requested retry',
    ]);
  });

  it('says who answered a question, and who approved a plan', () => {
    const journal = new Journal().start().run();
    journal.effect({ type: 'question', text: 'Which?' }, 'asked').end({ kind: 'asked' });
    journal.comment('That one.', ADA).admit().run();
    const items = [{ id: 'one', title: 'One step', done: false }];
    journal.effect({ type: 'plan', items, needsApproval: true }, 'asked').end({ kind: 'asked' });
    journal.comment('approve', BOB);
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], approves: true });
    expect(told(journal)).toEqual(['octo-maintainer requested', 'ada answered', 'bob approved']);
  });

  it('says what closed it, and that a stop of the operator is the operator’s', () => {
    const journal = new Journal().start().run();
    const operator = { login: 'the operator', id: 0, operator: true } as const;
    journal.receive({ kind: 'operator_command', command: 'stop' }, operator).admit();
    journal.receive({ kind: 'issue_closed', at: '' }, ADA);
    expect(told(journal)).toEqual([
      'octo-maintainer requested',
      'the operator stopped stop',
      'ada closed',
    ]);
  });

  it('charges each act with what was spent until the next one', () => {
    const journal = new Journal().start().run().turn({ cost: 0.5 }).turn({ cost: 0.25 });
    journal.comment('More of it.', ADA).admitAsking('work').turn({ cost: null });
    const costs = deedsIn(journal.entries).map(({ dollars, isPartial }) => [dollars, isPartial]);
    expect(costs).toEqual([
      [0.75, false],
      [0, true],
    ]);
  });

  it('has no words of people', () => {
    const journal = new Journal().start('SECRET title', 'SECRET body').run();
    journal.comment('SECRET wish', ADA).admitAsking('work');
    expect(JSON.stringify(deedsIn(journal.entries))).not.toContain('SECRET');
  });
});

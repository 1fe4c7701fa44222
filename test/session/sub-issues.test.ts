// The session of an issue whose sub-issues are worked on.
import { describe, expect, it } from '@jest/globals';
import { needsRun, stateOf } from '../../src/session/state.ts';
import { plainBody } from '../../src/session/texts/body.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import type { Journal } from '../support/journal.ts';
import { inParts } from '../support/in-parts.ts';

const statusOf = ({ session }: Journal): string =>
  plainBody(statusComment(session, { now: '2026-01-01T00:00:00Z' }));

describe('an issue whose sub-issues are worked on', () => {
  it('runs nothing, and says where each stands', () => {
    const journal = inParts();
    expect([stateOf(journal.session), needsRun(journal.session)]).toEqual([
      'waiting(sub-issues)',
      false,
    ]);
    const status = statusOf(journal);
    expect(status).toContain('🧩 Sub-issues: 1 of 3 done');
    expect(status).toContain('Working on #9.');
    expect(status).toContain('- ✅ #8 Greet the first\n- 🔧 #9 Greet the second\n- ⚪ #10');
  });

  it.each([
    ['failed', 'Held up by #8.', 'write `/issuewright retry` there, or close it'],
    ['asks', 'Waiting for a person on #8.', 'it waits for you there'],
    ['changed', 'Held up by #8.', 'Read it, then write `/issuewright retry` here'],
    ['in_review', 'The next one starts after the merge of #8.', 'review and merge'],
  ] as const)('says what a person can do: %s', (stands, now, words) => {
    const journal = inParts().add({
      type: 'sub_issues_read',
      steps: [{ number: 8, title: 'Greet the first', stands }],
    });
    expect(statusOf(journal)).toContain(now);
    expect(statusOf(journal)).toContain(words);
  });

  it('is stopped, and continues with them after a retry', () => {
    const journal = inParts().command('stop');
    expect(stateOf(journal.session)).toBe('stopped');
    journal.command('retry');
    expect([stateOf(journal.session), needsRun(journal.session)]).toEqual([
      'waiting(sub-issues)',
      false,
    ]);
  });

  it('continues with them after a retry of the operator', () => {
    const journal = inParts().command('stop');
    const sender = { login: 'operator', id: 0, operator: true } as const;
    journal.receive({ kind: 'operator_command', command: 'retry' }, sender).admit();
    expect([stateOf(journal.session), needsRun(journal.session)]).toEqual([
      'waiting(sub-issues)',
      false,
    ]);
  });

  it('is worked on itself for a request in words', () => {
    const journal = inParts().comment('@issuewright also update the docs').admitAsking('work');
    expect(needsRun(journal.session)).toBe(true);
    expect(journal.session.thread.issueText).toBeUndefined();
  });
});

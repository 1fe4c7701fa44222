// The session of an issue whose sub-issues are worked on.
import { describe, expect, it } from '@jest/globals';
import { reactions } from '../../src/app/publish/acknowledgements.ts';
import type { SubIssueStep } from '../../src/contracts/sub-issue-work.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import type { Journal } from '../support/journal.ts';
import { inParts } from '../support/in-parts.ts';
import { SUB_ISSUES } from '../support/split-stories.ts';
import * as stories from '../support/stories.ts';

const statusOf = ({ session }: Journal): string =>
  plainBody(statusComment(session, { now: '2026-01-01T00:00:00Z' }));

/** What GitHub shows on the issue, and where someone asked for something. */
const reactionsTo = ({ session, entries }: Journal): Record<string, string> =>
  Object.fromEntries(
    reactions({
      session,
      entries,
      options: { session: 'abc', pageUrl: undefined, now: '2026-01-01T00:00:00Z' },
    }).map(({ key, digest }) => [key, digest]),
  );

const looked = (journal: Journal, ...stands: SubIssueStep['stands'][]): Journal =>
  journal.add({
    type: 'sub_issues_read',
    steps: stands.map((one, at) => ({ number: 8 + at, title: 'Greet', stands: one })),
    ...(stands.every((one) => one === 'done' || one === 'closed') ? { isOver: true } : {}),
  });

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

  it.each<[string, (journal: Journal) => Journal]>([
    ['with words beside it', (journal) => journal],
    [
      'after a run that worked on itself',
      (journal) =>
        journal
          .comment('@issuewright what is missing?')
          .admitAsking('work')
          .run()
          .answered('Nothing.'),
    ],
  ])('continues with its sub-issues after a retry %s', (_when, before) => {
    const journal = before(inParts());
    const { requestedAt } = journal.session.thread.subIssues ?? {};
    journal.comment('Read it, fine.\n\n/issuewright retry').admitAsking('retry');
    expect([stateOf(journal.session), needsRun(journal.session)]).toEqual([
      'waiting(sub-issues)',
      false,
    ]);
    expect(journal.session.thread.subIssues?.requestedAt).not.toBe(requestedAt);
  });

  it('is worked on itself for a request in words', () => {
    const journal = inParts().comment('@issuewright also update the docs').admitAsking('work');
    expect(needsRun(journal.session)).toBe(true);
    expect(journal.session.thread.issueText).toBeUndefined();
  });
});

describe('the cost of sub-issues', () => {
  const costing = (...costs: (SubIssueStep['cost'] | undefined)[]): string =>
    statusOf(
      inParts().add({
        type: 'sub_issues_read',
        steps: costs.map((cost, at) => ({
          number: 8 + at,
          title: 'Greet',
          stands: 'working',
          ...(cost === undefined ? {} : { cost }),
        })),
      }),
    );

  it('is that of all their sessions, one without a session counting nothing', () => {
    const cost = { dollars: 1.2, isPartial: false };
    expect(costing(cost, { ...cost, dollars: 0.15 }, undefined)).toContain(
      '\n\nCost of the sub-issues: $1.35\n',
    );
    expect(costing(undefined)).not.toContain('Cost');
    expect(statusOf(inParts())).not.toContain('$');
  });

  it('says that prices are unknown, never that it was nothing', () => {
    const unknown = { dollars: 0, isPartial: true };
    expect(costing(unknown)).toContain('Cost of the sub-issues: price unknown');
    expect(costing(unknown, { dollars: 0.5, isPartial: false })).toContain(
      'Cost of the sub-issues: at least $0.50 (some prices are unknown)',
    );
  });
});

describe('the label on an issue whose sub-issues are worked on', () => {
  it('gets 👀 at once, and 🚀 when each was worked on', () => {
    const journal = inParts();
    expect(reactionsTo(journal)).toEqual({ 'reaction:issue': 'eyes' });
    expect(reactionsTo(looked(journal, 'done', 'in_review'))).not.toHaveProperty('end:issue');
    expect(reactionsTo(looked(journal, 'done', 'done'))).toMatchObject({ 'end:issue': 'rocket' });
  });

  it('gets 😕 while one failed, and 🚀 once that is worked on after all', () => {
    const journal = looked(inParts(), 'done', 'failed', 'to_do');
    expect(reactionsTo(journal)).toMatchObject({ 'end:issue': 'confused' });
    looked(looked(journal, 'done', 'working', 'to_do'), 'done', 'done', 'done');
    expect(reactionsTo(journal)).toMatchObject({ 'end:issue': 'rocket' });
  });

  it('gets no 🚀 if people closed one before its work was done, which is over then', () => {
    const journal = looked(inParts(), 'closed', 'working');
    expect(statusOf(journal)).toContain('Working on #9.');
    looked(journal, 'closed', 'done');
    expect(stateOf(journal.session)).toBe('done');
    expect(reactionsTo(journal)).not.toHaveProperty('end:issue');
    expect(statusOf(journal)).toContain('Sub-issues: 1 of 2 done');
    expect(statusOf(journal)).toContain('⏹️ #8 Greet: closed before its work was done');
  });

  it('gets no 🚀 for a run on the issue itself, whose request gets its own', () => {
    const journal = inParts();
    const asked = `end:comment:${100 + journal.entries.length}`;
    journal.comment('@issuewright also update the docs').admitAsking('work').run();
    journal.effect(stories.finishAs('done', 'Done.'), 'finished').end({ kind: 'finished' });
    expect(reactionsTo(journal)).not.toHaveProperty('end:issue');
    expect(reactionsTo(journal)).toHaveProperty(asked);
    expect(reactionsTo(looked(journal, 'done'))).toMatchObject({ 'end:issue': 'rocket' });
  });

  it('gets no 🚀 because more sub-issues were proposed and opened', () => {
    const journal = inParts();
    const asked = `end:comment:${100 + journal.entries.length}`;
    journal.command('split').run();
    journal.effect({ type: 'sub_issues_proposed', items: SUB_ISSUES }, 'asked');
    const proposal = journal.entries.length;
    journal.end({ kind: 'asked' }).comment('approve');
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], approves: 'sub_issues' });
    journal.add({ type: 'sub_issue_opened', proposal, place: 0, issue: 31, isLast: true });
    expect(reactionsTo(journal)).toMatchObject({ [asked]: 'rocket' });
    expect(reactionsTo(journal)).not.toHaveProperty('end:issue');
  });

  it('gets its 🚀 with the retry that continued after a stop', () => {
    const journal = inParts().command('stop');
    const retried = `comment:${100 + journal.entries.length}`;
    looked(journal.command('retry'), 'done', 'done');
    expect(reactionsTo(journal)).toMatchObject({
      [`reaction:${retried}`]: 'eyes',
      [`end:${retried}`]: 'rocket',
      'end:issue': 'rocket',
    });
  });
});

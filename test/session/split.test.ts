// The session of an issue whose sub-issues are proposed, approved and opened.
import { describe, expect, it } from '@jest/globals';
import { isNextDue, needsRun, stateOf } from '../../src/session/state.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import { Journal } from '../support/journal.ts';
import * as splitting from '../support/split-stories.ts';
import * as stories from '../support/stories.ts';

const statusOf = ({ session }: Journal): string =>
  plainBody(statusComment(session, { now: '2026-01-01T00:00:00Z' }));
const splits = ({ session }: Journal): boolean | undefined => session.run?.splits;

describe('a request for sub-issues', () => {
  it('begins a run that proposes them', () => {
    const journal = new Journal().command('split');
    expect(needsRun(journal.session)).toBe(true);
    expect(splits(journal.run())).toBe(true);
    expect(stateOf(splitting.subIssuesProposed().session)).toBe('waiting(approval)');
  });

  it.each<[what: string, journal: () => Journal]>([
    ['a run works', stories.working],
    ['a pull request is open', stories.submitted],
    ['approved ones are being opened', splitting.subIssuesApproved],
  ])('is not carried out while %s', (_what, journal) => {
    const asked = journal().command('split');
    expect(asked.session.requests.commands.at(-1)).toMatchObject({
      command: 'split',
      applied: false,
    });
  });

  it('starts no other issue at its end, however continuous the work is', () => {
    const journal = new Journal().command('split').run({ continuous: true });
    const nothing = {
      type: 'finish',
      outcome: 'nothing_to_do',
      summary: 'One is enough.',
    } as const;
    journal.effect(nothing, 'finished').end({ kind: 'finished' });
    expect(isNextDue(journal.session)).toBe(false);
  });

  it('is carried out again after a failure and a retry', () => {
    const journal = new Journal().command('split').run().end({ kind: 'failed', reason: 'x' });
    expect(splits(journal.command('retry').run())).toBe(true);
  });

  it('leaves a label that comes meanwhile to the run that works on the issue', () => {
    const journal = new Journal().command('split').run();
    journal.turn({ calls: [{ tool: 'read_file', result: {} }] });
    const label = { kind: 'start', label: 'issuewright', title: 'Greet', body: '' } as const;
    journal.receive(label).admit().takeInput();
    journal.effect({ type: 'sub_issues_proposed', items: splitting.SUB_ISSUES }, 'asked');
    journal.end({ kind: 'asked' });
    expect(needsRun(journal.session)).toBe(true);
    expect(splits(journal.run())).toBe(false);
  });
});

describe('a request for work while sub-issues are being proposed', () => {
  const WORDS = 'Also fix the docs.';
  const asksToWork = (journal: Journal): Journal =>
    journal.comment(`@issuewright ${WORDS}`).admitAsking('work');
  const proposes = (journal: Journal): Journal =>
    journal
      .effect({ type: 'sub_issues_proposed', items: splitting.SUB_ISSUES }, 'asked')
      .end({ kind: 'asked' });
  const isUnread = ({ session }: Journal): boolean =>
    session.requests.unread.some(({ shown }) => shown?.body.includes(WORDS) === true);
  const proposed = (): Journal =>
    proposes(asksToWork(new Journal().command('split').run()).takeInput());

  it('is worked on once the sub-issues are open', () => {
    const journal = proposed();
    expect(stateOf(journal.session)).toBe('waiting(approval)');
    const { seq: proposal } = journal.session.waiting.proposal ?? { seq: 0 };
    journal.comment('approve');
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], approves: 'sub_issues' });
    expect(stateOf(journal.session)).toBe('working');
    journal.add({ type: 'sub_issue_opened', proposal, place: 0, issue: 31, isLast: true });
    expect(isUnread(journal)).toBe(true);
    expect(stateOf(journal.session)).toBe('queued');
    expect([splits(journal.run()), isUnread(journal)]).toEqual([false, false]);
  });

  it('waits while other ones are proposed for what people said', () => {
    const journal = proposed().comment('One is enough.').admit();
    expect([splits(journal.run()), isUnread(journal)]).toEqual([true, true]);
    proposes(journal);
    expect(stateOf(journal.session)).toBe('waiting(approval)');
  });

  it('is about the sub-issues if it is made while other ones are proposed', () => {
    const journal = asksToWork(
      splitting.subIssuesProposed().comment('One is enough.').admit().run(),
    );
    expect([splits(journal.takeInput()), isUnread(journal)]).toEqual([true, false]);
  });

  it('begins other sub-issues if it came too late for the run that proposes others', () => {
    const journal = splitting.subIssuesProposed().comment('One is enough.').admit().run();
    proposes(asksToWork(journal));
    expect(splits(journal.run())).toBe(true);
    expect(isUnread(journal)).toBe(false);
  });

  it('is about the sub-issues also after the run that proposes others was broken off', () => {
    const journal = splitting.subIssuesProposed().comment('One is enough.').admit().run();
    journal.end({ kind: 'failed', reason: 'x' }).command('retry').run();
    expect([splits(asksToWork(journal).takeInput()), isUnread(journal)]).toEqual([true, false]);
  });

  it('is beside a split that someone asks for again after one was broken off', () => {
    const journal = splitting.subIssuesProposed().comment('One is enough.').admit().run();
    journal.end({ kind: 'failed', reason: 'x' }).command('split').run();
    expect([splits(asksToWork(journal).takeInput()), isUnread(journal)]).toEqual([true, true]);
  });

  it('waits while other sub-issues than were proposed first are opened', () => {
    const journal = proposes(splitting.subIssuesProposed().comment('One is enough.').admit().run());
    journal.comment('approve');
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], approves: 'sub_issues' });
    expect(stateOf(asksToWork(journal).session)).toBe('working');
  });

  it('is beside a split that someone asks for after work on the issue', () => {
    const journal = splitting.subIssuesProposed().command('new').run();
    journal
      .effect(stories.finishAs('nothing_to_do', 'Fine.'), 'finished')
      .end({ kind: 'finished' });
    asksToWork(journal.command('split').run()).takeInput();
    expect([splits(journal), isUnread(journal)]).toEqual([true, true]);
  });

  it('is worked on at once if there is nothing to split', () => {
    const journal = asksToWork(new Journal().command('split').run()).takeInput();
    journal.effect(stories.finishAs('nothing_to_do', 'One is enough.'), 'finished');
    journal.end({ kind: 'finished' });
    expect([splits(journal.run()), isUnread(journal)]).toEqual([false, false]);
  });

  it('is left for later also if the run has read nothing yet', () => {
    const journal = asksToWork(new Journal().command('split').beginRun().prepare()).takeInput();
    expect(isUnread(journal)).toBe(true);
  });

  it('is read with the command if it was made before that', () => {
    const journal = asksToWork(new Journal()).command('stop').command('split').run();
    expect([splits(journal), isUnread(journal)]).toEqual([true, false]);
  });

  it('is what a mention asks for: other words are about the sub-issues', () => {
    const journal = new Journal().command('split').run().comment(WORDS).admit().takeInput();
    expect(isUnread(journal)).toBe(false);
  });
});

describe('proposed sub-issues', () => {
  it('are proposed again for other words', () => {
    const journal = splitting.subIssuesProposed().comment('One is enough.').admit();
    expect(needsRun(journal.session)).toBe(true);
    expect(splits(journal.run())).toBe(true);
  });

  it.each(['start', 'new'] as const)('are not wanted any more after: %s', (what) => {
    const journal = splitting.subIssuesProposed();
    if (what === 'start') journal.start();
    else journal.command('new');
    expect(splits(journal.run())).toBe(false);
    expect(journal.session.waiting.proposal).toBeUndefined();
  });

  it('are opened without a run once they are approved, and said to be', () => {
    const approved = splitting.subIssuesApproved();
    expect([stateOf(approved.session), needsRun(approved.session)]).toEqual(['working', false]);
    expect(statusOf(approved)).toContain('Opening the sub-issues');
    const opened = splitting.subIssuesOpened();
    expect(opened.session.waiting.openingSubIssues).toBeUndefined();
    expect(statusOf(opened)).toContain('Sub-issues opened');
    expect(opened.session.requests.triggers.at(-1)?.result).toBe('good');
    const said = splitting.subIssuesProposed().comment('/issuewright approve');
    const approval = { ask: { for: 'approve', alone: true }, approves: 'sub_issues' } as const;
    const received = said.entries.length;
    said.add({ type: 'admitted', received, lineComments: [], ...approval });
    expect(said.session.requests.commands.at(-1)).toMatchObject({
      command: 'approve',
      applied: true,
    });
  });

  it.each([
    ['has its sub-issues worked on', { subIssues: true }],
    ['is worked on by a run', {}],
  ] as const)('leave a label without a result that came meanwhile: %s', (_what, found) => {
    const journal = splitting.subIssuesApproved();
    const proposal = journal.session.waiting.openingSubIssues?.proposal.seq ?? 0;
    journal.add({ type: 'sub_issue_opened', proposal, place: 0, issue: 31 });
    const label = { kind: 'start', label: 'issuewright', title: 'Greet', body: '' } as const;
    const received = journal.entries.length + 1;
    journal.receive(label).add({ type: 'admitted', received, lineComments: [], ...found });
    journal.add({ type: 'sub_issue_opened', proposal, place: 1, issue: 32, isLast: true });
    const { triggers } = journal.session.requests;
    expect(triggers.find(({ in: place }) => place.on === 'issue')?.result).toBeUndefined();
    expect(triggers.find(({ in: place }) => place.on === 'comment')?.result).toBe('good');
  });

  it('are worked on, not the issue itself, by a retry after a label and a stop', () => {
    const journal = splitting.subIssuesOpened();
    const label = { kind: 'start', label: 'issuewright', title: 'Greet', body: '' } as const;
    const received = journal.entries.length + 1;
    journal.receive(label).add({ type: 'admitted', received, lineComments: [], subIssues: true });
    expect(stateOf(journal.session)).toBe('waiting(sub-issues)');
    journal.command('stop').command('retry');
    expect(stateOf(journal.session)).toBe('waiting(sub-issues)');
    expect(needsRun(journal.session)).toBe(false);
  });

  it('are not approved by words about a plan', () => {
    const journal = splitting.subIssuesProposed().comment('approve');
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], approves: true });
    expect(journal.session.waiting.openingSubIssues).toBeUndefined();
  });

  it('are not opened after a stop', () => {
    const { session } = splitting.subIssuesApproved().command('stop');
    expect(session.waiting.openingSubIssues).toBeUndefined();
    expect(stateOf(session)).toBe('stopped');
  });

  it('wait for another approval if GitHub denies one', () => {
    const journal = splitting.subIssuesApproved();
    const proposal = journal.session.waiting.openingSubIssues?.proposal.seq ?? 0;
    journal.add({ type: 'sub_issues_denied', proposal, reason: 'No.' });
    expect(stateOf(journal.session)).toBe('waiting(approval)');
    expect(journal.session.waiting.proposal?.seq).toBe(proposal);
  });
});

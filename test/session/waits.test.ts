import { describe, expect, it } from '@jest/globals';
import type { FinishOutcome, PlanItem } from '../../src/contracts/effect.ts';
import { isNextDue, isQuestionOpen, needsRun, stateOf } from '../../src/session/state.ts';
import { questionComment } from '../../src/session/texts/comments.ts';
import { planComment } from '../../src/session/texts/plans.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import { Journal } from '../support/journal.ts';
import { published } from '../support/publishing.ts';
import { asked, proposed, submitted } from '../support/stories.ts';

const agree = (journal: Journal): Journal =>
  journal.add({
    type: 'admitted',
    received: journal.entries.length,
    lineComments: [],
    approves: true,
  });
const expire = (journal: Journal, action: 'defaults' | 'pause'): Journal =>
  journal.add({
    type: 'question_expired',
    question: journal.session.waiting.question?.seq ?? 0,
    action,
  });
const status = ({ session }: Journal): string =>
  plainBody(statusComment(session, { now: session.thread.openedAt }));

describe('a plan', () => {
  const cases: [string, () => Journal, string, boolean, string][] = [
    ['waits', proposed, 'waiting(approval)', false, 'needed'],
    ['is agreed to', () => agree(proposed().comment('go')), 'queued', true, 'given'],
    ['is to be changed', () => proposed().comment('no').admit(), 'queued', true, 'needed'],
    ['is stopped', () => proposed().command('stop'), 'stopped', false, 'needed'],
    [
      'was changed before someone approved the previous one',
      () => agree(proposed().comment('no').admit().run({ planFirst: true }).comment('go')),
      'working',
      true,
      'needed',
    ],
    [
      'was agreed to, and a later run needs no other',
      () => agree(proposed().comment('go')).run({ planFirst: true }),
      'working',
      true,
      'given',
    ],
    ['was not asked for', () => submitted(), 'waiting(review)', false, 'not_needed'],
  ];
  it.each(cases)('that %s', (_which, story, state, runs, approval) => {
    const { session } = story();
    expect([stateOf(session), needsRun(session), session.waiting.approval]).toEqual([
      state,
      runs,
      approval,
    ]);
  });

  describe('that changed since it was agreed to', () => {
    const READ = { id: '1', title: 'Read how the greeting is made', done: true };
    const USE = { id: '2', title: 'Use the name in `greet`', done: false };
    const COVER = { id: '3', title: 'Cover it with a test', done: false };
    const TITLES: [string, PlanItem[], string[]][] = [
      ['only in what is done', [READ, { ...USE, done: true }, COVER], []],
      ['in its order and its numbers', [{ ...COVER, id: '1' }, { ...READ, id: '2' }, USE], []],
      [
        'in its words',
        [READ, { ...USE, title: 'Drop the old greeting' }, COVER],
        ['- [ ] Drop the old greeting (was: Use the name in `greet`)'],
      ],
      ['by an item that is gone', [READ, USE], ['- ~~Cover it with a test~~']],
      [
        'by an item that was done besides',
        [READ, USE, COVER, { id: '4', title: 'Fix the docs', done: true }],
        ['- [x] Fix the docs (new)'],
      ],
    ];

    it.each(TITLES)('%s says so, under the name of no one', (_how, items, changes) => {
      const journal = agree(proposed().comment('go')).run().effect({ type: 'plan', items });
      const isSame = changes.length === 0;
      const shown = status(journal);
      expect(shown.includes('Plan approved by octo-maintainer:')).toBe(isSame);
      expect(shown.includes('Plan, changed since octo-maintainer approved it:')).toBe(!isSame);
      for (const change of changes) expect(shown).toContain(change);
      expect(journal.session.waiting.approval).toBe('given');
    });

    it('by a new item waits for approval again', () => {
      const more = { id: '4', title: 'Translate it', done: false };
      const items = [READ, USE, COVER, more];
      const journal = agree(proposed().comment('go')).run();
      journal.effect({ type: 'plan', items, needsApproval: true }, 'asked').end({ kind: 'asked' });
      expect(stateOf(journal.session)).toBe('waiting(approval)');
      expect(journal.session.waiting.approval).toBe('needed');
      expect(status(journal)).not.toContain('approved by');
      expect(agree(journal.comment('go')).session.waiting).toMatchObject({
        approval: 'given',
        approvedPlan: items,
      });
    });
  });

  it('says in the status comment who agreed to it', () => {
    expect(status(agree(proposed().comment('go')))).toContain('Plan approved by octo-maintainer:');
  });

  it('is shown whole where people approve it', () => {
    const title = 'One sentence of a step. '.repeat(12).trim();
    const text = plainBody(planComment(proposed().session, [{ id: '1', title, done: false }]));
    expect(text).toContain(`1. ${title}\n`);
  });

  it('cannot lay out its comment', () => {
    const { session } = proposed();
    const title = '# Step <b>\n\n2. Second `step` @visitor';
    const text = plainBody(planComment(session, [{ id: '1', title, done: false }]));
    expect(text).toContain('\n\n1. \\# Step &lt;b> 2. Second `step` @visitor\n\n');
  });
});

describe('a question', () => {
  it('that was not answered in time continues, or pauses and can still be answered', () => {
    const late = expire(asked(), 'defaults');
    expect([stateOf(late.session), needsRun(late.session)]).toEqual(['queued', true]);
    const paused = expire(asked(), 'pause');
    expect([stateOf(paused.session), needsRun(paused.session)]).toEqual(['waiting(answer)', false]);
    expect(isQuestionOpen(paused.session)).toBe(true);
    expect(status(paused)).toContain('Paused: no answer in time');
    paused.comment('Here I am.').admit();
    expect([stateOf(paused.session), needsRun(paused.session)]).toEqual(['queued', true]);
  });

  it('does not start runs again and again if the next one breaks off at once', () => {
    const journal = expire(asked(), 'defaults').beginRun().end({ kind: 'failed', reason: 'x' });
    expect([stateOf(journal.session), needsRun(journal.session)]).toEqual(['failed', false]);
  });

  it('is open until it is answered, stopped, or the issue is closed', () => {
    expect(isQuestionOpen(asked().session)).toBe(true);
    expect(isQuestionOpen(asked().command('stop').session)).toBe(false);
    expect(isQuestionOpen(asked().receive({ kind: 'issue_closed', at: '' }).session)).toBe(false);
    expect(isQuestionOpen(asked().comment('The first.').admit().session)).toBe(false);
    expect(isQuestionOpen(proposed().session)).toBe(false);
  });

  it('is published whole, with the answers that people are to agree to', async () => {
    const long = { text: 'Which of <these>? '.repeat(250), proposedAnswer: 'Both. '.repeat(330) };
    const items = [...Array.from({ length: 9 }, () => ({ text: 'When?' })), long];
    const body = await published(questionComment(asked().session, { text: '', items }));
    expect(body).not.toContain('cut here');
    expect(body.match(/Both\./g)).toHaveLength(330);
  });

  it('says until when it waits, and what comes then', () => {
    const until = '2030-01-15T14:03:00Z';
    const asking = (action: 'defaults' | 'pause') =>
      questionComment(asked().session, {
        text: 'Which?',
        items: [{ text: 'Which?', proposedAnswer: 'This.' }],
        deadline: { until, action },
      });
    expect(plainBody(asking('defaults'))).toContain(
      'Without a reply by 15 Jan 2030, 14:03 UTC, I continue as proposed.',
    );
    expect(plainBody(asking('pause'))).toContain('I pause until there is one.');
  });
});

describe('the next issue', () => {
  const finished = (outcome: FinishOutcome, continuous = true): Journal =>
    new Journal()
      .start()
      .run(continuous ? { continuous } : {})
      .effect({ type: 'finish', outcome, summary: 'Said.' }, 'finished')
      .end({ kind: 'finished' });
  const looked = (journal: Journal, issue: number | null) =>
    journal.add({ type: 'next_issue_started', run: 1, issue });

  it.each([
    ['finished', finished('done'), true],
    ['finished with nothing to do', finished('nothing_to_do'), true],
    ['at a loss', finished('cannot'), false],
    ['done in part', finished('partial'), false],
    ['not continuous', finished('done', false), false],
    ['through with looking', looked(finished('done'), null), false],
    ['waiting for an answer', asked(), false],
  ])('is looked for by a session that is %s: %#', (_what, { session }, isDue) => {
    expect(isNextDue(session)).toBe(isDue);
  });

  it('is looked for again after another run, unless one was taken', () => {
    const again = (journal: Journal) =>
      journal
        .comment('/issuewright more')
        .admitAsking('work')
        .run({ continuous: true })
        .effect({ type: 'finish', outcome: 'done', summary: 'x' }, 'finished')
        .end({ kind: 'finished' });
    expect(isNextDue(again(looked(finished('done'), null)).session)).toBe(true);
    expect(isNextDue(again(looked(finished('done'), 8)).session)).toBe(false);
  });
});

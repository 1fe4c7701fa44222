// What a person's remark in a review is, as everything that depends on it asks.
import { describe, expect, it } from '@jest/globals';
import type { Intent, ReviewVerdict } from '../../src/contracts/intent.ts';
import type { AsksNothing, CommentThread } from '../../src/contracts/shown-text.ts';
import { remarksIn, reviewWork, type ReadReview } from '../../src/session/requested-work.ts';
import { Journal } from '../support/journal.ts';

const comment = (asksNothing?: AsksNothing, id = 31): CommentThread => ({
  comment: id,
  root: id,
  side: 'new',
  hunk: '',
  isResolved: false,
  isOutdated: false,
  earlier: [],
  leftOut: 0,
  ...(asksNothing === undefined ? {} : { asksNothing }),
});

const own = new Journal().start().session.thread;
const adopted: typeof own = {
  ...own,
  adopted: { number: 7, author: 'ada', branch: 'b', baseBranch: 'main', state: 'open' } as never,
};

interface Given {
  readonly verdict?: ReviewVerdict;
  readonly remarks?: boolean;
  readonly asks?: 'review' | 'line';
  readonly lines?: readonly CommentThread[];
}

function review({ verdict = 'commented', remarks, asks, lines = [] }: Given) {
  const intent: Intent = { kind: 'review', pullRequest: 12, reviewId: 5, verdict, body: '' };
  const place =
    asks === 'line'
      ? ({ on: 'line_comment', id: 31 } as const)
      : ({ on: 'review', id: 5, pullRequest: 12 } as const);
  return {
    intent,
    ask: asks === undefined ? undefined : ('work' as const),
    asks: asks === undefined ? [] : [{ in: place, for: 'work' as const, alone: false }],
    remarks,
    lineComments: lines.map((thread) => ({ path: 'a.ts', line: 1, body: 'x', thread })),
  };
}

describe('the work in a review', () => {
  it.each<[string, Given, string]>([
    ['that requests changes', { verdict: 'changes_requested' }, 'work'],
    ['that comments', {}, 'work'],
    ['that comments, and asks nothing', { remarks: false }, 'nothing'],
    ['that approves', { verdict: 'approved' }, 'nothing'],
    ['that approves with remarks', { verdict: 'approved', remarks: true }, 'work'],
    ['that approves and mentions us', { verdict: 'approved', asks: 'review' }, 'work'],
    ['that approves with praise', { verdict: 'approved', lines: [comment('praise')] }, 'praise'],
    ['that only praises', { remarks: false, lines: [comment('praise')] }, 'praise'],
  ])('%s: %j is %s', (_which, given, work) => {
    expect(reviewWork({ thread: own }, review(given))).toBe(work);
  });

  it("on someone else's pull request is only what mentions us", () => {
    const of = (given: Given) => reviewWork({ thread: adopted }, review(given));
    expect(of({ verdict: 'changes_requested', lines: [comment()] })).toBe('nothing');
    expect(of({ verdict: 'approved', asks: 'line' })).toBe('work');
  });
});

describe('the work in a comment on a line', () => {
  it.each<[AsksNothing | undefined, string]>([
    [undefined, 'work'],
    ['praise', 'praise'],
    ['for_others', 'nothing'],
  ])('that is read as %p is %s', (asksNothing, work) => {
    expect(reviewWork({ thread: own }, review({}), comment(asksNothing))).toBe(work);
  });

  it("on someone else's pull request is only in one that mentions us, or of a review whose words do", () => {
    const of = (given: Given, id: number) =>
      reviewWork({ thread: adopted }, review(given), comment(undefined, id));
    expect(of({}, 31)).toBe('nothing');
    expect([of({ asks: 'line' }, 31), of({ asks: 'line' }, 32)]).toEqual(['work', 'nothing']);
    expect(of({ asks: 'review' }, 32)).toBe('work');
  });
});

describe('what admission finds in a review', () => {
  const said: ReadReview = {
    verdict: 'commented',
    isAsked: false,
    hasLines: false,
    words: { isQuestion: false, asksNothing: undefined, isEmpty: false },
    needsQuestion: true,
    mergesItself: false,
  };
  const question = { ...said.words, isQuestion: true };

  it.each<[Partial<ReadReview>, boolean | undefined]>([
    [{}, false],
    [{ words: question }, true],
    [{ words: { ...question, asksNothing: 'for_others' } }, false],
    [{ needsQuestion: false }, undefined],
    [{ needsQuestion: false, words: { ...said.words, isEmpty: true } }, false],
    [{ hasLines: true }, undefined],
    [{ isAsked: true }, undefined],
    [{ verdict: 'changes_requested' }, undefined],
    [{ verdict: 'approved', words: question }, undefined],
    [{ verdict: 'approved', hasLines: true }, true],
    [{ verdict: 'approved', hasLines: true, mergesItself: true }, undefined],
  ])('is noted if the verdict does not say it: %j is %p', (read, remarks) => {
    expect(remarksIn({ ...said, ...read })).toBe(remarks);
  });
});

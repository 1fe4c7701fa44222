import { describe, expect, it } from '@jest/globals';
import type { LeftStep } from '../../src/contracts/effect.ts';
import { stateOf } from '../../src/session/state.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import type { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';

const reason = 'It needs `contents: write`.';
const READY: LeftStep = { step: 'ready_for_review', reason };
const REVIEW: LeftStep = { step: 'review_request', reviewers: ['ann', 'bob'], reason };

const left = (...steps: readonly LeftStep[]): Journal =>
  stories.submitted().effect({ type: 'left_to_people', pullRequest: 12, steps });
const stepsOf = ({ session }: Journal) => session.thread.pullRequest?.left;
const statusOf = ({ session }: Journal): string =>
  plainBody(statusComment(session, { now: '2030-01-15T14:13:30Z' }));

describe('what GitHub denies on an open pull request', () => {
  it('is left to people, and the session waits for the review as always', () => {
    const journal = left(READY, REVIEW);
    expect(stepsOf(journal)).toEqual([READY, REVIEW]);
    expect(stateOf(journal.session)).toBe('waiting(review)');
  });

  it('is said in the status comment, with what to click', () => {
    const words = statusOf(left(READY, REVIEW));
    expect(words).toContain('Done: #12, still a draft');
    expect(words).toMatch(/Please do this on #12.*\n- Click \*\*Ready for review\*\*/);
    expect(words).toContain('- Request a review from `ann`, `bob`.');
  });

  it('is said no more once someone marks that pull request as ready', () => {
    const journal = left(READY);
    journal.receive({ kind: 'marked_ready', pullRequest: 13 });
    expect(stepsOf(journal)).toEqual([READY]);
    journal.receive({ kind: 'marked_ready', pullRequest: 12 });
    expect(stepsOf(journal)).toEqual([]);
    expect(statusOf(journal)).toContain('Ready for review: #12');
  });

  it('is said no more once a later run may do it, or the pull request is merged', () => {
    const later = left(READY).effect({ type: 'left_to_people', pullRequest: 12, steps: [] });
    expect(statusOf(later)).not.toContain('Please do this');
    const merged = left(READY);
    merged.receive({ kind: 'pull_request_closed', pullRequest: 12, merged: true });
    expect(statusOf(merged)).not.toContain('Please do this');
  });
});

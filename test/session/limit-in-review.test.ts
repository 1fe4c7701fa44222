// A run on an open pull request that reached a limit: what people are told of it, and how they go on.
import { describe, expect, it } from '@jest/globals';
import { requestReplies } from '../../src/app/publish/publications.ts';
import { lastRunNotices } from '../../src/app/run/notices.ts';
import type { RunEnd } from '../../src/contracts/entries.ts';
import { conflictsOf } from '../../src/session/merging.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { outcomeComment } from '../../src/session/texts/comments.ts';
import { nextStep } from '../../src/session/texts/next-step.ts';
import { actionsOf } from '../../src/web/pages/actions.ts';
import type { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';

const REACHED = {
  kind: 'limit',
  reason: 'The limit of $0.18 per issue was reached.',
  isOfIssue: true,
} as const;
const STILL = {
  ...REACHED,
  reason: 'Still used up: $0.18 of $0.18 for this issue.',
  isStill: true,
} as const;

/** What people read where they asked, and on the issue if nobody did. */
const saidAfter = (journal: Journal, end: RunEnd): (string | undefined)[] => {
  const { session, entries } = journal.end(end);
  const options = { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' };
  const outcome = outcomeComment(session);
  return [
    ...requestReplies({ session, entries, options }).map(({ body }) => plainBody(body)),
    ...(outcome === undefined ? [] : [plainBody(outcome)]),
  ];
};
const asked = (): Journal => stories.submitted().command('retry').beginRun();
const unasked = (): Journal => stories.withFailingChecks(stories.submitted()).beginRun();

describe('a limit with an open pull request', () => {
  it('leaves the pull request up for review, and can be retried', () => {
    const { session } = stories.limitedInReview();
    expect(stateOf(session)).toBe('waiting(review)');
    expect(actionsOf(session)).toEqual(['retry', 'stop']);
    expect(nextStep(session)).toMatch(
      /^The operator can raise `BUDGET_ISSUE`\. Then write `\/issuewright retry`/,
    );
  });

  it.each<[string, (journal: Journal) => Journal]>([
    ['a retry', (journal) => journal.command('retry')],
    ['a resume', (journal) => journal.command('resume')],
    ['a review', (journal) => journal.review('Rename it.').admit()],
    [
      'a rerun of the check run',
      (journal) => {
        const sha = journal.session.work.head ?? '';
        return journal.receive({ kind: 'check_action', action: 'rerun', sha }).admit();
      },
    ],
  ])('is followed by another run after %s', (_name, go) => {
    expect(needsRun(stories.limitedInReview().session)).toBe(false);
    expect(needsRun(go(stories.limitedInReview()).session)).toBe(true);
  });
});

describe('people read of a limit', () => {
  it.each<[string, Journal, RunEnd, RegExp]>([
    [
      'where they asked, and how to go on',
      asked(),
      REACHED,
      /^@octo-maintainer I stopped: The limit of [^]*Then write/,
    ],
    [
      'on the issue if nobody asked',
      unasked(),
      REACHED,
      /^@octo-maintainer I stopped: [^]*Then write/,
    ],
    [
      'that conflicts are left, before anything else',
      asked(),
      { ...REACHED, conflictsWith: 'main' },
      /^@octo-maintainer The conflicts with `main` are not resolved: The limit of/,
    ],
    [
      'the same if nobody asked',
      unasked(),
      { ...REACHED, conflictsWith: 'main' },
      /^@octo-maintainer The conflicts with `main` are not resolved: The limit of/,
    ],
    [
      'one line if it was reached before',
      asked(),
      STILL,
      /^@octo-maintainer Still used up: [^\n]* The operator can raise `BUDGET_ISSUE`\.$/,
    ],
    ['the same line if nobody asked', unasked(), STILL, /^@octo-maintainer Still used up: [^\n]*$/],
    [
      'one line with the conflicts first',
      asked(),
      { ...STILL, conflictsWith: 'main' },
      /^@octo-maintainer The conflicts with `main` are not resolved: Still used up: [^\n]*$/,
    ],
  ])('%s, once', (_name, journal, end, words) => {
    expect(saidAfter(journal, end)).toEqual([expect.stringMatching(words)]);
  });

  it('how the work before it ended is told to the model, and not that nothing could begin', () => {
    const journal = stories.limitedInReview().command('retry').beginRun().end(STILL);
    const { session, entries } = journal.command('retry').beginRun();
    const [notice] = lastRunNotices(session, entries);
    expect(notice?.text).toContain('The limit of $0.18 per issue was reached');
  });
});

describe('conflicts', () => {
  const conflict = {
    kind: 'conflict',
    pullRequest: 12,
    branch: 'main',
    head: 'h',
    base: 'b',
  } as const;

  it('are known once GitHub says so, by the branch, until a commit is made', () => {
    expect(conflictsOf(stories.submitted().session)).toBeUndefined();
    const journal = stories.submitted().receive(conflict).admit();
    expect(conflictsOf(journal.session)).toBe('main');
    const resolved = journal.beginRun().effect({ ...stories.COMMIT, sha: 'f'.repeat(40) });
    expect(conflictsOf(resolved.session)).toBeUndefined();
  });
});

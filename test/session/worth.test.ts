import { describe, expect, it } from '@jest/globals';
import { worthOf } from '../../src/session/worth.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { pullRequestBody } from '../../src/session/texts/pull-request-body.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import { worthLine } from '../../src/session/texts/pull-request-body.ts';
import { Journal, STRANGER } from '../support/journal.ts';
import * as stories from '../support/stories.ts';

const merge = (journal: Journal): Journal =>
  journal.receive({ kind: 'pull_request_closed', pullRequest: 12, merged: true });
const round = (journal: Journal): Journal =>
  journal.review('Please rename it.').admit().run().turn({}).end({ kind: 'finished' });
const of = (journal: Journal) => worthOf(journal.session);

describe('a session', () => {
  it.each<[string, Journal, string]>([
    ['is merged', merge(stories.submitted()), 'merged'],
    ['is closed without a merge', stories.closed(), 'closed'],
    ['ends without a pull request', stories.nothingToDo(), 'unchanged'],
    ['is open while it waits for a review', stories.submitted(), 'open'],
    ['is open after it failed', stories.failed(), 'open'],
  ])('%s', (_name, journal, result) => {
    expect(of(journal)?.result).toBe(result);
  });

  it('is worth nothing before anyone with permission requested work', () => {
    expect(of(new Journal().comment('@issuewright do it', STRANGER))).toBeUndefined();
  });

  const rerun = (journal: Journal): Journal => journal.run().turn({}).end({ kind: 'finished' });

  it.each<[string, Journal, number]>([
    ['none without a review', stories.submitted(), 0],
    ['two reviews, one after the other', round(round(stories.submitted())), 2],
    [
      'one if two reviews are read together',
      rerun(stories.submitted().review('Rename it.').admit().review('And test it.').admit()),
      1,
    ],
    ['none for a retry', rerun(stories.submitted().command('retry')), 0],
    [
      'none for a request in the conversation',
      rerun(stories.submitted().comment('Use red.').admitAsking('work')),
      0,
    ],
    [
      'none for a conflict',
      rerun(
        stories
          .submitted()
          .receive({ kind: 'conflict', pullRequest: 12, branch: 'main', head: 'h', base: 'b' }),
      ),
      0,
    ],
    [
      'none for a fix of checks',
      rerun(stories.withFailingChecks(stories.submitted()).command('fix')),
      0,
    ],
    [
      'one if a limit cut it short and it was tried again',
      rerun(
        stories
          .submitted()
          .review('Rename it.')
          .admit()
          .run()
          .end({ kind: 'limit', reason: 'No more.' })
          .command('retry'),
      ),
      1,
    ],
    [
      'none for an approval that a run reads',
      rerun(stories.submitted().review('Nice!', 'approved').admit().command('retry')),
      0,
    ],
  ])('counts rounds of review: %s', (_name, journal, rounds) => {
    expect(of(merge(journal))?.rounds).toBe(rounds);
  });

  it('is zero touch if nobody had to say anything after the request', () => {
    const approved = stories.submitted().review('Nice!', 'approved').admit();
    expect(of(merge(approved))?.isZeroTouch).toBe(true);
    expect(of(merge(round(stories.submitted())))?.isZeroTouch).toBe(false);
  });

  it.each<[string, (journal: Journal) => Journal]>([
    ['an answer', () => stories.asked().comment('Green.').admit()],
    ['another request', (journal) => journal.comment('And the docs').admitAsking('work')],
    ['a stop', (journal) => journal.comment('/issuewright stop').admitAsking('stop', true)],
  ])('%s is a touch', (_name, say) => {
    expect(of(say(stories.working()))?.isZeroTouch).toBe(false);
  });

  it('counts the work, and neither waiting nor the time that the service was down', () => {
    const journal = new Journal().start().run().turn({ durationMs: 60_000 });
    const before = of(journal)?.workedMs ?? 0;
    expect(before).toBeGreaterThanOrEqual(60_000);
    journal.wait(7200).add({ type: 'run_resumed', run: 1 }).turn({ durationMs: 30_000 });
    expect((of(journal)?.workedMs ?? 0) - before).toBe(30_000);
    journal.end({ kind: 'asked' }).wait(86_400).comment('Yes').admit();
    expect((of(journal)?.workedMs ?? 0) - before).toBeLessThan(32_000);
  });
});

describe('what it came to', () => {
  const said = /\*\*Merged after 1 round of review\*\* · \$0\.\d\d · .* of work/;

  it('is the last that the status comment and the pull request say', () => {
    const { session } = merge(round(stories.submitted()));
    const status = plainBody(statusComment(session, { now: session.tally.activeAt }));
    expect(status).toMatch(/^\*\*🎉 Merged: #12\*\* after 1 round of review\n/);
    expect(plainBody(pullRequestBody(session, {}))).toMatch(said);
    expect(worthLine(session)).not.toContain('zero touch');
  });

  it('says that nobody had to say anything', () => {
    expect(worthLine(merge(stories.submitted()).session)).toMatch(
      /^\*\*Merged\*\* · .* · zero touch: nobody had to say anything after the request$/,
    );
  });

  it('is not said before', () => {
    expect(worthLine(stories.submitted().session)).toBe('');
    expect(worthLine(stories.nothingToDo().session)).toBe('');
  });
});

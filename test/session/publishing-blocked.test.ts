// What GitHub does to a session from outside: the issue goes away, or nothing may be written.
import { describe, expect, it } from '@jest/globals';
import type { PublishingBlock } from '../../src/session/entry.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { pullRequestBody } from '../../src/session/texts/pull-request-body.ts';
import { rejectionComment } from '../../src/session/texts/comments.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import { sessionPage } from '../../src/web/pages/session-page.ts';
import type { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { wholeOf } from '../web/support.ts';

const BLOCK: PublishingBlock = {
  reason: 'The conversation is locked. Someone with write access can unlock it.',
  keys: ['status', 'reaction:issue'],
  until: '2030-01-15T15:00:00.000Z',
};
const blocked = (journal: Journal, block: PublishingBlock | null = BLOCK): Journal =>
  journal.add({ type: 'publishing_blocked', block });

const pageOf = (journal: Journal): string =>
  sessionPage('abc', wholeOf(journal.entries), 'https://github.example').text.replaceAll(
    /\s+/g,
    ' ',
  );
const bodyOf = (journal: Journal): string => plainBody(pullRequestBody(journal.session, {}));

describe('an issue that goes away', () => {
  it.each([
    [
      'to another repository',
      { kind: 'issue_gone', movedTo: 'https://github.example/a/b/issues/5' } as const,
      'octo-maintainer transferred the issue to https://github.example/a/b/issues/5, so the work here has ended. Request it there.',
    ],
    [
      'for ever',
      { kind: 'issue_gone' } as const,
      'octo-maintainer deleted the issue, so the work has ended.',
    ],
  ])('%s ends the work, and the page says so', (_where, intent, words) => {
    const journal = stories.working().receive(intent);
    expect([stateOf(journal.session), needsRun(journal.session)]).toEqual(['stopped', false]);
    expect(journal.session.requests.stop?.reason).toBe(words);
    expect(pageOf(journal)).toContain(words);
  });
});

describe('a wait that is not the fault of the run', () => {
  it.each(['installation', 'write_budget'] as const)(
    '(its %s) is waited for as often as it takes',
    (on) => {
      const deferred = { type: 'run_deferred', run: 1, reason: 'not now', until: '' } as const;
      const journal = stories.working();
      const before = journal.session.run?.resumesWithoutReply;
      for (let n = 0; n < 30; n += 1)
        journal.add({ ...deferred, cause: on }).add({ type: 'run_resumed', run: 1 });
      expect(journal.session.run?.resumesWithoutReply).toBe(before);
      journal.add(deferred).add({ type: 'run_resumed', run: 1 });
      expect(journal.session.run?.resumesWithoutReply).toBe((before ?? 0) + 1);
    },
  );
});

describe('a publication that GitHub blocks', () => {
  it('is on the page, with the next attempt', () => {
    const page = pageOf(blocked(stories.working()));
    expect(page).toContain(`Some of this could not be published on GitHub. ${BLOCK.reason}`);
    expect(page).toContain(`${BLOCK.reason} Next attempt: 15 Jan 2030, 15:00 UTC.`);
    const never = pageOf(blocked(stories.working(), { ...BLOCK, until: null }));
    expect(never).toContain('Retried after the next activity.');
  });

  it('is in the pull request, with the state, as long as the issue cannot show it', () => {
    const journal = blocked(stories.submitted());
    expect(bodyOf(journal)).toMatch(
      /⚠️ Issuewright cannot comment on #7\. The conversation is locked\. .*\n\n\*\*✅ Ready for review: #12\*\*/,
    );
    expect(bodyOf(blocked(journal, null))).not.toContain('cannot comment');
    const reaction = { ...BLOCK, keys: ['reaction:issue'] };
    expect(bodyOf(blocked(stories.submitted(), reaction))).not.toContain('cannot comment');
  });

  it('is in the status comment if only that can be edited', () => {
    const status = (journal: Journal): string =>
      plainBody(statusComment(journal.session, { now: '2030-01-15T14:10:00Z' })).split('\n')[0] ??
      '';
    expect(status(stories.asked())).toContain('see the question');
    expect(status(blocked(stories.asked()))).not.toContain('see the question');
  });

  it('counts from the first denial, and starts over after anything that may have fixed it', () => {
    const first = blocked(stories.working());
    const since = first.session.waiting.publishingBlock?.since;
    expect(blocked(first.wait(60)).session.waiting.publishingBlock?.since).toBe(since);
    expect(first.comment('Try again').session.waiting.publishingBlock).toBeUndefined();
    expect(blocked(first.wait(60)).session.waiting.publishingBlock?.since).not.toBe(since);
  });

  it('is explained to the requester with GitHub’s message', () => {
    const words = 'The App lacks the permission `contents: read`.';
    const intent = { kind: 'start', label: 'issuewright', title: '', body: '' } as const;
    expect(
      rejectionComment('x', { reason: 'permission_check_denied', details: words }, intent),
    ).toMatch(
      /^@x GitHub didn't let me check your permissions\. .* lacks the permission .* Ask again once this is fixed\.$/,
    );
  });
});

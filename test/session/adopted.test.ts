// A session on a pull request that someone else opened.
import { describe, expect, it } from '@jest/globals';
import { noMergeComments } from '../../src/app/publish/acknowledgements.ts';
import { patchComments } from '../../src/app/publish/on-pull-request.ts';
import { inputMessage } from '../../src/agent/prompts/input.ts';
import type { Effect } from '../../src/contracts/effect.ts';
import type { AdoptedPullRequest } from '../../src/contracts/pull-request.ts';
import { branchOf } from '../../src/session/github-names.ts';
import { isMergeWanted, mayNotPush } from '../../src/session/merging.ts';
import { needsRun, stateOf, takesRemarks } from '../../src/session/state.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import { COMMIT, finishAs } from '../support/stories.ts';
import { Journal } from '../support/journal.ts';

const PULL: AdoptedPullRequest = {
  number: 7,
  url: 'https://github.com/example/greeter/pull/7',
  title: 'Greet louder',
  author: 'ann',
  branch: 'louder',
  baseBranch: 'main',
};

const said = (journal: Journal, body: string): Journal => {
  const commentId = 100 + journal.entries.length;
  return journal.receive({ kind: 'comment', on: 'pull_request', commentId, body });
};

/** Someone mentions the App on it. */
const asked = (journal = new Journal(), adopts = PULL): Journal => {
  const received = said(journal, '@issuewright Add a test.').entries.length;
  return journal.add({
    type: 'admitted',
    received,
    lineComments: [],
    ask: { for: 'work', alone: false },
    issue: { title: adopts.title, body: 'It was quiet.', hidden: '', digest: 'a' },
    shown: { body: '@issuewright Add a test.', hidden: '' },
    adopts,
  });
};

const resolve = (adopts: AdoptedPullRequest, journal = new Journal()): Journal => {
  const received = said(journal, '/issuewright resolve').entries.length;
  const ask = { for: 'resolve', alone: true } as const;
  return journal.add({ type: 'admitted', received, lineComments: [], ask, adopts });
};

const finished = (): Journal =>
  asked().run().effect(finishAs('done', 'There is a test.'), 'finished').end({ kind: 'finished' });

const statusOf = ({ session }: Journal): string =>
  plainBody(statusComment(session, { now: '2030-01-15T15:00:00Z' }));

describe('a session on a pull request of someone else', () => {
  it('works on its branch, and has no pull request of its own', () => {
    const { session } = asked();
    expect(stateOf(session)).toBe('queued');
    expect(branchOf(session)).toBe('louder');
    expect(session.thread.pullRequest).toBeUndefined();
    expect(session.thread.title).toBe('Greet louder');
  });

  it('tells the model whose it is, and quotes what people wrote', () => {
    const { text } = inputMessage(asked().session);
    expect(text).toBe(
      [
        '# Pull request #7 by @ann, from `louder` into `main`: @octo-maintainer requested work on it',
        '> Greet louder',
        '',
        '> It was quiet.',
        '',
        '# Comment by @octo-maintainer on the pull request',
        '',
        '> @issuewright Add a test.',
      ].join('\n'),
    );
  });

  it('is done after a run, and begins again only if someone mentions the App', () => {
    const journal = finished();
    expect(stateOf(journal.session)).toBe('done');
    said(journal, 'I like it.').admit();
    journal.review('Not so loud.').admit();
    expect(needsRun(journal.session)).toBe(false);
    expect(takesRemarks(journal.session)).toBe(false);
    expect(needsRun(asked(journal, { ...PULL, branch: 'loudest' }).session)).toBe(true);
    expect(branchOf(journal.session)).toBe('loudest');
  });

  it('says once where its commits go, and speaks of the pull request', () => {
    expect(statusOf(asked().run())).toMatch(
      /I'm working on ann's pull request. I push to `louder`, never by force\./,
    );
    expect(statusOf(asked().run().effect(COMMIT))).toMatch(
      /I'm working on ann's pull request. I push to `louder`/,
    );
    expect(statusOf(finished())).toMatch(/Mention me if there is more to do/);
  });

  it('leads to its review once it has reviewed, unless it has changed something', () => {
    const review = { type: 'review', url: 'https://github.com/x', comments: 2 } as const;
    const reviewed = (...effects: readonly Effect[]) => {
      const journal = asked().run().effect(review);
      for (const effect of effects) journal.effect(effect);
      return statusOf(
        journal
          .effect(finishAs('done', 'Right.\n\n- No test.'), 'finished')
          .end({ kind: 'finished' }),
      );
    };
    expect(reviewed()).toMatch(
      /^\*\*✅ Reviewed\*\* · \[see the review\]\(https:\/\/github\.com\/x\)\n/,
    );
    expect(reviewed()).not.toMatch(/I push|No test/);
    expect(reviewed(COMMIT)).toMatch(/^\*\*✅ Done\*\*/);
  });

  it('merges its base branch as the first thing that is asked for, and never in a fork', () => {
    const { session } = resolve(PULL);
    expect([isMergeWanted(session), needsRun(session)]).toEqual([true, true]);
    const journal = resolve({ ...PULL, fork: 'ann/greeter' });
    const inFork = journal.session;
    expect([isMergeWanted(inFork), needsRun(inFork)]).toEqual([false, false]);
    expect(inFork.requests.commands).toMatchObject([{ command: 'resolve', applied: false }]);
    // Some entries of a long journal are not kept.
    const entries = journal.entries.slice(1);
    const options = { session: 's', now: '', pageUrl: undefined };
    const [comment, ...others] = noMergeComments({ session: inFork, entries, options });
    expect(plainBody(comment?.body ?? [])).toContain(
      "I can't push to the fork `ann/greeter`. ann can merge `main`",
    );
    expect(others).toEqual([]);
  });

  it('merges it on a retry too, if it could not be merged before anything else was done', () => {
    const rejected = { kind: 'failed', reason: 'There is no git.', rejectedMerge: true } as const;
    const journal = resolve(PULL).beginRun().end(rejected);
    expect(needsRun(journal.session)).toBe(false);
    const { session } = said(journal, '/issuewright retry').admitAsking('retry', true);
    expect([isMergeWanted(session), needsRun(session)]).toEqual([true, true]);
  });

  it('in a fork never takes the name of its branch, which may be that of any branch here', () => {
    const journal = asked(new Journal(), { ...PULL, branch: 'main', fork: 'ann/greeter' });
    expect(branchOf(journal.session)).toBe('issuewright/pull-7');
    expect(inputMessage(journal.session).text).toContain('from `main` of the fork `ann/greeter`');
    expect(statusOf(journal.run())).toMatch(
      /is in a fork, so I answer with a patch and run none of its code/,
    );
  });

  it('asks before it pushes once for each request, and a yes holds until the branch is another', () => {
    const journal = asked().beginRun();
    const text = 'May I push?';
    const question = { type: 'question', about: 'push', text, items: [{ text }] } as const;
    journal.add({ type: 'push_questioned', run: 1, effects: [question] }).end({ kind: 'asked' });
    const pushing = () => journal.session.thread.adopted?.pushing;
    expect(stateOf(journal.session)).toBe('waiting(answer)');
    expect(needsRun(journal.session)).toBe(false);
    const received = said(journal, 'Yes').entries.length;
    journal.add({ type: 'admitted', received, lineComments: [], allowsPush: true });
    expect(needsRun(journal.session)).toBe(true);
    expect(inputMessage(journal.session).text).toContain('> @issuewright Add a test.');
    expect(pushing()).toBe('allowed');
    asked(journal);
    said(journal, 'Thank you.').admit();
    expect(pushing()).toBe('allowed');
    journal.run().end({ kind: 'finished' });
    asked(journal);
    expect(pushing()).toBe('allowed');
    asked(journal, { ...PULL, branch: 'loudest' });
    expect(pushing()).toBe('undecided');
  });

  it('pushes nothing after another answer, until it is asked for more', () => {
    const journal = asked().beginRun();
    const question = { type: 'question', about: 'push', text: 'May I push?' } as const;
    journal.add({ type: 'push_questioned', run: 1, effects: [question] }).end({ kind: 'asked' });
    said(journal, 'Let me ask Bob.').admit();
    expect(journal.session.thread.adopted?.pushing).toBe('not_allowed');
    expect(needsRun(journal.session)).toBe(true);
    journal.run().end({ kind: 'finished' });
    expect(asked(journal).session.thread.adopted?.pushing).toBe('undecided');
  });

  it('pushes nothing for what is asked for during a run that may not push, and asks before the next one', () => {
    const journal = asked().beginRun();
    const question = { type: 'question', about: 'push', text: 'May I push?' } as const;
    journal.add({ type: 'push_questioned', run: 1, effects: [question] }).end({ kind: 'asked' });
    said(journal, 'Let me ask Bob.').admit();
    journal.beginRun();
    resolve(PULL, journal);
    expect(journal.session.thread.adopted?.pushing).toBe('undecided');
    expect([mayNotPush(journal.session), isMergeWanted(journal.session)]).toEqual([true, false]);
    journal.end({ kind: 'finished' });
    expect([mayNotPush(journal.session), isMergeWanted(journal.session)]).toEqual([false, true]);
    expect(needsRun(journal.session)).toBe(true);
  });

  it('ends with the pull request, and can go on if that is reopened', () => {
    const journal = finished();
    const number = { pullRequest: 7 };
    journal.receive({ kind: 'pull_request_closed', ...number, merged: false });
    expect(stateOf(journal.session)).toBe('stopped');
    expect(statusOf(journal)).toContain('Pull request #7 was closed without being merged.');
    journal.receive({ kind: 'pull_request_reopened', ...number });
    expect(stateOf(journal.session)).toBe('done');
    journal.receive({ kind: 'pull_request_closed', pullRequest: 8, merged: true });
    expect(stateOf(journal.session)).toBe('done');
    journal.receive({ kind: 'pull_request_closed', ...number, merged: true });
    expect(statusOf(journal)).toContain('Merged: #7');
    expect(journal.session.thread.closedPullRequests).toBe(0);
  });
});

describe('a patch for a fork', () => {
  const patched = (author: string): string => {
    const { session, entries } = asked(undefined, { ...PULL, fork: 'ann/greeter', author })
      .run()
      .effect({ type: 'patch', base: 'f'.repeat(40), summary: 'Louder.', files: [], text: 'x' });
    const options = { session: 'abc', pageUrl: undefined, now: '2030-01-15T15:00:00Z' };
    const [comment] = patchComments({ session, entries, options });
    const [first = ''] = plainBody(comment?.body ?? []).split('\n');
    return `${JSON.stringify(comment?.mention)} ${first}`;
  };

  it('is what the status leads to, the newest once it is published', () => {
    const patch = { base: 'f'.repeat(40), summary: 'Louder.', files: [], text: 'x' };
    const journal = asked(undefined, { ...PULL, fork: 'ann/greeter' })
      .run()
      .effect({ type: 'patch', ...patch });
    const first = journal.entries.length;
    const url = 'https://github.com/example/greeter/pull/7#issuecomment-';
    const published = (seq: number, id: number) =>
      journal.add({ type: 'published', key: `patch:${seq}`, id, url: `${url}${id}` });
    published(first, 1);
    journal.effect(finishAs('done', 'Louder.'), 'finished').end({ kind: 'finished' });
    expect(statusOf(journal)).toMatch(
      new RegExp(String.raw`^\*\*✅ Patched\*\* · \[see the patch\]\(${url}1\) · Louder\.\n`),
    );
    asked(journal, { ...PULL, fork: 'ann/greeter' })
      .run()
      .effect({ type: 'patch', ...patch });
    const second = journal.entries.length;
    journal.effect(finishAs('done', 'Louder.'), 'finished').end({ kind: 'finished' });
    published(first, 1);
    expect(statusOf(journal)).toMatch(/^\*\*✅ Patched\*\* · see the patch · Louder\.\n/);
    expect(statusOf(published(second, 2))).toContain(`[see the patch](${url}2)`);
  });

  it.each([
    ['ann', '["octo-maintainer","ann"] @octo-maintainer @ann I can'],
    ['Octo-Maintainer', '["Octo-Maintainer"] @Octo-Maintainer I can'],
    ['some-app[bot]', '["octo-maintainer"] @octo-maintainer I can'],
  ])('mentions whoever asked and the author, once, if it is a person: %s', (author, said) => {
    expect(patched(author)).toContain(said);
  });
});

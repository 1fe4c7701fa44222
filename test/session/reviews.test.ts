import { describe, expect, it } from '@jest/globals';
import type { CommentThread, LineComment } from '../../src/contracts/shown-text.ts';
import { lookAgainAt } from '../../src/app/advance/waits.ts';
import type { EntryOf } from '../../src/session/entry.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import { outcomeComment } from '../../src/session/texts/comments.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { statusComment } from '../../src/session/texts/status-comment.ts';
import { threadReplies } from '../../src/app/publish/on-pull-request.ts';
import { threadNotices } from '../../src/app/run/notices.ts';
import { threadReply } from '../../src/session/texts/pull-request-comments.ts';
import { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { submitted } from '../support/stories.ts';

const on = (root: number, isResolved = false): LineComment => ({
  path: 'a.ts',
  line: 2,
  body: 'Name it.',
  thread: {
    comment: root,
    root,
    side: 'new',
    hunk: '@@ -1 +1 @@\n+new',
    isResolved,
    isOutdated: false,
    earlier: [],
    leftOut: 0,
  },
});

const resolution = (root: number, isResolved: boolean, at: string) =>
  ({ kind: 'review_thread', pullRequest: 12, root, isResolved, at }) as const;

describe('a review thread', () => {
  const journal = () =>
    new Journal()
      .start()
      .review('See.')
      .admit([on(31), on(32)]);
  const threads = ({ session }: Journal) =>
    session.reviews.threads.map(({ number, root, isResolved }) => [number, root, isResolved]);

  it('is known once a review with it is admitted, by a number that it keeps', () => {
    const later = journal()
      .review('')
      .admit([on(32), on(33)]);
    expect(threads(later)).toEqual([
      [1, 31, false],
      [2, 32, false],
      [3, 33, false],
    ]);
  });

  it('is resolved or not as GitHub said last, in whichever order it is heard', () => {
    const [early, late] = ['2031-01-01T00:00:00Z', '2031-01-01T00:00:09Z'];
    const resolved = journal().receive(resolution(32, true, late));
    expect(threads(resolved)[1]).toEqual([2, 32, true]);
    resolved.receive(resolution(32, false, early));
    expect(threads(resolved)[1]).toEqual([2, 32, true]);
  });

  it('is resolved also if the clock of GitHub is behind ours', () => {
    const long = '2001-01-01T00:00:00Z';
    expect(threads(journal().receive(resolution(31, true, long)))[0]).toEqual([1, 31, true]);
  });

  it('says nothing to a session that does not know it', () => {
    const other = journal().receive(resolution(99, true, '2031-01-01T00:00:00Z'));
    expect(threads(other)).toHaveLength(2);
  });
});

it('a review whose verdict was looked up is read with it', () => {
  const review = { kind: 'review', pullRequest: 12, reviewId: 5, body: '' } as const;
  const journal = new Journal().start().receive(review);
  const verdict = { type: 'admitted', received: 4, lineComments: [], verdict: 'approved' } as const;
  expect(journal.add(verdict).session.requests.unread.at(-1)?.intent).toMatchObject({
    verdict: 'approved',
  });
});

describe('a single comment on a line', () => {
  const UNTIL = '2030-01-15T15:00:00Z';
  const single = (journal: Journal) => {
    const received = journal.receive({
      kind: 'review',
      pullRequest: 12,
      reviewId: journal.entries.length,
      verdict: 'commented',
      body: '',
    }).entries.length;
    return journal.add({
      type: 'admitted',
      received,
      lineComments: [on(received)],
      gatherUntil: UNTIL,
    });
  };
  const states = ({ session }: Journal) => [stateOf(session), needsRun(session)];

  it('waits for others, and then starts one run with all of them', () => {
    const journal = single(single(submitted()));
    expect(states(journal)).toEqual(['waiting(review)', false]);
    journal.add({ type: 'comments_gathered', upTo: journal.entries.length });
    expect(states(journal)).toEqual(['queued', true]);
    expect(journal.session.requests.unread).toHaveLength(2);
  });

  it('and remarks of an approving review wait in the same way', () => {
    const journal = submitted().review('LGTM', 'approved');
    const received = journal.entries.length;
    const told = { type: 'admitted', received, lineComments: [on(31)] } as const;
    expect(states(journal.add(told))).toEqual(['waiting(review)', false]);
    const again = journal.review('LGTM', 'approved').entries.length;
    journal.add({ ...told, received: again, remarks: true, gatherUntil: UNTIL });
    expect(states(journal)).toEqual(['waiting(review)', false]);
    journal.add({ type: 'comments_gathered', upTo: journal.entries.length });
    expect(states(journal)).toEqual(['queued', true]);
    journal.receive({ kind: 'pull_request_closed', pullRequest: 12, merged: true });
    expect(states(journal)).toEqual(['done', false]);
  });

  it('and a review that asks nothing start no run', () => {
    const journal = submitted().review('', 'changes_requested');
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [on(31)], remarks: false });
    expect(states(journal)).toEqual(['waiting(review)', false]);
  });

  it('goes along with a review, which waits for nothing', () => {
    const journal = single(submitted()).review('See.').admit();
    expect(states(journal)).toEqual(['queued', true]);
    journal.run();
    expect(journal.session.requests.unread).toEqual([]);
  });

  it('that comes during a run is read by it', () => {
    const journal = single(submitted().review('See.').admit().run());
    expect(journal.session.requests.unread).toHaveLength(1);
    expect(journal.takeInput().session.requests.unread).toEqual([]);
  });

  it('is waited for until its time, and no longer than two minutes for a stream of them', () => {
    const journal = single(submitted());
    const at = (tracker: Journal) => lookAgainAt(tracker)?.toISOString();
    expect(at(journal)).toBe('2030-01-15T15:00:00.000Z');
    const received = single(journal).entries.length;
    journal.entries[received - 1] = {
      ...(journal.entries[received - 1] as EntryOf<'admitted'>),
      gatherUntil: '2030-01-15T15:09:00Z',
    };
    expect(at(journal)).toBe('2030-01-15T15:02:00.000Z');
    journal.add({ type: 'comments_gathered', upTo: received });
    expect(at(journal)).toBeUndefined();
  });
});

describe('a round of review', () => {
  const FILES = [{ path: 'a.ts', status: 'modified' }] as const;
  const begun = () =>
    submitted()
      .review('See.')
      .admit([on(31), { ...on(32), path: 'b.ts' }])
      .run();
  const says = ({ session: { reviews } }: Journal) => {
    const round = reviews.rounds.at(-1);
    return round?.threads.map((one) => plainBody(threadReply(reviews, round, one)));
  };
  const why = 'I changed nothing for this.';
  const ended = "I didn't get to this:";

  const about = (root: number, more: Partial<CommentThread>): LineComment => {
    const { thread, ...comment } = on(root);
    return { ...comment, ...(thread === undefined ? {} : { thread: { ...thread, ...more } }) };
  };
  const replies = ({ session, entries }: Journal) => {
    const options = { session: 's', now: '', pageUrl: undefined };
    return threadReplies({ session, entries, options }).map(({ key }) => key);
  };

  it('has a 👍 for praise, and says nothing to what is for someone else', () => {
    const journal = submitted()
      .review('See.')
      .admit([about(31, { asksNothing: 'praise' }), about(32, { asksNothing: 'for_others' })])
      .run()
      .effect({ type: 'commit', sha: '1234567890', message: 'Name it', files: FILES })
      .end({ kind: 'finished' });
    expect(replies(journal)).toEqual([]);
  });

  it.each(['approved', 'changes_requested'] as const)(
    'explains in its only thread why nothing was changed, and nowhere else: %s',
    (verdict) => {
      const journal = submitted().review('See.', verdict);
      const received = journal.entries.length;
      const lineComments = [on(31), about(32, { asksNothing: 'praise' })];
      journal.add({
        type: 'admitted',
        received,
        lineComments,
        remarks: true,
        shown: { body: 'See.' },
      });
      journal.run().effect(stories.finishAs('nothing_to_do', 'It has a name.'));
      journal.end({ kind: 'finished' });
      expect(says(journal)?.[0]).toBe('It has a name.');
      expect(replies(journal)).toEqual(['thread:1:31']);
      expect(journal.session.requests.replies).toEqual([]);
      expect(outcomeComment(journal.session)).toBeUndefined();
    },
  );

  it('is explained in a comment if one of several threads has no words of the agent', () => {
    const journal = submitted().review('', 'approved');
    const received = journal.entries.length;
    journal.add({ type: 'admitted', received, lineComments: [on(31), on(32)], remarks: true });
    journal.run().effect({ type: 'thread_reply', thread: 2, text: 'It has a name.' });
    journal.effect(stories.finishAs('nothing_to_do', 'Both are fine.')).end({ kind: 'finished' });
    expect(says(journal)?.at(0)).toMatch(why);
    expect(plainBody(outcomeComment(journal.session) ?? [])).toContain('Both are fine.');
  });

  it('has none to thanks for what we said, unless the model has something to say', () => {
    const thanks = about(31, { asksNothing: 'praise', earlier: [{ body: 'Named.' }] });
    const journal = submitted().review('See.').admit([thanks]).run().end({ kind: 'finished' });
    expect(replies(journal)).toEqual([]);
    journal.review('See.').admit([thanks]).run();
    journal.effect({ type: 'thread_reply', thread: 1, text: 'Yes.' }).end({ kind: 'finished' });
    expect(replies(journal)).toEqual(['thread:2:31']);
  });

  it('has a reply to what else is said in a thread after praise', () => {
    const journal = submitted()
      .review('See.')
      .admit([about(31, { asksNothing: 'praise' }), on(31)])
      .run()
      .end({ kind: 'finished' });
    expect(says(journal)?.[0]).toMatch(why);
  });

  it('does not begin with praise alone', () => {
    const journal = submitted().review('', 'changes_requested');
    const received = journal.entries.length;
    const lineComments = [about(31, { asksNothing: 'praise' })];
    journal.add({ type: 'admitted', received, lineComments, remarks: false });
    journal.comment('And now this.').admitAsking('work').run().end({ kind: 'finished' });
    expect(journal.session.reviews.rounds).toEqual([]);
    expect(replies(journal)).toEqual([]);
  });

  it('has the threads that the model read, and the replies to them', () => {
    const journal = begun()
      .effect({ type: 'thread_reply', thread: 2, text: 'No.' })
      .effect({ type: 'thread_reply', thread: 2, text: 'Not here.' })
      .effect({ type: 'commit', sha: '1234567890', message: 'Name it', files: FILES })
      .end({ kind: 'finished' });
    expect(says(journal)?.toSorted()).toEqual(['Changed `a.ts` in 1234567.', 'Not here.']);
  });

  it('goes on after a question, and joins what comes in until it ends', () => {
    const journal = begun().effect({ type: 'question', text: 'Which?' }, 'asked');
    journal
      .end({ kind: 'asked' })
      .review('')
      .admit([{ ...on(31), path: 'a.ts' }])
      .run();
    expect(journal.session.reviews.rounds).toHaveLength(1);
    journal
      .end({ kind: 'finished' })
      .review('')
      .admit([on(31)])
      .run();
    expect(journal.session.reviews.rounds.map(({ threads }) => threads.length)).toEqual([2, 1]);
  });

  it.each([
    ['Removed.', 'Removed in 1234567.'],
    ['Renamed it', 'Renamed it in 1234567.'],
    ['Yes.', 'Changed `a.ts` in 1234567.\n\nYes.'],
    ['Removed, but `b` is used.', 'Changed `a.ts` in 1234567.\n\nRemoved, but `b` is used.'],
  ])('names the commit with what the agent did: %s', (text, words) => {
    const journal = submitted()
      .review('')
      .admit([{ ...on(31), path: 'a.ts' }])
      .run();
    journal.effect({ type: 'thread_reply', thread: 1, text });
    journal
      .effect({ type: 'commit', sha: '1234567890', message: 'Name it', files: FILES })
      .end({ kind: 'finished' });
    expect(says(journal)).toEqual([words]);
  });

  it.each([
    [{ kind: 'finished' }, `${why} If something should change, reply and say what.`],
    [{ kind: 'stopped', reason: 'x stopped it.' }, `${ended} x stopped it.`],
    [{ kind: 'limit', reason: 'A limit.' }, `${ended} A limit.`],
  ] as const)('that ends with %j says so where nothing was done', (end, words) => {
    expect(says(begun().end(end))).toEqual([words, words]);
  });

  it('resolves no thread that was outdated before it: whether it changed the lines is not known', () => {
    const keys = (isOutdated: boolean) => {
      const comment = on(31);
      const about = comment.thread && { ...comment.thread, isOutdated };
      const journal = submitted()
        .review('See.')
        .admit([{ ...comment, ...(about === undefined ? {} : { thread: about }) }])
        .run({ resolvesThreads: true })
        .effect({ type: 'thread_reply', thread: 1, text: 'Done.' })
        .effect({ type: 'commit', sha: '1234567890', message: 'Name it', files: FILES })
        .end({ kind: 'finished' });
      const options = { session: 'abc', pageUrl: undefined, now: '' };
      const { session, entries } = journal;
      return threadReplies({ session, entries, options }).map(({ key }) => key);
    };
    expect(keys(false)).toEqual(['thread:1:31', 'resolve:1:31']);
    expect(keys(true)).toEqual(['thread:1:31']);
  });

  it('replies in a thread that was resolved too early and is open again, and leaves others alone', async () => {
    const journal = begun().effect({ type: 'finish', outcome: 'done', summary: 'x' });
    journal.end({ kind: 'finished' }).receive(resolution(31, true, '2031-01-01T00:00:00Z'));
    const options = { session: 'abc', pageUrl: undefined, now: '' };
    const reply = ({ session, entries }: Journal = journal) =>
      threadReplies({ session, entries, options })[0];
    const written: unknown[] = [];
    const replyToThread = (one: object) => {
      written.push('known' in one ? one.known : undefined);
      return Promise.resolve({ id: 9, url: '' });
    };
    const github = { replyToThread } as never;
    const before = reply();
    await before?.publish(github, 0);
    expect(written).toEqual([]);
    journal.receive(resolution(31, false, '2031-01-01T00:00:09Z'));
    const after = reply();
    expect(after?.digest).not.toBe(before?.digest);
    await after?.publish(github, 0);
    expect(written).toEqual([undefined]);
    journal.add({ type: 'published', key: after?.key ?? '', id: 9, url: '' });
    expect(reply()?.digest).toBe(after?.digest);
    const there = begun().end({ kind: 'finished' });
    const digest = reply(there)?.digest;
    there.add({ type: 'published', key: 'thread:1:31', id: 9, url: '' });
    there.receive(resolution(31, false, '2031-01-01T00:00:09Z'));
    expect(reply(there)?.digest).toBe(digest);
  });

  it('keeps the messages of commits for its one push', () => {
    const journal = begun().effect({ type: 'commit_held', message: 'Name it' });
    expect(journal.session.reviews.rounds.at(-1)?.held).toEqual(['Name it']);
    journal.effect({ type: 'commit', sha: '1234567890', message: 'Name it', files: FILES });
    expect(journal.session.reviews.rounds.at(-1)?.held).toEqual([]);
  });
});

describe('the limit of rounds', () => {
  const reviewed = (journal: Journal) => journal.review('See.').admit([on(31)]);
  const worked = (journal: Journal) =>
    reviewed(journal).run({ reviewRounds: 2 }).end({ kind: 'finished' });
  const reached = () => reviewed(worked(worked(submitted())));

  it('asks a person once so many runs for reviews have followed one another', () => {
    expect(stateOf(reviewed(worked(submitted())).session)).toBe('queued');
    const { session } = reached();
    expect([stateOf(session), needsRun(session)]).toEqual(['waiting(person)', false]);
    expect(plainBody(statusComment(session, { now: session.thread.openedAt }))).toContain(
      '2 rounds of review are done',
    );
  });

  it.each(['retry', 'resume'] as const)('is lifted by a person who says %s', (name) => {
    const { session } = reached().command(name);
    expect(stateOf(session)).toBe('queued');
    expect(session.requests.unread).toHaveLength(2);
  });

  it('counts a run once, and no run that a comment asked for', () => {
    const busy = reviewed(reviewed(submitted()).run({ reviewRounds: 2 })).takeInput();
    busy.end({ kind: 'finished' }).comment('More.').admit().run({ reviewRounds: 2 });
    expect(stateOf(reviewed(busy.end({ kind: 'finished' })).session)).toBe('queued');
  });
});

it('a run is told of threads that were resolved in the meantime', () => {
  const journal = submitted()
    .review('See.')
    .admit([on(31), on(32)])
    .run();
  const told = ({ session }: Journal) => threadNotices(session).map(({ text }) => text);
  expect(told(journal)).toEqual([]);
  journal.receive(resolution(32, true, '2031-01-01T00:00:00Z'));
  expect(told(journal)).toEqual(['(Review thread 2 is resolved: nobody expects an answer there.)']);
});

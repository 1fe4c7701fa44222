// A session that reviews the pull request of someone else, and what changes that.
import { describe, expect, it } from '@jest/globals';
import { inputMessage } from '../../src/agent/prompts/input.ts';
import type { Person, ReviewCause } from '../../src/contracts/intent.ts';
import { isMergeWanted, readable } from '../../src/session/merging.ts';
import { reviewToBegin } from '../../src/session/requested-work.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import { finishAs } from '../support/stories.ts';
import { Journal, STRANGER } from '../support/journal.ts';

const ADOPTS = {
  number: 7,
  url: 'https://github.com/example/greeter/pull/7',
  title: 'Greet louder',
  author: 'ann',
  branch: 'louder',
  baseBranch: 'main',
};
const HEAD = 'b'.repeat(40);

function wanted(
  review: ReviewCause,
  {
    journal = new Journal(),
    sender,
    gatherUntil,
  }: {
    readonly journal?: Journal;
    readonly sender?: Person;
    readonly gatherUntil?: string;
  } = {},
): Journal {
  const label = review === 'label' ? 'issuewright' : '';
  const intent = { kind: 'start', label, title: ADOPTS.title, body: '', review } as const;
  const received = journal.receive(intent, sender).entries.length;
  return journal.add({
    type: 'admitted',
    received,
    lineComments: [],
    issue: { title: ADOPTS.title, body: 'It was quiet.', hidden: '', digest: 'a' },
    adopts: ADOPTS,
    ...(gatherUntil === undefined ? {} : { gatherUntil }),
  });
}

const mention = (journal: Journal): Journal =>
  journal
    .receive({ kind: 'comment', on: 'pull_request', commentId: 90, body: '@issuewright Fix it.' })
    .admitAsking('work');

const reviewed = (cause: ReviewCause = 'label'): Journal =>
  wanted(cause)
    .run()
    .effect({ type: 'review', url: 'https://github.test/r1', comments: 1, head: HEAD, id: 1 })
    .effect(finishAs('done', 'One fault.'), 'finished')
    .end({ kind: 'finished' });

describe('a review that is wanted', () => {
  it.each(['label', 'request', 'opened', 'ready'] as const)('by %s is of all of it', (cause) => {
    const journal = wanted(cause);
    expect(stateOf(journal.session)).toBe('queued');
    expect(reviewToBegin(journal.session)).toBe('all');
    expect(journal.run().session.run?.reviews).toBe('all');
  });

  it('by a push waits for other pushes, and is of what is new, for who asked before', () => {
    const until = '2030-01-15T14:10:00Z';
    const journal = wanted('pushed', { journal: reviewed(), sender: STRANGER, gatherUntil: until });
    expect(needsRun(journal.session)).toBe(false);
    const upTo = journal.entries.length;
    journal.add({ type: 'comments_gathered', upTo });
    expect(needsRun(journal.session)).toBe(true);
    expect(journal.run().session).toMatchObject({
      run: { reviews: 'news' },
      requests: { requester: { login: 'octo-maintainer' } },
      thread: { label: 'issuewright' },
    });
  });

  it('says in the prompt what is wanted, and by whom', () => {
    const text = inputMessage(wanted('opened', { sender: STRANGER }).session).text;
    expect(text).toContain(
      '# Pull request #7 by @ann, from `louder` into `main`: @example-visitor opened it: review it',
    );
  });

  it('is tried again as a review', () => {
    const failed = wanted('label').run().end({ kind: 'failed', reason: 'No.' }).command('retry');
    expect(failed.beginRun().session.run?.reviews).toBe('all');
  });

  it('is no review if work is wanted too', () => {
    expect(mention(wanted('label')).run().session.run?.reviews).toBeUndefined();
  });
});

describe('a run that reviews', () => {
  it('leaves work to the next run, which is none', () => {
    const journal = mention(wanted('label').run());
    expect(readable(journal.session)).toEqual([]);
    journal.effect(finishAs('done', 'Fine.'), 'finished').end({ kind: 'finished' });
    expect(journal.session.requests.unread.map(({ ask }) => ask)).toEqual(['work']);
    expect(needsRun(journal.session)).toBe(true);
    expect(journal.run().session.run?.reviews).toBeUndefined();
  });

  it('leaves what is pushed meanwhile to the next run, which reviews that', () => {
    const journal = wanted('pushed', { journal: wanted('label').run().turn({}) });
    expect(readable(journal.session)).toEqual([]);
    journal.comment('Never mind.').admit().takeInput();
    expect(journal.session.requests.unread.map(({ intent }) => intent.kind)).toEqual(['start']);
    journal.effect(finishAs('done', 'Fine.'), 'finished').end({ kind: 'finished' });
    expect(journal.run().session.run?.reviews).toBe('news');
  });

  it('merges nothing, whoever asks for that while it is prepared', () => {
    const journal = wanted('label').beginRun();
    journal.receive({
      kind: 'comment',
      on: 'pull_request',
      commentId: 91,
      body: '/issuewright resolve',
    });
    journal.admitAsking('resolve', true);
    expect(isMergeWanted(journal.session)).toBe(false);
  });

  it('does not decide whether a plan comes first', () => {
    const journal = reviewed();
    expect(journal.session.waiting.approval).toBe('undecided');
    mention(journal).beginRun().prepare({ planFirst: true });
    expect(journal.session.waiting.approval).toBe('needed');
  });

  it('ends as reviewed', () => {
    const { session } = reviewed();
    expect(stateOf(session)).toBe('done');
    expect(session.work.given).toMatchObject([{ head: HEAD, id: 1 }]);
  });
});

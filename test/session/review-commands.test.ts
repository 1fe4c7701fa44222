// Commands in a review of the pull request: in its words, or in comments on lines.
import { describe, expect, it } from '@jest/globals';
import { inputMessage } from '../../src/agent/prompts/input.ts';
import { reactions } from '../../src/app/publish/acknowledgements.ts';
import type { AskedFor, ReactionPlace, PlacedAsk } from '../../src/contracts/intent.ts';
import type { LineComment } from '../../src/contracts/shown-text.ts';
import type { EntryOf } from '../../src/session/entry.ts';
import { needsRun, stateOf } from '../../src/session/state.ts';
import type { Journal } from '../support/journal.ts';
import { proposed, submitted } from '../support/stories.ts';
import { isRoundLimitReached } from '../../src/session/requested-work.ts';

const on = (comment: number, body: string): LineComment => ({
  path: 'a.ts',
  line: 2,
  body,
  thread: {
    comment,
    root: comment,
    side: 'new',
    hunk: '@@ -1 +1 @@\n+new',
    isResolved: false,
    isOutdated: false,
    earlier: [],
    leftOut: 0,
  },
});

const onLine = (id: number): ReactionPlace => ({ on: 'line_comment', id });
const asks = (id: number, what: AskedFor, alone = true): PlacedAsk => ({
  in: onLine(id),
  for: what,
  alone,
});

type Told = Pick<EntryOf<'admitted'>, 'lineComments' | 'asks' | 'ask' | 'approves'>;

/** A review, and what admission found in it. */
const reviewed = (journal: Journal, told: Told, verdict?: 'approved'): Journal => {
  const received = journal.review('', verdict).entries.length;
  return journal.add({ type: 'admitted', received, ...told });
};

/** Only this command, on line comment 31. */
const commanded = (journal: Journal, what: AskedFor): Journal =>
  reviewed(journal, {
    lineComments: [on(31, `/issuewright ${what}`)],
    ask: { for: what, alone: true },
    asks: [asks(31, what)],
  });

/** The same, with a remark on line comment 32. */
const withRemark = (journal: Journal, what: AskedFor, verdict?: 'approved'): Journal =>
  reviewed(
    journal,
    {
      lineComments: [on(31, `/issuewright ${what}`), on(32, 'Name it.')],
      ask: { for: what, alone: false },
      asks: [asks(31, what)],
    },
    verdict,
  );

const run = (journal: Journal): Journal => journal.run().end({ kind: 'finished' });
const rootsOf = ({ session }: Journal) => session.reviews.threads.map(({ root }) => root);
const reactionsOf = ({ session, entries }: Journal) =>
  reactions({ session, entries, options: { session: 's', now: '', pageUrl: undefined } }).map(
    ({ key, digest }) => `${key} ${digest}`,
  );

describe('a command in a review', () => {
  it('that says nothing else is carried out, and is nothing for the model', () => {
    const journal = commanded(submitted(), 'status');
    expect(journal.session.requests.unread).toEqual([]);
    expect(needsRun(journal.session)).toBe(false);
    expect(rootsOf(journal)).toEqual([]);
    expect(reactionsOf(journal)).toContain('order:line_comment:31 +1');
  });

  it('leaves the remarks beside it to the model', () => {
    const journal = withRemark(submitted(), 'status');
    expect(needsRun(journal.session)).toBe(true);
    expect(rootsOf(journal)).toEqual([32]);
    const { text } = inputMessage(journal.session);
    expect(text).toContain('Name it.');
    expect(text).not.toContain('/issuewright');
  });

  it('stops a run, whose review waits until work is asked for again', () => {
    const journal = withRemark(submitted().review('See.').admit().run(), 'stop');
    expect(journal.session.run?.interruptedAt).toBeDefined();
    journal.end({ kind: 'stopped', reason: '@octo-maintainer stopped it.' });
    expect([stateOf(journal.session), needsRun(journal.session)]).toEqual(['stopped', false]);
    commanded(journal, 'retry');
    expect(needsRun(journal.session)).toBe(true);
    expect(inputMessage(journal.session).text).toContain('Name it.');
  });

  it('begins work in its place, which shows that it was read and how it ended', () => {
    const journal = withRemark(submitted(), 'retry');
    expect(reactionsOf(journal)).toContain('reaction:line_comment:31 eyes');
    expect(inputMessage(journal.session).text).toMatch(
      /^# @octo-maintainer asks to try again\n\n# Review: @octo-maintainer requested changes\n/,
    );
    expect(reactionsOf(run(journal))).toContain('end:line_comment:31 rocket');
  });

  it('is only one of several: the others had no effect', () => {
    const journal = reviewed(submitted(), {
      lineComments: [on(31, '/issuewright cost'), on(32, '/issuewright pause')],
      ask: { for: 'pause', alone: true },
      asks: [asks(31, 'cost'), asks(32, 'pause')],
    });
    expect(stateOf(journal.session)).toBe('waiting(pause)');
    expect(reactionsOf(journal)).toEqual(
      expect.arrayContaining(['order:line_comment:31 confused', 'order:line_comment:32 +1']),
    );
  });

  it('approves a plan', () => {
    const review = {
      lineComments: [],
      ask: { for: 'approve', alone: true },
      approves: true,
    } as const;
    const place = { on: 'review', id: 5, pullRequest: 12 } as const;
    const journal = reviewed(proposed(), {
      ...review,
      asks: [{ in: place, for: 'approve', alone: true }],
    });
    expect(journal.session.waiting.approval).toBe('given');
    expect(needsRun(journal.session)).toBe(true);
    expect(reactionsOf(journal)).toContain('reaction:review:5 eyes');
  });

  it('to merge the base branch comes before the rest of the review', () => {
    const journal = withRemark(submitted(), 'resolve');
    expect(needsRun(journal.session)).toBe(true);
    journal.beginRun().prepare();
    const upTo = journal.session.requests.unread.at(-1)?.admittedAt ?? 0;
    journal.add({ type: 'input_read', upTo, text: '' });
    expect(journal.session.reviews.rounds).toEqual([]);
    expect(journal.session.requests.unread).toHaveLength(1);
  });

  it('lets reviews begin again that were too many, and a mention in one does not', () => {
    const journal = submitted();
    const another = () => journal.review('See.').admit([on(40, 'This.')]);
    const round = () => another().run({ reviewRounds: 2 }).end({ kind: 'finished' });
    round();
    round();
    another();
    expect(stateOf(journal.session)).toBe('waiting(person)');
    withRemark(journal, 'work');
    expect(stateOf(journal.session)).toBe('waiting(person)');
    commanded(journal, 'retry');
    expect(isRoundLimitReached(journal.session.reviews)).toBe(false);
    expect(needsRun(journal.session)).toBe(true);
  });
});

describe('a mention in a review', () => {
  it('that approves asks for work all the same', () => {
    expect(needsRun(withRemark(submitted(), 'work', 'approved').session)).toBe(true);
  });

  it('from before the pull request was merged begins nothing new', () => {
    const at = '2030-01-15T14:00:00Z';
    const journal = submitted().receive({
      kind: 'pull_request_closed',
      pullRequest: 12,
      merged: true,
      at: '2030-01-15T14:00:09Z',
    });
    const said = { kind: 'review', pullRequest: 12, reviewId: 5, verdict: 'commented' } as const;
    const received = journal.receive({ ...said, body: '@issuewright More.', at }).entries.length;
    journal.add({
      type: 'admitted',
      received,
      lineComments: [],
      ask: { for: 'work', alone: false },
    });
    expect(stateOf(journal.session)).toBe('done');
  });
});

describe('a command in a review by someone who may give none', () => {
  it('is answered where it was given', () => {
    const received = submitted().review('');
    const journal = received.add({
      type: 'rejected',
      received: received.entries.length,
      reason: 'not_permitted',
      notify: true,
      attempt: 'command',
      asks: [asks(31, 'stop')],
    });
    expect(reactionsOf(journal)).toContain('order:line_comment:31 confused');
  });
});

describe('a review that starts work without a mention', () => {
  const eyes = (journal: Journal) => reactionsOf(journal).filter((one) => one.endsWith('eyes'));
  const { thread, ...praise } = on(31, 'Nice!');
  const nothing: LineComment = {
    ...praise,
    ...(thread === undefined ? {} : { thread: { ...thread, asksNothing: 'praise' } }),
  };

  it.each<[string, string, readonly LineComment[], string]>([
    [
      'on its first line comment that asks for something',
      '',
      [nothing, on(32, 'Name it.'), on(33, 'This too.')],
      'line_comment:32',
    ],
    ['on the review itself if it has words', 'See below.', [on(32, 'Name it.')], 'review:'],
  ])('shows that it was read: %s', (_where, words, lineComments, place) => {
    const journal = submitted().review(words).admit(lineComments);
    expect(eyes(journal).at(-1)).toMatch(new RegExp(`^reaction:${place}\\d* eyes$`));
    expect(eyes(journal)).toHaveLength(2);
  });

  it('and one that starts none shows nothing', () => {
    const journal = submitted().review('', 'approved').admit([nothing]);
    expect(eyes(journal)).toEqual(['reaction:issue eyes']);
  });
});

describe('an edit that asks for work', () => {
  it('is read as a review if it is of the words of one', () => {
    const place = { on: 'review', id: 9, pullRequest: 12 } as const;
    const journal = submitted()
      .receive({ kind: 'edited', in: place, body: 'x' })
      .admitAsking('work');
    expect(inputMessage(journal.session).text).toBe(
      '# Review by @octo-maintainer, as they edited it\n\n> x',
    );
  });
});

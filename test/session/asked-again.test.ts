import { describe, expect, it } from '@jest/globals';
import { isQuestionOpen, needsRun, stateOf } from '../../src/session/state.ts';
import { BOT, type Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';

const CLOSED = { kind: 'issue_closed', at: '2030-01-15T14:03:30Z' } as const;
const REOPENED = { kind: 'issue_reopened', at: '2030-01-15T14:03:35Z' } as const;
const ENDED = { kind: 'stopped', reason: 'x' } as const;

const state = ({ session }: Journal) => stateOf(session);
const close = (journal: Journal) => journal.receive(CLOSED);

describe('what is asked between a stop and the end of its run', () => {
  it.each(['retry', 'resume'] as const)('is new: /issuewright %s', (word) => {
    const journal = stories.working().command('stop').command(word).end(ENDED);
    expect(needsRun(journal.session)).toBe(true);
  });

  it('is new if a removed label or a closed issue stopped it', () => {
    const unlabelled = stories.working().receive({ kind: 'unlabeled', label: 'issuewright' });
    expect(state(unlabelled.admit().start().end(ENDED))).toBe('queued');
    const closed = close(stories.working()).comment('@issuewright go on').admitAsking('work');
    expect(state(closed.end(ENDED))).toBe('queued');
  });

  it('is not what was asked before the stop, though it was judged after', () => {
    const journal = stories.working().comment('@issuewright and this');
    const { seq } = journal.session;
    journal.command('stop');
    const verdict = { type: 'admitted', received: seq, lineComments: [] } as const;
    journal.add({ ...verdict, ask: { for: 'work', alone: false } }).end(ENDED);
    expect(state(journal)).toBe('stopped');
  });
});

describe('a comment that GitHub tells of after the closing that followed it', () => {
  const asked = (journal: Journal, at: string) =>
    journal
      .receive({ kind: 'comment', on: 'issue', commentId: 1, body: '@issuewright go on', at })
      .admitAsking('work');
  const closings = {
    'its pull request was closed': {
      kind: 'pull_request_closed',
      pullRequest: 12,
      merged: false,
      at: CLOSED.at,
    },
    'its pull request was merged': {
      kind: 'pull_request_closed',
      pullRequest: 12,
      merged: true,
      at: CLOSED.at,
    },
    'its issue was closed': CLOSED,
  } as const;

  it.each(Object.entries(closings))('begins nothing if %s', (_what, closing) => {
    const late = asked(stories.submitted().receive(closing), '2030-01-01T09:59:59Z');
    expect(needsRun(late.session)).toBe(false);
    const inOrder = asked(stories.submitted(), '2030-01-01T09:59:59Z').receive(closing);
    expect(state(late)).toBe(state(inOrder));
    const after = asked(stories.submitted().receive(closing), '2030-01-15T14:03:31Z');
    expect(state(after)).toBe('queued');
  });
});

describe('a comment during a run', () => {
  it('gets a run of its own if the last request was in progress', () => {
    const journal = stories.working().comment('In blue, please.').admit();
    journal.effect(stories.finishAs('nothing_to_do', 'It does.')).end({ kind: 'finished' });
    expect(state(journal)).toBe('queued');
    expect(state(journal.run().end({ kind: 'finished' }))).toBe('done');
  });

  it('gets none if it came after the end, or the run was interrupted, or a bot wrote it', () => {
    const bots = stories.working().comment('Coverage: 80 %.', BOT).admit();
    bots.effect(stories.finishAs('nothing_to_do', 'It does.')).end({ kind: 'finished' });
    expect(state(bots)).toBe('done');
    expect(state(stories.submitted().comment('Nice.').admit())).toBe('waiting(review)');
    const broken = stories.working().comment('In blue.').admit();
    expect(state(broken.end({ kind: 'failed', reason: 'x' }))).toBe('failed');
  });

  it('answers no question that was asked after it', () => {
    const asks = { type: 'question', text: 'Which?' } as const;
    const journal = stories.working().comment('CI is slow today.').admit();
    journal.effect(asks, 'asked').end({ kind: 'asked' });
    expect(state(journal)).toBe('waiting(answer)');
    expect(isQuestionOpen(journal.session)).toBe(true);
    expect(state(journal.comment('The first.').admit())).toBe('queued');
    expect(journal.session.requests.unread).toHaveLength(2);
  });

  it('agrees to no plan that was made after it', () => {
    const journal = stories.queued();
    journal.run({ planFirst: true }).comment('Go.').admit();
    journal
      .effect({ type: 'plan', items: [], needsApproval: true }, 'asked')
      .end({ kind: 'asked' });
    expect(state(journal)).toBe('waiting(approval)');
  });
});

describe('an issue that was closed', () => {
  it.each([
    ['a question', stories.asked],
    ['a plan', stories.proposed],
  ])('begins again by a request, whatever waits: %s', (_what, story) => {
    const journal = close(story()).receive(REOPENED).command('retry');
    expect(needsRun(journal.session)).toBe(true);
    const unheard = close(story()).command('retry');
    expect(needsRun(unheard.session)).toBe(true);
  });

  it('is paused no more', () => {
    const paused = stories.working().command('pause');
    const journal = close(paused).end(ENDED);
    expect(state(journal)).toBe('stopped');
    expect(state(journal.receive(REOPENED).command('retry'))).toBe('queued');
  });

  it.each([
    ['waiting(answer)', stories.asked],
    ['waiting(approval)', stories.proposed],
    ['waiting(review)', stories.submitted],
    ['done', stories.nothingToDo],
  ] as const)('has its previous state once it is reopened: %s', (before, story) => {
    const journal = close(story());
    expect(state(journal)).toBe('stopped');
    expect(state(journal.receive(REOPENED))).toBe(before);
  });

  it.each([
    ['before it was closed', () => close(stories.asked().comment('Never mind.').admit())],
    ['while it was closed', () => close(stories.asked()).comment('We will not do this.').admit()],
  ])('takes for no answer, once it is reopened, what was said %s', (_what, story) => {
    const journal = story().receive(REOPENED);
    expect(state(journal)).toBe('waiting(answer)');
    expect(state(journal.comment('The first.').admit())).toBe('queued');
  });

  it('leaves stopped what it was to stop, though it is reopened before that has ended', () => {
    const journal = close(stories.working().command('pause')).receive(REOPENED);
    expect(state(journal)).toBe('stopped');
    expect(state(journal.end(ENDED).command('retry'))).toBe('queued');
  });

  it('is open if GitHub reports its reopening first', () => {
    const journal = stories.submitted().receive(REOPENED).receive(CLOSED);
    expect(state(journal)).toBe('waiting(review)');
  });
});

describe('the addressee of questions', () => {
  it('is kept for each request', () => {
    const journal = stories.nothingToDo().comment('@issuewright once more', BOT);
    const {
      requests: { requesters },
    } = journal.admitAsking('work').session;
    expect(requesters.map(({ person }) => person.login)).toEqual(['octo-maintainer', BOT.login]);
    expect(requesters.at(-1)?.since).toBe(journal.session.seq);
  });
});

import { describe, expect, it } from '@jest/globals';
import {
  baseNamedIn,
  dependenciesIn,
  firstAsk,
  forApp,
  mayOpenSession,
  standsForApp,
} from '../../../src/session/said/asks.ts';
import type { Ask, Intent } from '../../../src/contracts/intent.ts';
import { needsRun, stateOf } from '../../../src/session/state.ts';
import { terminationReason } from '../../../src/session/texts/run-ends.ts';
import { BOT, type Journal } from '../../support/journal.ts';
import * as stories from '../../support/stories.ts';
import { expectLinear } from '../../support/growth.ts';

const ask = (to: string, what: Ask['for'] = 'work'): Ask => ({ to, for: what, alone: false });
const comment = (body: string, addressed = false): Intent => ({
  kind: 'comment',
  on: 'issue',
  commentId: 1,
  body,
  ...(addressed ? { addressed, thread: { title: 'T', body: 'B', isOpen: true } } : {}),
});
const state = ({ session }: Journal) => stateOf(session);
const orders = ({ session }: Journal) => session.requests.commands.map(({ applied }) => applied);

describe('what a comment asks of us', () => {
  it.each([
    ['our name', [ask('other'), ask('us')], ask('us')],
    ['no name', [ask('/')], ask('/')],
    ['a stop before anything', [ask('us'), ask('/', 'help'), ask('us', 'stop')], ask('us', 'stop')],
    ['a pause before the others', [ask('/', 'status'), ask('/', 'pause')], ask('/', 'pause')],
    ['a stop before a pause', [ask('/', 'pause'), ask('/', 'stop')], ask('/', 'stop')],
    ['the first of others', [ask('/', 'retry'), ask('/', 'status')], ask('/', 'retry')],
    ['a command before work', [ask('us'), ask('/', 'pause')], ask('/', 'pause')],
    ['another name', [ask('other')], undefined],
    ['nothing', undefined, undefined],
  ])('is told from %s', (_what, asks, wanted) => expect(firstAsk(asks, 'US')).toEqual(wanted));

  it('may be in a text that names the App, and in no other', () => {
    for (const body of ['Hi @Us', '`@us`', '/Issuewright stop'])
      expect(forApp(comment(body, true), { slug: 'us', assignee: undefined })).toEqual(
        comment(body, true),
      );
    expect(forApp(comment('@other', true), { slug: 'us', assignee: undefined })).toEqual(
      comment('@other'),
    );
    const opened = { kind: 'start', label: '', title: '', body: '@other' } as const;
    expect(
      forApp({ ...opened, addressed: true }, { slug: 'us', assignee: undefined }),
    ).toBeUndefined();
    expect(forApp(opened, { slug: 'us', assignee: undefined })).toBe(opened);
    const review = { kind: 'review', pullRequest: 2, reviewId: 3, body: '' } as const;
    const addressed = {
      ...review,
      addressed: true,
      thread: { title: 'T', body: 'B', isOpen: true },
    };
    expect(
      forApp({ ...addressed, addressed: true }, { slug: 'us', assignee: undefined }, 'Ask @us'),
    ).toEqual(addressed);
    expect(
      forApp({ ...addressed, addressed: true }, { slug: 'us', assignee: undefined }, 'Ask @other'),
    ).toEqual(review);
    expect(mayOpenSession(comment('@us', true))).toBe(true);
    expect(mayOpenSession(comment('@us'))).toBe(false);
    expect(mayOpenSession({ ...review, addressed: true })).toBe(true);
    expect(mayOpenSession(review)).toBe(false);
  });
});

describe('a stop', () => {
  it.each(['queued', 'working', 'waiting(answer)', 'waiting(review)', 'waiting(pause)'] as const)(
    'ends what is %s, and only a new request starts anything after it',
    (from) => {
      const journal = stories.IN_EACH_STATE[from]().command('stop');
      expect(state(journal)).toBe('stopped');
      expect(orders(journal).at(-1)).toBe(true);
      journal.comment('And now?').admit();
      expect(needsRun(journal.session)).toBe(false);
      journal.comment('@issuewright go on').admitAsking('work');
      expect(needsRun(journal.session)).toBe(true);
    },
  );

  it.each(['ignored', 'done', 'failed', 'stopped'] as const)(
    'has no effect if the work is %s',
    (from) => {
      const journal = stories.IN_EACH_STATE[from]();
      const before = state(journal);
      expect(state(journal.command('stop'))).toBe(before);
      expect(orders(journal)).toEqual([false]);
    },
  );

  it('counts for the label that started it, but not for another label or if it is there again', () => {
    const unlabelled = (label: string) => stories.working().receive({ kind: 'unlabeled', label });
    expect(state(unlabelled('issuewright').admit())).toBe('stopped');
    expect(state(unlabelled('bug').admit())).toBe('working');
    expect(state(unlabelled('issuewright').reject('outdated'))).toBe('working');
  });
});

describe('a pause', () => {
  it('holds up what people say until the resume', () => {
    const journal = stories.asked().command('pause').comment('Hello').admit();
    expect(state(journal)).toBe('waiting(pause)');
    expect(needsRun(journal.session)).toBe(false);
    expect(state(journal.command('resume'))).toBe('queued');
    expect(orders(journal)).toEqual([true, true]);
  });

  it('is applied once; a resume without a pause is a retry if nothing is in progress', () => {
    expect(orders(stories.working().command('pause').command('pause'))).toEqual([true, false]);
    expect(orders(stories.working().command('resume'))).toEqual([false]);
    const failed = stories.failed().command('resume');
    expect(state(failed)).toBe('queued');
  });
});

describe('a retry', () => {
  it.each(['failed', 'stopped', 'done', 'waiting(review)'] as const)(
    'begins again what is %s',
    (from) => {
      const stopped = stories.working().command('stop').end({ kind: 'stopped', reason: 'x' });
      const journal = from === 'stopped' ? stopped : stories.IN_EACH_STATE[from]();
      expect(state(journal.command('retry'))).toBe('queued');
    },
  );

  it('changes nothing while the run continues', () => {
    const journal = stories.working().command('retry');
    expect(orders(journal)).toEqual([false]);
    expect(journal.session.requests.unread).toEqual([]);
  });
});

describe('a new conversation', () => {
  it.each([
    'failed',
    'stopped',
    'done',
    'waiting(review)',
    'waiting(answer)',
    'waiting(approval)',
  ] as const)('begins for what is %s', (from) => {
    const stopped = stories.working().command('stop').end({ kind: 'stopped', reason: 'x' });
    const before = from === 'stopped' ? stopped : stories.IN_EACH_STATE[from]();
    const { session } = before.command('new');
    expect(stateOf(session)).toBe('queued');
    expect(session.requests.afresh).toBe(true);
    expect(session.waiting).toMatchObject({ question: undefined, proposal: undefined });
    expect(session.requests.unread.at(-1)).toMatchObject({ ask: 'new' });
  });

  it.each(['queued', 'working', 'waiting(pause)'] as const)(
    'takes the place of work that is %s',
    (from) => {
      const { session } = stories.IN_EACH_STATE[from]().command('new');
      expect(session.requests.afresh).toBe(true);
      expect(session.waiting.pausedBy).toBeUndefined();
      expect(session.requests.unread.at(-1)).toMatchObject({ ask: 'new' });
      const isRunning = session.run !== undefined && session.run.end === undefined;
      expect(terminationReason(session)).toBe(
        isRunning ? 'octo-maintainer asked to begin again.' : undefined,
      );
    },
  );
});

describe('another request', () => {
  it('joins the current run', () => {
    const journal = stories.working().comment('@issuewright and this').admitAsking('work');
    const { unread, requester } = journal.session.requests;
    expect(unread).toHaveLength(1);
    expect(requester?.login).toBe('octo-maintainer');
    expect(state(journal)).toBe('working');
  });
});

describe('the outcome of what was asked', () => {
  it.each([
    ['good', stories.submitted],
    ['good', stories.nothingToDo],
    ['good', stories.answered],
    ['bad', stories.cannot],
    ['bad', stories.failed],
    ['bad', stories.limited],
    [undefined, stories.asked],
    [undefined, stories.working],
  ] as const)('is %s, case %#', (outcome, story) => {
    expect(story().session.requests.triggers).toMatchObject([
      { in: { on: 'issue' }, result: outcome },
    ]);
  });
});

describe('bots that may ask', () => {
  it('start three runs, and then wait for a person', () => {
    const journal = stories.IN_EACH_STATE['waiting(person)']();
    expect(journal.session.requests.botOnlyRuns).toBe(3);
    journal.comment('@issuewright once more', BOT).admitAsking('work');
    expect(state(journal)).toBe('waiting(person)');
    expect(state(journal.comment('Go on.').admit())).toBe('queued');
  });
});

describe('an account', () => {
  it.each([
    ['Machine', 'us', true],
    ['us[bot]', 'Us', true],
    ['us', 'us', false],
    ['other[bot]', 'us', false],
    ['other[bot]', undefined, true],
    ['machine[bot]', 'us', false],
    ['person', undefined, false],
  ])('named %s stands for the App %s: %s', (login, slug, stands) => {
    expect(standsForApp(login, { slug, assignee: 'machine' })).toBe(stands);
  });
});

const said = (line: string) => ({ lines: [], hasMore: false, references: [line] });

describe('what work depends on', () => {
  it.each([
    ['Depends on #12', [12]],
    ['- Depends on: #12.', [12]],
    ['⛔ **Blocked by** #12', [12]],
    ['This issue depends on the pull request #12 (the parser).', [12]],
    ['Use tabs. This is based on #12!', [12]],
    ['It builds on top of PR #12, #13 and issue #14', [12, 13, 14]],
    ['Depends on #12, #12', [12]],
  ])('is said by "%s"', (line, numbers) => {
    expect(dependenciesIn(said(line))).toEqual(numbers);
  });

  it.each([
    'It does not depend on #12',
    'Not blocked by #12',
    'Does it depend on #12?',
    'Is based on #12?',
    'What #13 depends on, #12, is old',
    'It depends on #12 whether we do this',
    'Depends on other/repository#12',
    'Fixes #12',
    `Depends on #12${' '.repeat(400)}`,
  ])('is not said by "%s"', (line) => {
    expect(dependenciesIn(said(line))).toEqual([]);
  });

  it('takes time in proportion to the text', () => {
    const line = (size: number): string => `Depends on ${'#1 and '.repeat(size)}`.repeat(5);
    expectLinear((size) => expect(dependenciesIn(said(line(size)))).toEqual([]), 16_000);
  });
});

describe('the command', () => {
  it.each([
    ['/issuewright base #12', 12],
    ['/issuewright base this on the pull request #12, please', 12],
    ['@issuewright base it on #12', 12],
  ])('"%s" names a number that GitHub shows as a link', (line, number) => {
    expect(baseNamedIn(said(line))).toEqual([number]);
  });

  it('may name one that is no link', () => {
    expect(baseNamedIn({ lines: ['/issuewright base 99'], hasMore: false })).toEqual([99]);
  });
});

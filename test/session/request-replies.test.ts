// Whoever asks for something in words gets one reply, where they asked and by name.
import { describe, expect, it } from '@jest/globals';
import { requestReplies } from '../../src/app/publish/publications.ts';
import { outcomeComment } from '../../src/session/texts/comments.ts';
import type { Effect } from '../../src/contracts/effect.ts';
import type { LineComment } from '../../src/contracts/shown-text.ts';
import type { Person } from '../../src/contracts/intent.ts';
import { plainBody } from '../../src/session/texts/markdown.ts';
import { BOT, type Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';

const ASKER: Person = { login: 'asker', id: 31 };
const MAINTAINER: Person = { login: 'octo-maintainer', id: 5 };
const OTHER: Person = { login: 'other-writer', id: 32 };
const OPTIONS = { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' };

interface Reply {
  readonly on: number | undefined;
  readonly text: string;
}

const repliesOf = ({ session, entries }: Journal): Reply[] =>
  requestReplies({ session, entries, options: OPTIONS }).map(({ issue: on, body }) => ({
    on,
    text: plainBody(body),
  }));

const repliesKeys = ({ session, entries }: Journal): string[] =>
  requestReplies({ session, entries, options: OPTIONS }).map(({ key }) => key);

const onPull = (journal: Journal, body: string, sender = ASKER): Journal =>
  journal
    .receive(
      { kind: 'comment', on: 'pull_request', commentId: 100 + journal.entries.length, body },
      sender,
    )
    .admitAsking('work');

const finish = (journal: Journal, ...effects: readonly Effect[]): Journal =>
  effects.reduce((before, effect) => before.effect(effect), journal).end({ kind: 'finished' });

const line = (comment: number): LineComment => ({
  path: 'a.ts',
  line: 2,
  body: 'Name it.',
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

const DONE = stories.finishAs('done', 'Count the days of long durations.');
const YES = stories.finishAs('nothing_to_do', 'Yes, pickle keeps `age`.');
const commit = (sha: string): Effect => ({ ...stories.COMMIT, sha: sha.padEnd(40, '0') }) as Effect;

describe('the reply to a request', () => {
  it('answers a question on the pull request there, not on the issue', () => {
    const journal = onPull(stories.submitted(), '@issuewright Does pickle keep the age?');
    finish(journal.run(), YES);
    expect(repliesOf(journal)).toEqual([{ on: 12, text: '@asker Yes, pickle keeps `age`.' }]);
    expect(outcomeComment(journal.session)).toBeUndefined();
  });

  it('names the commits of a change, in one line', () => {
    const journal = onPull(stories.submitted(), '@issuewright Count the days, please.');
    finish(journal.run(), commit('2d5285d'), DONE);
    expect(repliesOf(journal)).toEqual([
      { on: 12, text: '@asker Done in 2d5285d: Count the days of long durations.' },
    ]);
  });

  it.each([
    [
      'is the summary alone if nothing was changed since',
      'Yes, it keeps them.',
      'Yes, it keeps them.',
    ],
    [
      'says that nothing was changed if the model says nothing',
      '',
      "I didn't change anything, and the model gave no reason.",
    ],
  ])('%s', (_name, summary, words) => {
    const journal = onPull(stories.submitted(), '@issuewright Does it keep tabs?');
    finish(journal.run(), stories.finishAs('done', summary));
    expect(repliesOf(journal)).toEqual([{ on: 12, text: `@asker ${words}` }]);
  });

  it('begins with a capital after our words, unless that would change a name or code', () => {
    for (const [summary, words] of [
      ['count the days of `duration`.', 'Count the days of `duration`.'],
      ['`duration` counts days.', '`duration` counts days.'],
      ['iOS counts days.', 'iOS counts days.'],
    ] as const) {
      const journal = onPull(stories.submitted(), '@issuewright Count the days, please.');
      finish(journal.run(), commit('2d5285d'), stories.finishAs('done', summary));
      expect(repliesOf(journal)[0]?.text).toBe(`@asker Done in 2d5285d: ${words}`);
    }
  });

  it('names the pull request on the issue', () => {
    const journal = stories.submitted().comment('@issuewright Count the days.', ASKER);
    finish(journal.admitAsking('work').run(), commit('2d5285d'), DONE);
    expect(repliesOf(journal)).toEqual([
      { on: 7, text: '@asker Done in #12: Count the days of long durations.' },
    ]);
  });

  it('has all of a longer summary below its first line', () => {
    const journal = onPull(stories.submitted(), '@issuewright Count the days.');
    finish(
      journal.run(),
      commit('2d5285d'),
      stories.finishAs('done', 'Count days.\n\n- tests\n- docs'),
    );
    expect(repliesOf(journal)).toEqual([
      { on: 12, text: '@asker Done in 2d5285d.\n\nCount days.\n\n- tests\n- docs' },
    ]);
  });

  it('is not lost because the next run began before it was published', () => {
    const journal = onPull(stories.submitted(), '@issuewright Does pickle keep the age?');
    finish(journal.run(), YES);
    finish(onPull(journal, '@issuewright Count the days.', OTHER).run(), commit('2d5285d'), DONE);
    expect(repliesOf(journal).map(({ text }) => text.split(' ')[0])).toEqual([
      '@asker',
      '@other-writer',
    ]);
  });

  it('comes after a question that the run asked in between', () => {
    const journal = onPull(stories.submitted(), '@issuewright Count the days.');
    journal.run().effect({ type: 'question', text: 'Since when?' }, 'asked').end({ kind: 'asked' });
    expect(repliesOf(journal)).toEqual([]);
    finish(journal.comment('Since a day.', OTHER).admit().run(), commit('2d5285d'), DONE);
    expect(repliesOf(journal)).toEqual([
      { on: 12, text: '@asker Done in 2d5285d: Count the days of long durations.' },
    ]);
  });

  it('is one comment to several people who asked in one place', () => {
    const journal = onPull(stories.submitted(), '@issuewright Count the days.');
    finish(onPull(journal, '@issuewright Days, yes.', OTHER).run(), commit('2d5285d'), DONE);
    expect(repliesOf(journal).map(({ text }) => text)).toEqual([
      '@asker @other-writer Done in 2d5285d: Count the days of long durations.',
    ]);
  });

  it('has the words that the model has for each of them', () => {
    const journal = onPull(stories.submitted(), '@issuewright Does pickle keep the age?');
    onPull(journal, '@issuewright Count the days.', OTHER);
    const words: Effect = { type: 'reply', to: 'asker', text: 'Yes, it does.' };
    finish(journal.run(), words, commit('2d5285d'), DONE);
    expect(repliesOf(journal).map(({ text }) => text)).toEqual([
      '@asker Yes, it does.',
      '@other-writer Done in 2d5285d: Count the days of long durations.',
    ]);
  });

  it('is for the words of a review too, in the conversation of its pull request', () => {
    const journal = stories.submitted().review('Please count the days.').admit().run();
    finish(journal, commit('2d5285d'), DONE);
    expect(repliesOf(journal)).toEqual([
      { on: 12, text: '@octo-maintainer Done in 2d5285d: Count the days of long durations.' },
    ]);
  });

  it('is left out if each thread of the review has got its own, and nothing else asked', () => {
    const reviewed = (...threads: number[]) => {
      const journal = stories
        .submitted()
        .review('Two things:')
        .admit([line(31), line(32)])
        .run();
      for (const thread of threads) journal.effect({ type: 'thread_reply', thread, text: 'Done.' });
      return repliesOf(finish(journal, commit('2d5285d'), DONE));
    };
    expect(reviewed(1, 2)).toEqual([]);
    expect(reviewed(1)).toHaveLength(1);
  });

  it('is left out for a mere retry if each thread of the round has got its own', () => {
    const retried = (...threads: number[]): Journal => {
      const journal = stories
        .submitted()
        .review('Two things:')
        .admit([line(31), line(32)])
        .run();
      journal.end({ kind: 'failed', reason: 'No.' }).command('retry', ASKER).run();
      for (const thread of threads) journal.effect({ type: 'thread_reply', thread, text: 'Done.' });
      return finish(journal, commit('2d5285d'), DONE);
    };
    const toAsker = (journal: Journal) =>
      repliesOf(journal).filter(({ text }) => text.startsWith('@asker'));
    expect(toAsker(retried(1, 2))).toEqual([]);
    expect(toAsker(retried())).toHaveLength(1);
  });

  it('is left out for a mere retry if a thread that only praises has none', () => {
    const { thread, ...other } = line(33);
    const praise = { ...other, ...(thread && { thread: { ...thread, asksNothing: 'praise' } }) };
    const journal = stories.submitted().command('new').run();
    journal.end({ kind: 'failed', reason: 'No.' }).command('retry', ASKER).review('Two things:');
    journal.admit([line(31), praise as LineComment]).run();
    journal.effect({ type: 'thread_reply', thread: 1, text: 'Done.' });
    const texts = repliesOf(finish(journal, commit('2d5285d'), DONE)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes('@asker'))).toEqual([]);
  });

  it('says why a run failed, also to those whose words it had not read', () => {
    const journal = onPull(stories.submitted(), '@issuewright Count the days.').run();
    onPull(journal, '@issuewright And the weeks.', OTHER);
    journal.end({ kind: 'failed', reason: 'The push was denied.' });
    const [reply, ...others] = repliesOf(journal);
    expect(others).toEqual([]);
    expect(reply?.text).toMatch(/^@asker @other-writer I couldn't continue: The push was denied\./);
  });

  it('goes to the person whose label began the work too, if nothing could be done', () => {
    const journal = stories.working().comment('@issuewright By their names.', ASKER);
    const end = stories.finishAs('cannot', 'There are no names.');
    expect(repliesOf(finish(journal.admitAsking('work').takeInput(), end))).toEqual([
      { on: 7, text: "@octo-maintainer @asker I couldn't do this: There are no names." },
    ]);
  });

  it('is the comment about the outcome, by name, if only a label asked', () => {
    const journal = stories.cannot();
    expect(repliesOf(journal)).toEqual([]);
    expect(plainBody(outcomeComment(journal.session) ?? [])).toMatch(
      /^@octo-maintainer I couldn't do this/,
    );
  });

  it('keeps the words of a deleted request unanswered', () => {
    const journal = onPull(stories.submitted(), '@issuewright Count the days.');
    const commentId = 100 + journal.entries.length - 2;
    journal.run().receive({ kind: 'deleted', in: { on: 'comment', id: commentId } });
    expect(repliesOf(finish(journal, commit('2d5285d'), DONE))).toEqual([]);
  });
});

describe('the answer to a question during a run', () => {
  const QUESTION = '@issuewright Does pickle keep the age?';
  const words = (text: string, to = 'asker'): Effect => ({ type: 'reply', to, text });
  const edit = (journal: Journal): Journal => {
    journal.turn({ calls: [{ tool: 'write_file' }] });
    const { length: seq } = journal.entries;
    const result = { ok: true, output: '', effects: [], halt: null, changedFiles: 1 } as const;
    return journal.add({ type: 'call_finished', reply: seq - 1, index: 0, ...result });
  };
  const asking = (body = QUESTION, sender = ASKER, before = edit(stories.working())): Journal => {
    const journal = before.comment(body, sender);
    const received = journal.entries.length;
    const ask = { for: 'work', alone: false } as const;
    const isQuestion = body.includes('?') ? ({ isQuestion: true } as const) : {};
    return journal
      .add({ type: 'admitted', received, lineComments: [], ask, shown: { body }, ...isQuestion })
      .takeInput();
  };
  const textsOf = (journal: Journal): string[] => repliesOf(journal).map(({ text }) => text);

  it('is there at once, whatever was changed before it was asked, and once', () => {
    const journal = asking().effect(words('Yes, it does.'));
    expect(repliesOf(journal)).toEqual([{ on: 7, text: '@asker Yes, it does.' }]);
    finish(edit(journal), commit('1'), DONE);
    expect(textsOf(journal)).toEqual(['@asker Yes, it does.']);
    expect(repliesKeys(journal)).toEqual(repliesKeys(asking().effect(words('Yes, it does.'))));
  });

  it('waits for the push of what was changed since it was asked', () => {
    const journal = edit(asking()).effect(words('It does now.'));
    expect(textsOf(journal)).toEqual([]);
    expect(textsOf(journal.effect(commit('1')))).toEqual(['@asker It does now.']);
  });

  it('comes at the end, beside the outcome, in a journal from before it came at once', () => {
    const before = stories.submitted().command('new');
    before.add({ type: 'run_started', run: 2, repliesToRequests: true }).prepare().takeInput();
    const journal = asking(QUESTION, MAINTAINER, before).effect(words('Yes.', MAINTAINER.login));
    expect(textsOf(journal)).toEqual([]);
    finish(journal, stories.finishAs('cannot', 'There are no names.'));
    expect(textsOf(journal)).toEqual(['@octo-maintainer Yes.']);
    expect(plainBody(outcomeComment(journal.session) ?? [])).toContain("I couldn't do this");
  });

  it('is replaced by other words for the same question', () => {
    const journal = asking().effect(words('Yes.')).effect(words('No, I was wrong.'));
    expect(textsOf(journal)).toEqual(['@asker No, I was wrong.']);
  });

  it('is replaced by other words, if the run ends without a push', () => {
    for (const end of [{ kind: 'finished' }, { kind: 'failed', reason: 'No.' }] as const) {
      const journal = edit(asking().effect(words('Yes.'))).effect(words('No, I was wrong.'));
      const texts = textsOf(journal.end(end)).filter((text) => text.startsWith('@asker'));
      expect(texts).toEqual(['@asker No, I was wrong.']);
    }
  });

  it('is replaced by other words, if the run leaves an earlier question open', () => {
    const journal = asking(QUESTION, ASKER, stories.asked().beginRun().prepare());
    edit(journal.effect(words('Yes.'))).effect(words('No, I was wrong.'));
    journal.effect(stories.finishAs('nothing_to_do', 'No age.')).end({ kind: 'asked' });
    expect(textsOf(journal)).toEqual(['@asker No, I was wrong.']);
  });

  it('is there although the run ends with a question of its own, or fails', () => {
    for (const end of [{ kind: 'asked' }, { kind: 'failed', reason: 'No.' }] as const)
      expect(textsOf(asking().effect(words('Yes.')).end(end))[0]).toBe('@asker Yes.');
  });

  it('leaves what else its author asked for to the end', () => {
    const journal = asking().comment('@issuewright Count the days.', ASKER).admitAsking('work');
    journal.takeInput().effect(words('Yes.'));
    expect(textsOf(journal)).toEqual(['@asker Yes.']);
    const [, done] = textsOf(finish(journal, commit('1'), stories.PULL_REQUEST, DONE));
    expect(done).toMatch(/^@asker Done in #12/);
  });

  it.each<[string, Person, readonly Effect[]]>([
    ['someone else', ASKER, []],
    ['that person', MAINTAINER, []],
    ['that person, after a commit', MAINTAINER, [commit('1')]],
  ])('leaves the outcome to whoever added the label, if asked by %s', (_who, sender, before) => {
    const asked = edit(stories.working());
    for (const effect of before) asked.effect(effect);
    const journal = asking(QUESTION, sender, asked).effect(words('Yes.', sender.login));
    finish(journal, stories.finishAs('cannot', 'There are no names.'));
    expect(textsOf(journal)).toEqual([
      `@${sender.login} Yes.`,
      "@octo-maintainer I couldn't do this: There are no names.",
    ]);
    expect(outcomeComment(journal.session)).toBeUndefined();
  });

  it('leaves it to the end to say that only a part is done', () => {
    const journal = asking().effect(words('Yes.')).effect(commit('1')).effect(stories.PULL_REQUEST);
    finish(journal, stories.finishAs('partial', 'The days.'));
    expect(textsOf(journal)[1]).toBe('@octo-maintainer Partly done in #12: The days.');
  });

  it('waits for the end if it was asked for work, and nothing is done yet', () => {
    const journal = asking('@issuewright Count the days.').effect(words("I'll count them."));
    expect(textsOf(journal)).toEqual([]);
  });
});

describe('no reply', () => {
  it.each([
    ['for a label that became a pull request', () => stories.submitted()],
    [
      'for a comment that asks for nothing',
      () =>
        finish(
          stories.working().comment('On holiday until Monday.', OTHER).admit().takeInput(),
          stories.COMMIT,
          stories.PULL_REQUEST,
          DONE,
        ),
    ],
    [
      'to a bot',
      () => finish(onPull(stories.submitted(), '@issuewright go on', BOT).run(), commit('1'), DONE),
    ],
    [
      'after a stop',
      () =>
        onPull(stories.submitted(), '@issuewright Count the days.')
          .run()
          .command('stop')
          .end({ kind: 'stopped', reason: 'octo-maintainer asked to stop.' }),
    ],
    [
      'in a run of a journal from before there were replies',
      () => {
        const journal = onPull(stories.submitted(), '@issuewright Count the days.');
        journal.add({ type: 'run_started', run: 2 }).prepare().takeInput();
        return finish(journal, YES);
      },
    ],
    [
      'beside a review that answers',
      () => {
        const journal = onPull(stories.submitted(), '@issuewright What do you think?').run();
        const review = { type: 'review', url: 'https://github.com/r', comments: 0 } as const;
        return finish(journal, review, stories.finishAs('done', 'Looks right.'));
      },
    ],
  ])('%s', (_why, journal) => {
    expect(repliesOf(journal())).toEqual([]);
  });
});

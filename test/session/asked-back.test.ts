// What someone else asks while a question of ours waits is no answer to it.
import { describe, expect, it } from '@jest/globals';
import { inputMessage } from '../../src/agent/prompts/input.ts';
import { readableIn } from '../../src/app/run/perform.ts';
import { loginStillAsked } from '../../src/session/requested-work.ts';
import { isQuestionOpen, needsRun, stateOf } from '../../src/session/state.ts';
import type { EntryOf } from '../../src/session/entry.ts';
import { WRITER, type Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';

const states = ({ session }: Journal) => [
  stateOf(session),
  isQuestionOpen(session),
  needsRun(session),
];
const WAITING = ['waiting(answer)', true, false];

const admit = (journal: Journal, told: Partial<EntryOf<'admitted'>> = {}): Journal =>
  journal.add({
    type: 'admitted',
    received: journal.entries.length,
    lineComments: [],
    shown: { body: 'x' },
    ...told,
  });
const MENTION = { for: 'work', alone: false } as const;

/** Someone else asks under the question that waits, and a run reads it. */
const askedBack = (): Journal => {
  const journal = stories.asked().comment('@issuewright Does it change the API?', WRITER);
  return admit(journal, { ask: MENTION, isQuestion: true }).run();
};

/** The question still waits after that. */
const answeredAside = (): Journal =>
  askedBack().effect(stories.finishAs('nothing_to_do', 'No, it does not.')).end({ kind: 'asked' });

const inputOf = ({ session }: Journal): string =>
  inputMessage(readableIn(session), { stillAsked: loginStillAsked(session) }).text;

describe('a question under a question that waits', () => {
  it('leaves it waiting if it mentions nobody, and is read with the answer', () => {
    const journal = admit(stories.asked().comment('Why?', WRITER), {
      needsMention: true,
      isQuestion: true,
    });
    expect(states(journal)).toEqual(WAITING);
    admit(journal.comment('World.'));
    expect(states(journal)).toEqual(['queued', false, true]);
    expect(journal.session.requests.unread).toHaveLength(2);
    expect(inputOf(journal)).toContain('The answers above may not cover everything');
  });

  it('is answered if it mentions the App, and leaves it waiting all the same', () => {
    const journal = answeredAside();
    expect(states(journal)).toEqual(WAITING);
    expect(journal.session.requests.requester?.login).toBe('octo-maintainer');
    expect(journal.session.requests.replies).toMatchObject([
      { logins: [WRITER.login], finish: { summary: 'No, it does not.' } },
    ]);
    admit(journal.comment('World.'));
    expect(states(journal)).toEqual(['queued', false, true]);
    expect(states(journal.run())).toEqual(['working', false, true]);
    expect(journal.session.waiting.question).toBeUndefined();
  });

  it('is shown to the model with the question that stays open', () => {
    const journal = stories.asked().comment('@issuewright Why?', WRITER);
    admit(journal, { ask: MENTION, isQuestion: true });
    expect(inputOf(journal)).toMatch(
      /\(@octo-maintainer has not answered what you asked:\n.*no name.*\n.*\nThat stays open\. Only answer/,
    );
  });

  it('is answered with the rest if the answer comes in during that run', () => {
    const journal = admit(askedBack().comment('World.'));
    expect(inputOf(journal)).toContain('The answers above may not cover everything');
    expect(journal.takeInput().session.waiting.question).toBeUndefined();
  });

  it('ends the wait if the work is done after all', () => {
    const journal = askedBack().effect(stories.COMMIT).effect(stories.PULL_REQUEST);
    journal.effect(stories.finishAs('done', 'Done.')).end({ kind: 'finished' });
    expect(states(journal)).toEqual(['waiting(review)', false, false]);
  });

  it.each([
    { kind: 'failed', reason: 'No.' },
    { kind: 'limit', reason: 'The limit of 30 turns was reached.' },
    { kind: 'stopped', reason: 'Someone asked to stop.' },
  ] as const)('ends the wait if its run ends as $kind: later words are no answer', (end) => {
    const journal = askedBack().end(end);
    expect(journal.session.waiting.question).toBeUndefined();
    expect(needsRun(admit(journal.comment('Nice.', WRITER)).session)).toBe(false);
  });

  it('leaves the question of a run that fails after it open', () => {
    const journal = stories.working().effect({ type: 'question', text: 'Since when?' }, 'asked');
    journal.end({ kind: 'failed', reason: 'No.' });
    expect(needsRun(admit(journal.comment('Since a day.')).session)).toBe(true);
  });

  it('leaves its deadline to count', () => {
    const journal = answeredAside();
    const question = journal.session.waiting.question?.seq ?? 0;
    journal.add({ type: 'question_expired', question, action: 'defaults' });
    expect(needsRun(journal.session)).toBe(true);
  });
});

describe('a question that waits, if someone asks under it,', () => {
  const askUnder = (journal: Journal): Journal =>
    admit(journal.comment('@issuewright Why?', WRITER), { ask: MENTION, isQuestion: true });
  const praise = (journal: Journal): Journal => {
    const reviewed = journal.review('LGTM', 'approved');
    return admit(reviewed, { verdict: 'approved', shown: { body: 'LGTM' } });
  };

  it('is not closed by a review that asks for nothing', () => {
    const journal = praise(stories.submitted().command('new').run());
    journal.effect({ type: 'question', text: 'Since when?' }, 'asked').end({ kind: 'asked' });
    const { question } = journal.session.waiting;
    expect(question).toBeDefined();
    expect(askUnder(journal).run().session.waiting.question).toEqual(question);
  });

  it('is not closed by a statement from before it', () => {
    const journal = admit(stories.working().comment('By the way, hello.', WRITER));
    journal.effect({ type: 'question', text: 'Since when?' }, 'asked').end({ kind: 'asked' });
    const { question } = journal.session.waiting;
    expect(question).toBeDefined();
    expect(askUnder(journal).run().session.waiting.question).toEqual(question);
  });

  it('is closed by an approval that asks it, with a remark on a line to work on', () => {
    const journal = stories.submitted().command('new').run();
    journal.effect({ type: 'question', text: 'Since when?' }, 'asked').end({ kind: 'asked' });
    admit(journal.review('Looks fine, why days?', 'approved'), {
      verdict: 'approved',
      remarks: true,
      needsMention: true,
      isQuestion: true,
    });
    expect(needsRun(journal.session)).toBe(true);
    expect(journal.run().session.waiting.question).toBeUndefined();
  });

  it('is closed by a review with work, and once nobody has answered in time', () => {
    const reviewed = stories.submitted().command('new').run();
    reviewed.effect({ type: 'question', text: 'Since when?' }, 'asked').end({ kind: 'asked' });
    admit(reviewed.review('Rename it.'));
    expect(askUnder(reviewed).run().session.waiting.question).toBeUndefined();
    const journal = stories.asked();
    const question = journal.session.waiting.question?.seq ?? 0;
    journal.add({ type: 'question_expired', question, action: 'defaults' });
    expect(askUnder(journal).run().session.waiting.question).toBeUndefined();
  });
});

describe('an answer to a question that waits', () => {
  it.each([
    ['by someone else who may ask', WRITER, {}],
    ['by someone else, with a mention', WRITER, { ask: MENTION }],
    ['by whoever was asked, as a question', undefined, { isQuestion: true, ask: MENTION }],
  ] as const)('is one %s', (_who, sender, told) => {
    const journal = admit(stories.asked().comment('World.', sender), told);
    expect(states(journal)).toEqual(['queued', false, true]);
    expect(journal.run().session.waiting.question).toBeUndefined();
  });

  it('is none if it is for someone else', () => {
    const journal = admit(stories.asked().comment('@ada what do you think?'), {
      needsMention: true,
    });
    expect(states(journal)).toEqual(WAITING);
    const plan = admit(stories.proposed().comment('@ada look!'), { needsMention: true });
    expect(stateOf(plan.session)).toBe('waiting(approval)');
  });
});

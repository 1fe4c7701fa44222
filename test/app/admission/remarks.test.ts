// Talk in the conversation of the App's own pull request is no order: only what mentions the App starts a paid run.
import { describe, expect, it } from '@jest/globals';
import { asksQuestion } from '../../../src/events/asks.ts';
import { isQuestion, remarkIn } from '../../../src/app/admission/line-comments.ts';
import { mentionHints } from '../../../src/app/publish/acknowledgements.ts';
import { readHtml } from '../../../src/github/text/index.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { needsRun } from '../../../src/session/state.ts';
import type { AskedFor } from '../../../src/contracts/intent.ts';
import { BOT, type Journal } from '../../support/journal.ts';
import { renderedLocally } from '../../support/rendered-markdown.ts';
import * as stories from '../../support/stories.ts';

const TALK = [
  'On holiday until Monday.',
  'Waiting for CI.',
  'I agree with the reviewer.',
  'Good catch.',
  'Works for me on Windows.',
  'Same here.',
  "I'll look at it tomorrow.",
  'Rebased on main, thanks to Ann.',
  'Ich bin ab Montag wieder da.',
  'Cc the docs team.',
  'This closes the last gap of 2.0!',
  'Related: #3',
  'Please rename it to `hallo`.',
  'Thanks, merging.',
  'Thanks, great work!',
  'LGTM',
  '👍',
  '/retest',
  '@ann could you look?',
] as const;
/** A question mark says so in any language. */
const QUESTIONS = [
  'Does anyone know when 2.1 comes?',
  'Could you add a test?',
  'テストを追加できますか？',
] as const;
const ALL = [...TALK, ...QUESTIONS] as const;
/** Asks nothing of anyone in words. */
const EMPTY: readonly string[] = [
  'Thanks, great work!',
  'LGTM',
  '👍',
  '/retest',
  '@ann could you look?',
];

/** A comment on the pull request, judged by the settings. */
async function said(journal: Journal, body: string, heedsAllComments = false, sender?: typeof BOT) {
  const id = 100 + journal.entries.length;
  journal.receive({ kind: 'comment', on: 'pull_request', commentId: id, body }, sender);
  const { session } = journal;
  const received = session.requests.awaitingAdmission.at(-1);
  if (received === undefined) throw new Error('nothing was received');
  const shown = { body, said: readHtml(renderedLocally(body)).said };
  const texts = { of: () => Promise.resolve({ ...shown, images: [] }) };
  const { ask, ...rest } = await remarkIn(received, texts, session, {
    heedsAllComments,
    mayAnswer: false,
  });
  const question = isQuestion(received, shown.said, ask) ? ({ isQuestion: true } as const) : {};
  const asked: { ask?: { for: AskedFor; alone: boolean } } =
    ask === undefined ? {} : { ask: { for: ask.for, alone: ask.alone } };
  return journal.add({
    type: 'admitted',
    received: received.seq,
    lineComments: [],
    shown: { body },
    ...asked,
    ...rest,
    ...question,
  });
}

const hintsOf = ({ session, entries }: Journal) =>
  mentionHints({
    session,
    entries,
    options: { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' },
  }).map(({ body, issue }) => `#${issue} ${plainBody(body)}`);

const HINT = "#12 @octo-maintainer If that is for me, mention me and I'll do it.";

describe("a comment on the App's own pull request without a mention", () => {
  it.each(TALK)('starts no run, and is left alone: %j', async (words) => {
    const journal = await said(stories.submitted(), words);
    expect(needsRun(journal.session)).toBe(false);
    expect(hintsOf(journal)).toEqual([]);
  });

  it.each(QUESTIONS)('starts no run, and is answered by one line if it asks: %j', async (words) => {
    const journal = await said(stories.submitted(), words);
    expect(needsRun(journal.session)).toBe(false);
    expect(hintsOf(journal)).toEqual([HINT]);
  });

  it.each(ALL)('starts no run after the one that it came in during: %j', async (words) => {
    const open = stories.working().effect(stories.COMMIT).effect(stories.PULL_REQUEST);
    const journal = await said(open, words);
    journal.effect(stories.finishAs('done', 'Done.')).end({ kind: 'finished' });
    expect(needsRun(journal.session)).toBe(false);
  });

  it('is answered once for everyone, if it is the first that asks', async () => {
    const journal = await said(stories.submitted(), TALK[0]);
    await said(journal, QUESTIONS[0]);
    await said(journal, QUESTIONS[1]);
    expect(hintsOf(journal)).toEqual([HINT]);
  });

  it('gets nothing if a bot wrote it', async () => {
    expect(hintsOf(await said(stories.submitted(), QUESTIONS[0], false, BOT))).toEqual([]);
  });

  it('is the answer to a question that waits', async () => {
    const journal = stories.working().effect(stories.COMMIT).effect(stories.PULL_REQUEST);
    journal.effect({ type: 'question', text: 'Since when?' }, 'asked').end({ kind: 'asked' });
    await said(journal, 'Since a day.');
    expect(needsRun(journal.session)).toBe(true);
    expect(hintsOf(journal)).toEqual([]);
  });

  it.each(ALL)('requests work if the settings heed all, unless it is empty: %j', async (words) => {
    const journal = await said(stories.submitted(), words, true);
    expect(needsRun(journal.session)).toBe(!EMPTY.includes(words));
    expect(hintsOf(journal)).toEqual([]);
  });
});

describe('the words of a review', () => {
  it.each([
    ['Could you add a test?', true],
    ['Why (really?) is it so', true],
    ['テストを追加できますか？', true],
    ['**Why?** It is slow.', true],
    ['See https://x.example/a?b=c.', false],
    ['Please add a test.', false],
    ['`a ? b : c` is fine.', false],
  ])('ask by a question mark: %j is %p', (words, asks) => {
    expect(asksQuestion(readHtml(renderedLocally(words)).said)).toBe(asks);
  });
});

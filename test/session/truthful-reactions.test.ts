// 🚀 and 😕 say what came of a request itself.
import { expect, it } from '@jest/globals';
import { reactions } from '../../src/app/publish/acknowledgements.ts';
import type { AttemptKind } from '../../src/session/entry.ts';
import { type Journal, STRANGER } from '../support/journal.ts';
import * as stories from '../support/stories.ts';

const OPTIONS = { session: 'abc', pageUrl: undefined, now: '2030-01-15T14:13:30Z' };

/** The results that GitHub shows, by the numbers of the comments. */
const resultsOf = ({ session, entries }: Journal): Record<string, string> =>
  Object.fromEntries(
    reactions({ session, entries, options: OPTIONS })
      .filter(({ key }) => !key.startsWith('reaction:'))
      .map(({ key, digest }) => [key, digest]),
  );

/** A request in a comment, and the key of its result. */
function ask(journal: Journal): string {
  const key = `end:comment:${100 + journal.entries.length}`;
  journal.comment('@issuewright and this').admitAsking('work');
  return key;
}

const done = (journal: Journal): Journal =>
  journal
    .effect({ ...stories.COMMIT, sha: String(journal.entries.length).padEnd(40, 'a') })
    .effect(stories.finishAs('done', 'Done.'))
    .end({ kind: 'finished' });

it('a comment for which nothing had to be changed gets a thumbs up, whatever was done before', () => {
  const journal = stories.submitted();
  const asked = ask(journal);
  journal.run().effect(stories.finishAs('done', 'Done.')).end({ kind: 'finished' });
  expect(resultsOf(journal)).toMatchObject({ [asked]: '+1' });
});

it('a request that the ended run has not read has no result yet', () => {
  const journal = stories.submitted();
  const read = ask(journal);
  journal.run();
  const unread = ask(journal);
  expect(resultsOf(done(journal))).toMatchObject({ [read]: 'rocket' });
  expect(resultsOf(journal)).not.toHaveProperty(unread);
  expect(resultsOf(done(journal.run()))).toMatchObject({ [read]: 'rocket', [unread]: 'rocket' });
});

it('what was done stays so when a later run fails that asked for nothing in words', () => {
  const journal = stories.submitted();
  const asked = ask(journal);
  done(journal.run());
  journal.receive({ kind: 'conflict', pullRequest: 12, branch: 'main', head: 'a', base: 'b' });
  journal.beginRun().prepare().end({ kind: 'failed', reason: 'No.' });
  expect(resultsOf(journal)).toMatchObject({ [asked]: 'rocket' });
});

it('what failed is good after all once it is done', () => {
  const journal = stories.submitted();
  const asked = ask(journal);
  journal.run().end({ kind: 'failed', reason: 'No.' });
  expect(resultsOf(journal)).toMatchObject({ [asked]: 'confused' });
  expect(resultsOf(done(journal.beginRun().prepare()))).toMatchObject({ [asked]: 'rocket' });
});

it('a review that is worked on has a result like any other request, where its 👀 is', () => {
  const line = {
    path: 'a.ts',
    line: 2,
    body: 'Name it.',
    thread: {
      comment: 31,
      root: 31,
      side: 'new',
      hunk: '@@ -1 +1 @@\n+new',
      isResolved: false,
      isOutdated: false,
      earlier: [],
      leftOut: 0,
    },
  } as const;
  const words = () => stories.submitted().review('Trim it.').admit();
  const lines = () => stories.submitted().review('').admit([line]).run();
  const [key = ''] = Object.keys(resultsOf(done(words().run()))).filter((one) =>
    /review/.test(one),
  );
  expect(resultsOf(words())).not.toHaveProperty(key);
  expect(resultsOf(done(words().run()))).toMatchObject({ [key]: 'rocket' });
  const unchanged = stories.finishAs('nothing_to_do', 'It is right.');
  expect(resultsOf(words().run().effect(unchanged).end({ kind: 'finished' }))).toMatchObject({
    [key]: '+1',
  });
  expect(resultsOf(lines().end({ kind: 'failed', reason: 'No.' }))).toMatchObject({
    'end:line_comment:31': 'confused',
  });
  expect(resultsOf(done(lines()))).toMatchObject({ 'end:line_comment:31': 'rocket' });
});

it('a command on a line of a review has no result of the work that its words ask for', () => {
  const journal = stories.submitted().review('@issuewright Trim it.');
  const received = journal.entries.length;
  const id = 200 + received - 1;
  journal.add({
    type: 'admitted',
    received,
    lineComments: [],
    verdict: 'changes_requested',
    shown: { body: '@issuewright Trim it.' },
    ask: { for: 'work', alone: false },
    asks: [
      { in: { on: 'review', id, pullRequest: 12 }, for: 'work', alone: false },
      { in: { on: 'line_comment', id: 31 }, for: 'status', alone: true },
    ],
  });
  const results = resultsOf(done(journal.run()));
  expect(results).toMatchObject({ [`end:review:${id}`]: 'rocket' });
  expect(results).not.toHaveProperty('end:line_comment:31');
});

it('a review that asks for nothing has no result', () => {
  const journal = stories.submitted().review('Thanks!');
  const received = journal.entries.length;
  journal.add({
    type: 'admitted',
    received,
    lineComments: [],
    verdict: 'approved',
    shown: { body: 'Thanks!' },
  });
  expect(Object.keys(resultsOf(done(journal.run()))).filter((one) => /review/.test(one))).toEqual(
    [],
  );
});

it('what failed is good after all once a mere retry of it ends well, and bad again if that fails', () => {
  const failed = (): Journal => stories.failed();
  expect(resultsOf(failed())).toMatchObject({ 'end:issue': 'confused' });
  const retry = () => failed().command('retry').run();
  expect(resultsOf(done(retry()))).toMatchObject({ 'end:issue': 'rocket' });
  expect(resultsOf(retry().end({ kind: 'failed', reason: 'No.' }))).toMatchObject({
    'end:issue': 'confused',
  });
  // Another request says nothing of the one before.
  const other = failed();
  ask(other);
  expect(resultsOf(done(other.run()))).toMatchObject({ 'end:issue': 'confused' });
});

it('a failure is the result of requests that no other run starts for, read or not', () => {
  const journal = stories.submitted();
  const read = ask(journal);
  journal.run();
  const unread = ask(journal);
  journal.end({ kind: 'failed', reason: 'No.' });
  expect(resultsOf(journal)).toMatchObject({ [read]: 'confused', [unread]: 'confused' });
});

it.each<[AttemptKind, boolean]>([
  ['request', false],
  ['command', true],
  ['approval', false],
  ['answer', false],
])('%s of a stranger has a 😕: %p', (attempt, isShown) => {
  const journal = stories.asked().comment('Looks good!', STRANGER);
  const received = journal.entries.length;
  journal.add({ type: 'rejected', received, reason: 'not_permitted', notify: true, attempt });
  expect(Object.values(resultsOf(journal)).includes('confused')).toBe(isShown);
});

it.each<[AttemptKind, string]>([
  ['request', 'heart'],
  ['command', 'confused'],
  ['approval', 'heart'],
  ['answer', 'heart'],
])('%s of a stranger who had a reply in words before has a reaction: %s', (attempt, content) => {
  const journal = stories.asked();
  for (const before of ['answer', attempt] as const) {
    const received = journal.comment('Looks good!', STRANGER).entries.length;
    const denied = { type: 'rejected', received, reason: 'not_permitted', notify: true } as const;
    journal.add({ ...denied, attempt: before });
  }
  const shown = Object.entries(resultsOf(journal)).filter(([key]) => key.startsWith('order:'));
  expect(shown).toEqual([[`order:comment:${99 + journal.entries.length - 1}`, content]]);
});

it('a crowd of friendly words has at most twenty hearts', () => {
  const journal = stories.asked();
  for (let at = 0; at < 40; at += 1) {
    const received = journal.comment('@issuewright please', STRANGER).entries.length;
    const denied = { type: 'rejected', received, reason: 'not_permitted', notify: true } as const;
    journal.add({ ...denied, attempt: 'request' });
  }
  const hearts = Object.values(resultsOf(journal)).filter((content) => content === 'heart');
  expect(hearts).toHaveLength(20);
});

it('a crowd of friendly words on lines has at most twenty hearts', () => {
  const journal = stories.submitted();
  for (const first of [0, 100, 200]) {
    const received = journal.review('').entries.length;
    const asks = Array.from({ length: 15 }, (_, at) => ({
      in: { on: 'line_comment', id: first + at } as const,
      for: 'work' as const,
      alone: false,
    }));
    const denied = { type: 'rejected', received, reason: 'not_permitted', notify: true } as const;
    journal.add({ ...denied, attempt: 'request', asks });
  }
  const hearts = Object.values(resultsOf(journal)).filter((content) => content === 'heart');
  expect(hearts).toHaveLength(20);
});

// What a review asks for, as the local GitHub shows it.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isPull } from '../../../packages/local-github/src/github/state.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

let service: Service;
let session: Awaited<ReturnType<Service['start']>>;
let pull = 0;
beforeAll(async () => {
  service = await openService({}, { people: ['helper'] });
  service.repository.collaborators.set('writer', 'write');
  session = await service.start('Say it');
  service.model.says(
    json(['write_file', { path: 'a.md', content: 'one\ntwo\n' }]),
    json(['finish', { summary: 'It says so.' }]),
  );
  await session.advance();
  pull = service.repository.issues.find(isPull)?.number ?? 0;
});
afterAll(() => service.close());

/** The verdict on a review, and the ids of it and of its comments. */
const judged = (login: string, body: string, ...lines: readonly string[]) =>
  submitted(login, { event: 'COMMENT', body }, lines);

const approved = (...lines: readonly string[]) => approvedWith('LGTM', ...lines);

const approvedWith = (body: string, ...lines: readonly string[]) =>
  submitted('maintainer', { event: 'APPROVE', body }, lines);

async function submitted(
  login: string,
  review: { readonly event: 'COMMENT' | 'APPROVE'; readonly body: string },
  lines: readonly string[],
) {
  const comments = lines.map((words) => ({ path: 'a.md', line: 1, body: words }));
  const thread = { repository: service.repository, number: pull };
  const { id } = await service.github.as(login).review(thread, { ...review, comments });
  const intent = { kind: 'review', pullRequest: pull, reviewId: id, body: '' } as const;
  await session.happens(login, intent);
  await session.publish();
  const journal = await session.journal();
  const verdicts = [...entriesOf(journal, 'admitted'), ...entriesOf(journal, 'rejected')];
  const { seq } = entriesOf(journal, 'received').at(-1) ?? { seq: 0 };
  const made = service.repository.reviewComments.filter(({ reviewId }) => reviewId === id);
  return {
    verdict: verdicts.find(({ received }) => received === seq),
    review: { on: 'review', id, pullRequest: pull },
    lines: made.map((comment) => ({ on: 'line_comment', id: comment.id })),
  };
}

describe('a review', () => {
  it('asks for what its words and its comments on lines say, each where it is said', async () => {
    const { verdict, review, lines } = await judged(
      'maintainer',
      'Nearly.\n\n/issuewright cost',
      '/issuewright cost',
      'Name it.',
    );
    expect(verdict).toMatchObject({
      ask: { for: 'cost', alone: false },
      asks: [
        { in: review, for: 'cost', alone: false },
        { in: lines[0], for: 'cost', alone: true },
      ],
    });
  });

  it('has one command, and the numbers of all that are equal', async () => {
    const { verdict } = await judged(
      'maintainer',
      '',
      '/issuewright forget 3',
      '/issuewright forget 4',
    );
    expect(verdict).toMatchObject({ ask: { for: 'forget', alone: true, numbers: [3, 4] } });
    const stop = await judged('maintainer', '/issuewright status', '/issuewright stop');
    expect(stop.verdict).toMatchObject({ ask: { for: 'stop', alone: true } });
  });

  it.each([
    '> /issuewright stop',
    '```suggestion\n/issuewright stop\n```',
    '<!-- /issuewright stop -->',
  ])('that only shows a command asks for nothing: %j', async (line) => {
    const { verdict } = await judged('maintainer', '', line, 'Name it.');
    expect(verdict).toMatchObject({ type: 'admitted' });
    expect(verdict).not.toHaveProperty('ask');
    expect(verdict).not.toHaveProperty('asks');
  });

  it('of someone without write access is rejected, and told so if it asks for something', async () => {
    const { verdict, lines } = await judged('stranger', 'Hm.', '/issuewright stop');
    expect(verdict).toMatchObject({
      type: 'rejected',
      reason: 'not_permitted',
      notify: true,
      attempt: 'command',
      asks: [{ in: lines[0], for: 'stop' }],
    });
    const silent = await judged('stranger', 'Hm.', 'Name it.');
    expect(silent.verdict).toMatchObject({ type: 'rejected', reason: 'not_permitted' });
    expect(silent.verdict).not.toHaveProperty('notify');
  });
});

describe('an approving review, or one', () => {
  const MERGES = { auto_merge: { merge_method: 'squash' }, head: {}, base: {}, state: 'open' };

  it.each(['Name it, please.', '```suggestion\n1\n```'])(
    'has remarks that are worked on once they are gathered: %j',
    async (line) => {
      const { verdict } = await approved('Nice!', line);
      expect(verdict).toMatchObject({
        verdict: 'approved',
        remarks: true,
        gatherUntil: expect.any(String),
      });
    },
  );

  it.each([
    'Nice!',
    '👍',
    'so small, love it',
    '@helper what do you think?',
    '@helper can you try it?\n\nI have no Windows here.',
    '> one\n\n@helper can you try it?',
    '**@helper** try this:\n\n```\nnpm test\n```',
  ])('has none in what asks nothing of the App: %j', async (line) => {
    expect((await approved(line)).verdict).not.toHaveProperty('remarks');
  });

  it.each(['so small, love it', 'Schön!', 'Please add a test.', '> one\n\nFine.'])(
    'has nothing to work on in words that do not mention the App: %j',
    async (words) => {
      for (const lines of [[], ['Nice!']]) {
        const { verdict } = await approvedWith(words, ...lines);
        expect(verdict).toMatchObject({ type: 'admitted' });
        expect(verdict).not.toHaveProperty('remarks');
        expect(verdict).not.toHaveProperty('ask');
        expect(verdict).not.toHaveProperty('isQuestion');
      }
    },
  );

  it('whose words ask without a mention is told how, as in the conversation', async () => {
    const { verdict } = await approvedWith('Fine. Could you also bump the version?');
    expect(verdict).toMatchObject({ needsMention: true, isQuestion: true });
    expect(verdict).not.toHaveProperty('remarks');
    const said = service.repository.comments.filter(({ issueNumber }) => issueNumber === pull);
    expect(said.map(({ body }) => body).join()).toContain('If that is for me, mention me');
    expect((await approvedWith('Fine, @helper?')).verdict).not.toHaveProperty('isQuestion');
  });

  it.each([
    ['Nice!', 'praise'],
    ['LGTM', 'praise'],
    ['@helper what do you think?', 'for_others'],
    ['Nice!\n\n/retest', 'for_others'],
    ['@helper can you try it?\n\nI have no Windows here.', 'for_others'],
    ['> one\n\n@helper can you try it?', 'for_others'],
  ])(
    'that only comments has nothing to work on either if it says: %j',
    async (line, asksNothing) => {
      const { verdict } = await judged('maintainer', '', line);
      expect(verdict).toMatchObject({
        remarks: false,
        lineComments: [{ thread: { asksNothing } }],
      });
    },
  );

  it.each(['Nice, but name it.', 'Why?', '??', '`x`', 'Nice!\n\n@helper look.\n\nRename it.'])(
    'that comments has something to work on if it says: %j',
    async (line) => {
      expect((await judged('maintainer', '', line)).verdict).not.toHaveProperty('remarks');
    },
  );

  it.each(['Why?', '??', 'Nice!\n\n@helper look.\n\nWhy is it named so?', '¿Por qué? Gracias.'])(
    'that comments has something to work on if its words ask: %j',
    async (words) => {
      const { verdict } = await judged('maintainer', words, 'Nice!');
      expect(verdict).toMatchObject({ remarks: true });
      expect(verdict).not.toHaveProperty('needsMention');
    },
  );

  it.each(['Nice, but name it.', 'Works for me on Windows.', 'See https://x.example/?q=1'])(
    'that comments needs a mention if its words only say: %j',
    async (words) => {
      const verdict = { remarks: false };
      expect((await judged('maintainer', words)).verdict).toMatchObject(verdict);
      expect((await judged('maintainer', words, 'Nice!')).verdict).toMatchObject(verdict);
    },
  );

  it('that says yes to what we said in a thread is an answer', async () => {
    const { lines } = await judged('maintainer', '', 'Name it.');
    const { id } = await service.github
      .as('maintainer')
      .replyTo(service.repository, lines[0]?.id ?? 0, 'Yes');
    const reviewId = service.repository.reviewComments.find((one) => one.id === id)?.reviewId ?? 0;
    await session.happens('maintainer', { kind: 'review', pullRequest: pull, reviewId, body: '' });
    await session.publish();
    const verdict = entriesOf(await session.journal(), 'admitted').at(-1);
    expect(verdict).not.toHaveProperty('remarks');
  });

  it('has none if GitHub merges the pull request by itself', async () => {
    service.github.faults.failNext({ path: /\/pulls\/\d+$/, status: 200, body: MERGES });
    expect((await approved('Name it, please.')).verdict).not.toHaveProperty('remarks');
  });

  it('has some in a merge queue, which takes a permission that GitHub does not name to see', async () => {
    service.github.ci(service.repository).enqueue(pull);
    expect((await approved('Name it, please.')).verdict).toMatchObject({ remarks: true });
  });
});

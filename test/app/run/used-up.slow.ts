import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const FILES = { 'words.txt': 'one\n', 'other.txt': 'one\n' };
/** The issue may cost nothing more. */
const USED_UP = {
  limits: {
    turns: 20,
    minutes: 600,
    outputTokens: 1_000,
    runTokens: undefined,
    dollars: { run: undefined, issue: 0, repositoryDay: undefined },
  },
};

let service: Service;
beforeAll(async () => {
  service = await openService(FILES);
});
afterAll(() => service.close());

const comments = (number: number): string[] =>
  service.repository.comments
    .filter(({ issueNumber, author }) => issueNumber === number && author.type === 'Bot')
    .map(({ body }) => body.replace(/\n*<!--.*-->$/, ''));

const statusOf = (number: number): string =>
  comments(number).find((body) => /^\*\*\S+ /.test(body)) ?? '';

const fetchesSince = (before: number): number =>
  service.github.requests.slice(before).filter(({ path }) => path.endsWith('/git-upload-pack'))
    .length;

/** A session whose pull request is open. */
async function proposed(title: string, path: string) {
  const session = await service.start(title);
  service.model.says(
    json(['write_file', { path, content: 'two\n' }]),
    json(['finish', { summary: 'Two words.', outcome: 'done' }]),
  );
  await session.advance();
  const { issue = 0 } = (await session.row()) ?? {};
  return { session, issue };
}

const pushToMain = (files: Record<string, string>) =>
  service.github
    .as('maintainer')
    .push(service.repository, { branch: 'main', message: 'Move on', files });

describe('a run on a budget that is used up', () => {
  it('clones nothing, and answers each further request in one line', async () => {
    const { session, issue } = await proposed('Add a word', 'words.txt');
    const asked = service.model.requests.length;
    for (let times = 1; times <= 2; times += 1) {
      const before = service.github.requests.length;
      await session.comment('maintainer', '/issuewright retry');
      await session.advance(USED_UP);
      await session.publish();
      expect(fetchesSince(before)).toBe(0);
      const replies = comments(issue).filter((body) => body.startsWith('@maintainer'));
      expect(replies).toHaveLength(times);
      expect(replies.at(-1)).toBe(
        String.raw`@maintainer Still used up: \$0.00 of \$0.00 for this issue. The operator can raise ${'`BUDGET_ISSUE`'}.`,
      );
    }
    expect(service.model.requests).toHaveLength(asked);
    // Its pull request is as good as before.
    expect((await session.row())?.state).toBe('waiting(review)');
    expect(statusOf(issue)).toMatch(/^\*\*✋ Stopped at a limit: #\d+\*\* · Still used up/);
  });

  it('works again once the budget is raised', async () => {
    const { session } = await proposed('Add another word', 'another.txt');
    await session.comment('maintainer', '/issuewright retry');
    await session.advance(USED_UP);
    service.model.says(json(['finish', { summary: 'It is there.', outcome: 'done' }]));
    await session.comment('maintainer', '/issuewright retry');
    await session.advance();
    expect(entriesOf(await session.journal(), 'run_ended').map(({ end }) => end.kind)).toEqual([
      'finished',
      'limit',
      'finished',
    ]);
  });

  it('says first that there are conflicts if it was to resolve them, once, however often the base branch moves', async () => {
    const { session, issue } = await proposed('Add a third word', 'other.txt');
    await pushToMain({ 'other.txt': 'three\n' });
    const before = service.github.requests.length;
    await session.advance(USED_UP);
    await session.publish();
    expect(fetchesSince(before)).toBe(0);
    const said = comments(issue);
    expect(statusOf(issue)).toMatch(/^\*\*✋ In conflict: #\d+\*\*/);
    expect(said.at(-1)).toMatch(
      /^@maintainer The conflicts with `main` are not resolved: Still used up/,
    );
    await pushToMain({ 'other.txt': 'four\n' });
    await session.advance(USED_UP);
    await session.publish();
    expect(comments(issue)).toHaveLength(said.length);
    await session.comment('maintainer', '/issuewright retry');
    await session.advance(USED_UP);
    await session.publish();
    expect(comments(issue).at(-1)).toMatch(
      /^@maintainer The conflicts with `main` are not resolved/,
    );
    expect(fetchesSince(before)).toBe(0);
  });

  it('merges a base branch without conflicts, since no model is asked for that', async () => {
    const { session, issue } = await proposed('Add a fourth word', 'fourth.txt');
    await pushToMain({ 'beside.txt': 'beside\n' });
    await session.comment('maintainer', '/issuewright resolve');
    await session.advance(USED_UP);
    const ends = entriesOf(await session.journal(), 'run_ended').map(({ end }) => end.kind);
    expect(ends).toEqual(['finished', 'finished']);
    await session.publish();
    expect(statusOf(issue)).toMatch(/Ready for review/);
  });
});

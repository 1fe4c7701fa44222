import { afterEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { api, comment, mintsTokens, REPO, repository } from './support.ts';

const AT = '2030-01-15T12:00:05Z';
const PERSON = { user: { login: 'writer', type: 'User' }, performed_via_github_app: undefined };

/** A comment of a person, made and last changed at these seconds of the minute. */
const made = (id: number, second: number, changed = second, by: object = PERSON) => {
  const time = (of: number): string => `2030-01-15T12:00:${String(of).padStart(2, '0')}Z`;
  const written = { ...comment(id, `says ${id}`, by), body_html: `<p>says ${id}</p>` };
  return { ...written, created_at: time(second), updated_at: time(changed) };
};

/** What is read of an issue that has these comments, one page for each list. */
async function read(...pages: readonly (readonly object[])[]): Promise<string[]> {
  mintsTokens();
  pages.forEach((page, index) => {
    const number = index + 1;
    const link = `<https://api.github.com${REPO}/issues/1/comments?page=${pages.length}>; rel="last"`;
    api().get(`${REPO}/issues/1/comments?per_page=100&page=${number}`).reply(200, page, { link });
  });
  const comments = await repository().commentsAsOf(1, AT);
  return Promise.all(
    comments.map(async ({ author, shown }) => `${author}: ${(await shown()).body}`),
  );
}

afterEach(() => nock.cleanAll());

describe('the comments as of a moment', () => {
  it('are those of people, the ones that were made later too', async () => {
    const bot = { user: { login: 'checker[bot]', type: 'Bot' } };
    await expect(read([made(1, 1), made(2, 2, 2, bot), made(3, 9)])).resolves.toEqual([
      'writer: says 1',
      'writer: says 3',
    ]);
  });

  it('are without those that changed at that moment or since: what they said is not known', async () => {
    const comments = [made(1, 1, 4), made(2, 1, 5), made(3, 1, 6), made(4, 7, 8)];
    await expect(read(comments)).resolves.toEqual(['writer: says 1']);
  });

  it('are with those that were made at that moment and not changed', async () => {
    await expect(read([made(1, 5)])).resolves.toEqual(['writer: says 1']);
  });

  it('are the newest three hundred and the first hundred, oldest first', async () => {
    const pages = [1, 2, 3, 4, 5].map((id) => [made(id, id)]);
    await expect(read(...pages)).resolves.toEqual([1, 3, 4, 5].map((id) => `writer: says ${id}`));
  });
});

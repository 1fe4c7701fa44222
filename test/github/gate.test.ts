import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { GitHubDenied } from '../../src/github/errors.ts';
import {
  api,
  APP_ID,
  comment,
  knowsItself,
  mintsTokens,
  REPO,
  repository,
  REPOSITORY,
} from './support.ts';

const LIST = `${REPO}/issues/1/comments?per_page=100&page=`;
const MARKER = '<!-- issuewright:5:status -->';
const wanted = { issue: 1, session: '5', key: 'status', body: ['hello'] };
const person = { user: { login: 'stranger', type: 'User' }, performed_via_github_app: null };

beforeEach(() => {
  mintsTokens();
  knowsItself();
});
afterEach(() => nock.cleanAll());

const sent: Record<string, unknown>[] = [];
const takes = async (request: Request) => {
  const body = (await request.json()) as Record<string, unknown>;
  sent.push(body);
  return { ...comment(50, ''), ...body, number: 3, html_url: 'https://github.com/example/words/3' };
};
afterEach(() => {
  sent.length = 0;
});

describe('a comment', () => {
  it('is created with its marker if there is none', async () => {
    api()
      .get(`${LIST}1`)
      .reply(200, [comment(1, 'of another session <!-- issuewright:6:status -->')]);
    api().post(`${REPO}/issues/1/comments`).reply(201, takes);
    await expect(repository().comment(wanted)).resolves.toMatchObject({ id: 50 });
    expect(sent).toEqual([{ body: `hello\n\n${MARKER}` }]);
  });

  it('is edited at once if its id is known', async () => {
    api().patch(`${REPO}/issues/comments/9`).reply(200, takes);
    await repository().comment({ ...wanted, known: 9 });
    expect(sent).toEqual([{ body: `hello\n\n${MARKER}` }]);
  });

  it('that someone deleted is looked for, and created again', async () => {
    api().patch(`${REPO}/issues/comments/9`).reply(404, { message: 'Not Found' });
    api().get(`${LIST}1`).reply(200, []);
    api().post(`${REPO}/issues/1/comments`).reply(201, takes);
    await expect(repository().comment({ ...wanted, known: 9 })).resolves.toMatchObject({ id: 50 });
  });

  it('that already exists is edited, and left alone if it says the same', async () => {
    api()
      .get(`${LIST}1`)
      .reply(200, [comment(7, `before\n\n${MARKER}`)]);
    api().patch(`${REPO}/issues/comments/7`).reply(200, takes);
    await repository().comment(wanted);
    expect(sent).toHaveLength(1);
    api()
      .get(`${LIST}1`)
      .reply(200, [comment(7, `hello\n\n${MARKER}`)]);
    await expect(repository().comment(wanted)).resolves.toMatchObject({ id: 7 });
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['a person who pasted the marker', person],
    [
      'another bot',
      { user: { login: 'other[bot]', type: 'Bot' }, performed_via_github_app: { id: 1 } },
    ],
    [
      'a person whose login looks like the App',
      { user: { login: 'issuewright[bot]', type: 'User' } },
    ],
    ['a person who acts through the App', { ...person, performed_via_github_app: { id: APP_ID } }],
    ['a deleted account', { user: null, performed_via_github_app: null }],
  ])('of %s is not taken for its own', async (_who, by) => {
    api()
      .get(`${LIST}1`)
      .reply(200, [comment(7, `hello\n\n${MARKER}`, by)]);
    api().post(`${REPO}/issues/1/comments`).reply(201, takes);
    await expect(repository().comment(wanted)).resolves.toMatchObject({ id: 50 });
  });

  it('that only quotes the marker is not taken for it', async () => {
    api()
      .get(`${LIST}1`)
      .reply(200, [comment(7, `${MARKER} and more`)]);
    api().post(`${REPO}/issues/1/comments`).reply(201, takes);
    await expect(repository().comment(wanted)).resolves.toMatchObject({ id: 50 });
  });

  it('is searched from the newest page on, and duplicates go: the oldest stays', async () => {
    const link = '<https://api.github.com/x?per_page=100&page=3>; rel="last"';
    api()
      .get(`${LIST}1`)
      .reply(200, [comment(7, `hello\n\n${MARKER}`)], { link });
    api()
      .get(`${LIST}3`)
      .reply(200, [comment(300, `late\n\n${MARKER}`)]);
    api()
      .get(`${LIST}2`)
      .reply(200, [comment(200, `hello\n\n${MARKER}`)]);
    api().delete(`${REPO}/issues/comments/200`).reply(204);
    api().delete(`${REPO}/issues/comments/300`).reply(404, { message: 'Not Found' });
    await expect(repository().comment(wanted)).resolves.toMatchObject({ id: 7 });
    expect(nock.pendingMocks().filter((mock) => mock.includes('DELETE'))).toEqual([]);
  });

  it('is searched in the newest thousand and the first hundred, and no further', async () => {
    const link = '<https://api.github.com/x?per_page=100&page=400>; rel="last"';
    api().get(`${LIST}1`).reply(200, [], { link });
    for (let page = 400; page > 390; page -= 1) api().get(`${LIST}${page}`).reply(200, []);
    api().post(`${REPO}/issues/1/comments`).reply(201, takes);
    await expect(repository().comment(wanted)).resolves.toMatchObject({ id: 50 });
  });

  it('whose edit got no response is read again, and counts if the edit arrived', async () => {
    api().patch(`${REPO}/issues/comments/9`).reply(500);
    api()
      .get(`${REPO}/issues/comments/9`)
      .reply(200, comment(9, `hello\n\n${MARKER}`));
    await expect(repository().comment({ ...wanted, known: 9 })).resolves.toMatchObject({ id: 9 });
  });
});

describe('a pull request', () => {
  const request = {
    session: '5',
    branch: 'issuewright/1-words',
    base: 'main',
    title: 'Add words',
    body: ['Closes #1'],
    closes: 1,
    draft: true,
  };
  const FIND = `${REPO}/pulls?head=example%3Aissuewright%2F1-words&state=all&per_page=100`;
  const pull = (number: number, state: string, ref = request.branch, id = REPOSITORY.id) => ({
    number,
    state,
    html_url: `https://github.com/example/words/pull/${number}`,
    head: { ref, repo: { id } },
  });

  it('is opened on a branch that has none open', async () => {
    api()
      .get(FIND)
      .reply(200, [
        pull(2, 'closed'),
        pull(3, 'open', 'other'),
        pull(4, 'open', request.branch, 1),
      ]);
    api().post(`${REPO}/pulls`).reply(201, takes);
    await expect(repository().openPullRequest(request)).resolves.toMatchObject({
      number: 3,
      state: 'open',
    });
    expect(sent).toEqual([
      {
        head: request.branch,
        base: 'main',
        title: 'Add words',
        body: '<!-- issuewright:5:pull-request:begin -->\nCloses #1\n\n<!-- issuewright:5:pull-request -->',
        draft: true,
      },
    ]);
  });

  it('that is open already is found', async () => {
    api()
      .get(FIND)
      .reply(200, [pull(5, 'open')]);
    await expect(repository().openPullRequest(request)).resolves.toMatchObject({ number: 5 });
  });

  it('that appeared in the meantime is found', async () => {
    api().get(FIND).reply(200, []);
    api()
      .post(`${REPO}/pulls`)
      .reply(422, {
        message: 'Validation Failed',
        errors: [{ message: 'A pull request already exists for example:x.' }],
      });
    api()
      .get(FIND)
      .reply(200, [pull(5, 'open')]);
    await expect(repository().openPullRequest(request)).resolves.toMatchObject({ number: 5 });
  });

  it('is opened as ready if drafts are not supported', async () => {
    api().get(FIND).twice().reply(200, []);
    api()
      .post(`${REPO}/pulls`)
      .reply(422, { message: 'Draft pull requests are not supported in this repository.' });
    api().post(`${REPO}/pulls`).reply(201, takes);
    await expect(repository().openPullRequest(request)).resolves.toMatchObject({ number: 3 });
    expect(sent).toMatchObject([{ draft: false }]);
  });

  it('that GitHub does not accept is denied with its reason', async () => {
    api().get(FIND).twice().reply(200, []);
    api()
      .post(`${REPO}/pulls`)
      .reply(422, {
        message: 'Validation Failed',
        errors: [{ message: 'No commits between main and x' }],
      });
    const error = await repository()
      .openPullRequest(request)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GitHubDenied);
    expect(String(error)).toMatch(/No commits between/);
  });

  it.each([
    ['ready', { draft: false, state: 'open' }],
    ['closed', { draft: true, state: 'closed' }],
  ])('that is %s is not made ready', async (_what, state) => {
    api()
      .get(`${REPO}/pulls/3`)
      .reply(200, { node_id: 'PR_3', ...state });
    await expect(repository().markReady(3)).resolves.toBeUndefined();
  });

  it('is made ready, and a denial is reported with its reason', async () => {
    api()
      .get(`${REPO}/pulls/3`)
      .twice()
      .reply(200, { node_id: 'PR_3', draft: true, state: 'open' });
    const scope = api().post(
      '/graphql',
      (body: { variables: unknown }) => JSON.stringify(body.variables) === '{"id":"PR_3"}',
    );
    scope.reply(200, { data: { markPullRequestReadyForReview: {} } });
    await expect(repository().markReady(3)).resolves.toBeUndefined();
    api()
      .post('/graphql')
      .reply(200, { data: null, errors: [{ type: 'FORBIDDEN', message: 'Not yours' }] });
    await expect(repository().markReady(3)).rejects.toThrow(/ready for review: Not yours/);
  });
});

describe('a reaction', () => {
  it('is asked for again when its answer is lost: GitHub keeps one of a kind', async () => {
    api().post(`${REPO}/issues/1/reactions`, { content: 'eyes' }).reply(502);
    api().post(`${REPO}/issues/1/reactions`, { content: 'eyes' }).reply(200, { id: 1 });
    await repository().react({ in: { on: 'issue', id: 1 }, content: 'eyes' });
    api().post(`${REPO}/issues/comments/8/reactions`, { content: 'eyes' }).reply(201, { id: 2 });
    await repository().react({ in: { on: 'comment', id: 8 }, content: 'eyes' });
    expect(nock.pendingMocks().filter((mock) => mock.includes('reactions'))).toEqual([]);
  });
});

describe('what is read of a repository', () => {
  const permission = `${REPO}/collaborators/octo-maintainer/permission`;
  it.each([
    [{ permission: 'write', role_name: 'maintain' }, 'maintain'],
    [{ permission: 'read', role_name: 'triage' }, 'triage'],
    [{ permission: 'write', role_name: 'release-crew' }, 'write'],
    [{ permission: 'admin' }, 'admin'],
    [{ permission: 'unheard of' }, 'none'],
  ])('permission %j is %s', async (answer, level) => {
    api().get(permission).reply(200, answer);
    await expect(repository().permissionOf('octo-maintainer')).resolves.toBe(level);
  });

  it.each([
    [5, 'write'],
    [undefined, 'write'],
    [6, 'none'],
  ])('a login that the account 5 has is nobody else’s: %p may %s', async (id, level) => {
    const user = { login: 'octo-maintainer', id: 5 };
    api().get(permission).reply(200, { permission: 'write', role_name: 'write', user });
    if (id === 6) api().get('/user/6').reply(404, { message: 'Not Found' });
    await expect(repository().permissionOf('octo-maintainer', id)).resolves.toBe(level);
  });

  it('an unknown login has no permission', async () => {
    api().get(permission).reply(404, { message: 'Not Found' });
    await expect(repository().permissionOf('octo-maintainer')).resolves.toBe('none');
  });

  const settings = `${REPO}/contents/.github%2Fissuewright.yml`;
  const file = (text: string, size = text.length) => ({
    type: 'file',
    size,
    content: Buffer.from(text).toString('base64'),
  });
  /** As often as it is asked. */
  const listsSettings = (): void => {
    api()
      .get(`${REPO}/contents`)
      .reply(200, [{ name: '.github' }])
      .persist();
    api()
      .get(`${REPO}/contents/.github`)
      .reply(200, [{ name: 'issuewright.yml' }])
      .persist();
  };
  beforeEach(listsSettings);

  it('the settings file is its text, or undefined', async () => {
    api().get(settings).reply(200, file('label: agent # ✓\n'));
    await expect(repository().readFile('.github/issuewright.yml')).resolves.toBe(
      'label: agent # ✓\n',
    );
    api().get(settings).reply(404, { message: 'Not Found' });
    await expect(repository().readFile('.github/issuewright.yml')).resolves.toBeUndefined();
  });

  it.each([
    ['too long', file('', 70_000), /64 KB/],
    ['a directory', [], /is not a file/],
  ])('a settings file that is %s is invalid, with an explanation', async (_what, answer, words) => {
    api().get(settings).reply(200, answer);
    await expect(repository().readFile('.github/issuewright.yml')).rejects.toThrow(words);
  });

  it('the line comments are those of the one review, oldest first', async () => {
    const list = `${REPO}/pulls/3/comments?sort=created&direction=desc&per_page=100&page=`;
    const line = (id: number, review: number, at: object) => ({
      id,
      path: 'a.js',
      body: `c${id}`,
      body_html: `<p>c${id}</p>`,
      pull_request_review_id: review,
      ...at,
    });
    const other = Array.from({ length: 99 }, (_, at) => line(900 - at, 2, { line: 1 }));
    api()
      .get(`${list}1`)
      .reply(200, [line(1000, 1, { line: null, original_line: 7 }), ...other]);
    api()
      .get(`${list}2`)
      .reply(200, [line(3, 1, { line: 5 }), line(2, 1, {})]);
    const thread = (id: string, databaseId: number) => ({
      id,
      isResolved: databaseId === 3,
      isOutdated: databaseId === 1000,
      subjectType: 'LINE',
      comments: { nodes: [{ databaseId }] },
      begin: { nodes: [{ commit: { oid: 'a'.repeat(40) } }] },
    });
    api()
      .post('/graphql')
      .reply(200, {
        data: {
          repository: {
            pullRequest: {
              headRefOid: 'a'.repeat(40),
              reviewThreads: {
                pageInfo: { hasNextPage: false, endCursor: null },
                nodes: [thread('T1', 3), thread('T2', 1000)],
              },
            },
          },
        },
      });
    const found = await repository().lineCommentsOf(3, 1);
    expect(found.map(({ thread: { isResolved, isOutdated } }) => [isResolved, isOutdated])).toEqual(
      [
        [false, true],
        [true, false],
        [false, true],
      ],
    );
    expect(found.map(({ path, line, body }) => ({ path, line, body }))).toEqual([
      { path: 'a.js', line: null, body: 'c2' },
      { path: 'a.js', line: 5, body: 'c3' },
      { path: 'a.js', line: 7, body: 'c1000' },
    ]);
  });
});

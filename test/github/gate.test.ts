import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import nock from 'nock';
import { GitHubDenied, RenderingFailed } from '../../src/github/errors.ts';
import { publicBody, publicTitle } from '../../src/github/gate.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { quoted, unquoted } from '../../src/session/texts/body.ts';
import { links, published } from '../support/publishing.ts';
import {
  api,
  APP_ID,
  comment,
  knowsItself,
  mintsTokens,
  REPO,
  repository,
  REPOSITORY,
  TOKEN,
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
  it('is made with its marker where there is none', async () => {
    api()
      .get(`${LIST}1`)
      .reply(200, [comment(1, 'of another session <!-- issuewright:6:status -->')]);
    api().post(`${REPO}/issues/1/comments`).reply(201, takes);
    await expect(repository().comment(wanted)).resolves.toMatchObject({ id: 50 });
    expect(sent).toEqual([{ body: `hello\n\n${MARKER}` }]);
  });

  it('is edited at once where its id is known', async () => {
    api().patch(`${REPO}/issues/comments/9`).reply(200, takes);
    await repository().comment({ ...wanted, known: 9 });
    expect(sent).toEqual([{ body: `hello\n\n${MARKER}` }]);
  });

  it('that somebody deleted is looked for, and made again', async () => {
    api().patch(`${REPO}/issues/comments/9`).reply(404, { message: 'Not Found' });
    api().get(`${LIST}1`).reply(200, []);
    api().post(`${REPO}/issues/1/comments`).reply(201, takes);
    await expect(repository().comment({ ...wanted, known: 9 })).resolves.toMatchObject({ id: 50 });
  });

  it('that is there already is edited, and left alone where it says the same', async () => {
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
    ['nobody any more', { user: null, performed_via_github_app: null }],
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

  it('whose edit was answered by nobody is read again, and counts where it landed', async () => {
    api().patch(`${REPO}/issues/comments/9`).reply(500);
    api()
      .get(`${REPO}/issues/comments/9`)
      .reply(200, comment(9, `hello\n\n${MARKER}`));
    await expect(repository().comment({ ...wanted, known: 9 })).resolves.toMatchObject({ id: 9 });
  });
});

describe('a public text', () => {
  const redactor = createRedactor(['the-operator-password']);
  const text = (body: string, mentions: string[] = []) =>
    published([unquoted(body)], { redactor, mentions });

  it('is cleaned of mentions, markers and secrets', async () => {
    const body = `@everyone fixes #1 ${TOKEN} the-op\u200Berator-password\n<!-- issuewright:6:x -->`;
    const clean = '＠everyone fixes → #1 [redacted] [redacted]';
    await expect(text(body)).resolves.toBe(clean);
    await expect(published([body], { redactor })).resolves.toBe(`${clean}\n`);
  });

  it.each([
    ['a token', `a\\*b ghp\\_${'a1B2'.repeat(9)} c`, 'a*b [redacted] c'],
    ['one below code', `\\d\\.\nghp\\_${'a1B2'.repeat(9)}`, '\\d\\.\n[redacted]'],
    ['a known value', 'the\\-operator\\-password', '[redacted]'],
    ['one with a sign that nobody sees', 'the\\\u200B-operator-password', '[redacted]'],
    [
      'one beside a link',
      '[x]\\(https://evil.example) the\\-operator-password',
      '[x]\\(https：//evil.example) [redacted]',
    ],
    ['none, so all stays', 'C:\\.a the-operator-password \\*b\\*', 'C:\\.a [redacted] \\*b\\*'],
  ])('shows no secret behind the backslashes of Markdown: %s', async (_what, body, expected) => {
    await expect(text(body)).resolves.toBe(expected);
  });

  it('ends at the limit of GitHub, with a mark and its marker', async () => {
    const long = await text('🙂'.repeat(50_000));
    expect(long.length).toBeLessThanOrEqual(65_536 - 2 - MARKER.length);
    expect(long.length).toBeGreaterThan(65_200);
    expect(long.isWellFormed()).toBe(true);
    expect(long).toMatch(/🙂\n\n… \(cut here.*\)$/);
    const whole = 'x'.repeat(65_536 - MARKER.length - 4);
    await expect(text(whole)).resolves.toBe(whole);
    await expect(published([whole])).resolves.toBe(whole);
    await expect(published([`${whole}fixes #1`])).resolves.toMatch(/cut here/);
  });

  it('does not swallow its marker in a code block that stays open', async () => {
    await expect(text('see:\n```js\none()')).resolves.toBe('see:\n```js\none()\n```');
    await expect(text(`\`\`\`js\n${'one()\n'.repeat(20_000)}\`\`\`\nend`)).resolves.toMatch(
      /one\(\)\n```\n\n… \(cut here.*\)$/,
    );
  });

  it('that was cut links to where all of it is', async () => {
    const whole = 'http://127.0.0.1:3000/sessions/5';
    const long = await published([unquoted('word '.repeat(20_000))], { whole });
    expect(long).toMatch(
      /word\n\n… \(cut here: the rest was too long for GitHub; \[all of it stands here\]\(http:\/\/127\.0\.0\.1:3000\/sessions\/5\)\)$/,
    );
  });

  it('leads nowhere but to GitHub, and hides no secret in a link', async () => {
    const body = `![x](https://evil.example/${TOKEN}) [y](https://github.com/example/words)`;
    await expect(text(body)).resolves.toBe(
      '![x]\\(https：//evil.example/[redacted]) [y](https://github.com/example/words)',
    );
  });

  it('refuses a session or key that would break out of the marker', async () => {
    const check = async () => undefined;
    await expect(
      publicBody({ ...wanted, key: 'a --> b' }, { redactor, links, check }),
    ).rejects.toThrow(RangeError);
  });

  it('as a title is one clean line', () => {
    expect(publicTitle(' Fixes #1:\n\n@you ', { redactor })).toBe('Fixes → #1: ＠you');
    expect(publicTitle('x'.repeat(300), { redactor })).toHaveLength(256);
    expect(publicTitle('\u200B', { redactor })).toBe('Untitled');
  });
});

describe('a text that a model wrote', () => {
  const say = (...texts: string[]) =>
    repository().comment({ ...wanted, known: 9, body: texts.map((text) => quoted(text, 500)) });
  const rendersAs = (html: (text: string) => string) => {
    const asked: string[] = [];
    api()
      .post('/markdown')
      .reply(200, async (request: Request) => {
        const { text, mode, context } = (await request.json()) as Record<string, string>;
        expect({ mode, context }).toEqual({ mode: 'gfm', context: 'example/words' });
        asked.push(text ?? '');
        return html(text ?? '');
      })
      .persist();
    return asked;
  };
  const IMAGE = '<p><img src="https://evil.example/a.png"></p>';
  beforeEach(() => {
    api().patch(`${REPO}/issues/comments/9`).reply(200, takes).persist();
  });
  const bodies = () => sent.map(({ body }) => String(body).replace(`\n\n${MARKER}`, ''));

  it('is shown to GitHub first, all texts of a comment at once, and each time once', async () => {
    const asked = rendersAs((text) => `<p>${text}</p>`);
    const { comment: publish } = repository();
    const body = ['Own words.', quoted('one', 500), 'More.', quoted('two', 500)];
    for (const known of [9, 9]) await publish({ ...wanted, known, body });
    expect(asked).toEqual(['> one\n\n> two']);
    expect(bodies()).toEqual(Array(2).fill('Own words.\n\n> one\n\nMore.\n\n> two'));
  });

  it('is asked about by nobody where there is none', async () => {
    await repository().comment({ ...wanted, known: 9, body: ['Own words.'] });
    expect(bodies()).toEqual(['Own words.']);
  });

  it('is published as code if GitHub would show an image, and the texts beside it stay', async () => {
    rendersAs((text) => (/(?<!`\n)> bad/.test(text) ? IMAGE : '<p>x</p>'));
    await say('*good*', 'bad ``` *text*');
    expect(bodies()).toEqual(['> *good*\n\n> ````\n> bad ``` *text*\n> ````']);
  });

  it('is published as code with the others if they could do together what none does alone', async () => {
    rendersAs((text) => (/one[^]*two/.test(text) ? IMAGE : '<p>x</p>'));
    await say('one', 'two');
    expect(bodies()).toEqual(['> ```\n> one\n> ```\n\n> ```\n> two\n> ```']);
  });

  it('is published as code if GitHub will not render it', async () => {
    api().post('/markdown').reply(403, { message: 'Resource not accessible by integration' });
    await say('one');
    expect(bodies()).toEqual(['> ```\n> one\n> ```']);
  });

  it('waits if GitHub cannot render now', async () => {
    api().post('/markdown').times(4).reply(503);
    await expect(say('one')).rejects.toThrow(RenderingFailed);
    expect(sent).toEqual([]);
  });

  it('takes no room of what the installation may write', async () => {
    rendersAs((text) => text);
    const taken: string[] = [];
    const content = () => ({
      take: async () => {
        taken.push('room');
        return 0;
      },
      pause: async () => {},
    });
    await repository({ content }).comment({ ...wanted, known: 9, body: [quoted('one', 500)] });
    expect(taken).toHaveLength(1);
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
        body: 'Closes #1\n\n<!-- issuewright:5:pull-request -->',
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

  it('is opened as ready where drafts are not supported', async () => {
    api().get(FIND).twice().reply(200, []);
    api()
      .post(`${REPO}/pulls`)
      .reply(422, { message: 'Draft pull requests are not supported in this repository.' });
    api().post(`${REPO}/pulls`).reply(201, takes);
    await expect(repository().openPullRequest(request)).resolves.toMatchObject({ number: 3 });
    expect(sent).toMatchObject([{ draft: false }]);
  });

  it('that GitHub does not want is refused with its reason', async () => {
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

  it('is made ready, and its refusal told in words', async () => {
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
    await repository().react({ on: 'issue', id: 1, content: 'eyes' });
    api().post(`${REPO}/issues/comments/8/reactions`, { content: 'eyes' }).reply(201, { id: 2 });
    await repository().react({ on: 'comment', id: 8, content: 'eyes' });
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
  ])('a settings file that is %s is refused in words', async (_what, answer, words) => {
    api().get(settings).reply(200, answer);
    await expect(repository().readFile('.github/issuewright.yml')).rejects.toThrow(words);
  });

  it('the line comments are those of the one review, oldest first', async () => {
    const list = `${REPO}/pulls/3/comments?sort=created&direction=desc&per_page=100&page=`;
    const line = (id: number, review: number, at: object) => ({
      id,
      path: 'a.js',
      body: `c${id}`,
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
    await expect(repository().lineCommentsOf(3, 1)).resolves.toEqual([
      { path: 'a.js', line: null, body: 'c2' },
      { path: 'a.js', line: 5, body: 'c3' },
      { path: 'a.js', line: 7, body: 'c1000' },
    ]);
  });
});

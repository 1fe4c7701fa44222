// `POST /markdown`, and the bodies that the Accept header asks for.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Playground } from './support.ts';
import { asInstallation, mintToken, startPlayground, withToken } from './support.ts';

let playground: Playground;
const HTML = '<p dir="auto">see <strong>this</strong></p>\n';

beforeAll(async () => {
  playground = await startPlayground();
  const { github } = playground;
  const repository = github.repository('example', 'words');
  const maintainer = github.as('maintainer');
  maintainer.openIssue(repository, { title: 'First', body: 'see **this**' });
  maintainer.comment({ repository, number: 1 }, 'see **this**');
  const files = { 'src/index.js': 'export const one = 2;\n' };
  await maintainer.push(repository, { branch: 'two', files, message: 'Two' });
  const pull = { title: 'Two', body: 'see **this**', head: 'two', base: 'main' };
  await maintainer.openPull(repository, pull);
  await github.as('helper').review(
    { repository, number: 2 },
    {
      event: 'COMMENT',
      body: 'see **this**',
      comments: [{ path: 'src/index.js', line: 1, body: 'see **this**' }],
    },
  );
});

afterAll(() => playground.close());

/** The first of what the address answers, or the one. */
async function read(path: string, accept: string): Promise<Record<string, unknown>> {
  const { data, headers } = await asInstallation(playground.github, '/api/v3').request(
    `GET /repos/example/words${path}`,
    { headers: { accept } },
  );
  expect(headers['x-github-media-type']).toContain('github.v3');
  return Array.isArray(data) ? data.at(-1) : data;
}

const firstId = async (path: string): Promise<string> =>
  String((await read(path, 'application/json'))['id']);

describe('the body of what was written', () => {
  const places = [
    ['an issue', () => '/issues/1'],
    ['a list of issues', () => '/issues'],
    ['comments', () => '/issues/1/comments'],
    ['a comment', async () => `/issues/comments/${await firstId('/issues/1/comments')}`],
    ['a pull request', () => '/pulls/2'],
    ['a list of pull requests', () => '/pulls'],
    ['reviews', () => '/pulls/2/reviews'],
    ['a review', async () => `/pulls/2/reviews/${await firstId('/pulls/2/reviews')}`],
    ['review comments', () => '/pulls/2/comments'],
    [
      'a review’s comments',
      async () => `/pulls/2/reviews/${await firstId('/pulls/2/reviews')}/comments`,
    ],
  ] as const;

  it.each(places)('of %s comes in each of its forms', async (_name, pathOf) => {
    const path = await pathOf();
    const forms = async (name: string) => {
      const { body, body_html, body_text } = await read(path, `application/vnd.github.${name}`);
      return { body, body_html, body_text };
    };
    const body = 'see **this**';
    expect(await forms('full+json')).toEqual({ body, body_html: HTML, body_text: 'see this' });
    expect(await forms('v3.html+json')).toEqual({ body_html: HTML });
    expect(await forms('text+json')).toEqual({ body_text: 'see this' });
    expect(await forms('raw+json')).toEqual({ body });
    expect(await forms('v3+json')).toEqual({ body });
  });

  it('stays null if there is none', async () => {
    const { github } = playground;
    const empty = { title: 'Empty' };
    const { number } = github
      .as('maintainer')
      .openIssue(github.repository('example', 'words'), empty);
    const issue = await read(`/issues/${number}`, 'application/vnd.github.full+json');
    expect([issue['body'], issue['body_html'], issue['body_text']]).toEqual([null, null, null]);
  });
});

describe('POST /markdown', () => {
  const wanted = { text: 'see #1\n@helper', mode: 'gfm', context: 'example/words' } as const;

  it.each(['', '/api/v3'])('renders a text in its repository, under %j', async (prefix) => {
    const { data, headers } = await asInstallation(playground.github, prefix).rest.markdown.render(
      wanted,
    );
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(data).toContain(`href="${playground.github.url}/example/words/issues/1">#1</a><br>`);
    expect(data).toContain('class="user-mention notranslate"');
    expect(playground.github.usedPermissions).toContain('contents:read');
  });

  it('renders a document without breaks and references when no mode is named', async () => {
    const { data } = await asInstallation(playground.github).rest.markdown.render({
      text: 'see #1\n@helper',
      context: 'example/words',
    });
    expect(data).toBe('<p dir="auto">see #1\n@helper</p>\n');
  });

  it('needs the permission to read contents', async () => {
    const token = await mintToken(playground.github, { permissions: { issues: 'write' } });
    await expect(
      withToken(playground.github, token).rest.markdown.render(wanted),
    ).rejects.toMatchObject({ status: 403 });
  });

  it('takes 400 KB and no more', async () => {
    const client = asInstallation(playground.github);
    const text = 'words '.repeat((400 * 1024) / 6);
    expect((await client.rest.markdown.render({ text })).status).toBe(200);
    await expect(client.rest.markdown.render({ text: `${text}too much` })).rejects.toMatchObject({
      status: 403,
    });
  });
});

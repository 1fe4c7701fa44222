import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import http from 'node:http';
import type { Playground } from './support.ts';
import { startPlayground } from './support.ts';

let playground: Playground;
beforeAll(async () => {
  playground = await startPlayground();
  const maintainer = playground.github.as('maintainer');
  maintainer.openIssue(repository(), {
    title: 'A <b>title</b>',
    body: '**bold** <script>alert(1)</script> <!-- marker -->',
  });
  maintainer.label({ repository: repository(), number: 1 }, 'issuewright');
});
afterAll(() => playground.close());

const repository = () => playground.github.repository('example', 'words');

async function read(path: string): Promise<string> {
  const answer = await fetch(playground.github.url + path);
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
  return answer.text();
}

function post(path: string, form: Record<string, string>, headers: Record<string, string> = {}) {
  const { url } = playground.github;
  return fetch(url + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: url, ...headers },
    body: new URLSearchParams({ as: 'maintainer', ...form }),
  });
}

describe('the pages', () => {
  it('show an issue, with its Markdown rendered as GitHub renders it, and everything else escaped', async () => {
    const page = await read('/example/words/issues/1');
    expect(page).toContain('A &lt;b&gt;title&lt;/b&gt;');
    expect(page).toContain('<p dir="auto"><strong>bold</strong>');
    expect(page).not.toMatch(/alert|marker/);
    expect(page).toContain('is-open');
  });

  it('list repositories and their issues', async () => {
    expect(await read('/')).toContain('href="/example/words/issues/1"');
    expect(await read('/example/words')).toContain('README.md');
  });

  it('show the labels of a repository', async () => {
    expect(await read('/example/words')).toContain('href="/example/words/labels"');
    expect(await read('/example/words/labels')).toMatch(/class="label"[^>]*>issuewright</);
  });

  it('show the App, and none of its secrets', async () => {
    const { app } = playground.github.appOwner;
    for (const below of ['apps', 'settings/apps', 'organizations/example/settings/apps']) {
      const page = await read(`/${below}/${app.slug}`);
      expect(page).toContain('<li><code>contents</code>: write</li>');
      expect(page).not.toContain(app.webhookSecret);
      expect((await fetch(`${playground.github.url}/${below}/another`)).status).toBe(404);
    }
    const bot = await fetch(`${playground.github.url}/${encodeURIComponent(app.bot.login)}`);
    expect(new URL(bot.url).pathname).toBe(`/apps/${app.slug}`);
  });

  it('play the whole human side by forms', async () => {
    const opened = await post('/ui/example/words/issues', { title: 'By hand', body: 'a\r\nb' });
    expect([opened.status, opened.headers.get('location')]).toEqual([
      303,
      '/example/words/issues/2',
    ]);
    await post('/ui/example/words/2/label', { label: 'issuewright', as: 'helper' });
    await post('/ui/example/words/2/comment', { body: 'A reply', as: 'stranger' });
    await post('/ui/example/words/2/close', { body: 'Done' });
    const issue = repository().issues[1];
    expect(issue).toMatchObject({
      body: 'a\nb',
      state: 'closed',
      labels: [{ name: 'issuewright' }],
    });
    expect(repository().comments).toMatchObject([
      { author: { login: 'stranger' }, body: 'A reply' },
      { author: { login: 'maintainer' }, body: 'Done' },
    ]);
    const maintainer = playground.github.as('maintainer');
    const head = await maintainer.push(repository(), {
      branch: 'two',
      files: { 'two.js': '<two>\n' },
      message: 'Two',
    });
    await maintainer.openPull(repository(), { title: 'Two', head: 'two', base: 'main' });
    const page = await read('/example/words/pull/3');
    expect(page).toContain('+&lt;two&gt;');
    expect(page).toContain(head.slice(0, 7));
    await post('/ui/example/words/3/review', { event: 'APPROVE', body: 'Fine', as: 'helper' });
    await post('/ui/example/words/3/merge', {});
    expect(repository().reviews).toMatchObject([
      { state: 'APPROVED', author: { login: 'helper' } },
    ]);
    expect(await read('/example/words/pull/3')).toContain('is-merged');
    expect((await fetch(`${playground.github.url}/example/words/issues/3`)).url).toMatch(
      /pull\/3$/,
    );
    expect(await read(`/example/words/commit/${head}`)).toContain('two.js');
  });

  it('let no one do what they may not', async () => {
    const answer = await post('/ui/example/words/1/label', { label: 'x', as: 'stranger' });
    expect(answer.status).toBe(403);
    expect((await post('/ui/example/words/1/comment', { as: 'nobody', body: 'x' })).status).toBe(
      404,
    );
  });

  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ 'sec-fetch-site': 'cross-site' }],
  ])('take no form from another site: %j', async (headers) => {
    const before = repository().comments.length;
    const answer = await post('/ui/example/words/1/comment', { body: 'Forged' }, headers);
    expect(answer.status).toBe(403);
    expect(repository().comments).toHaveLength(before);
  });

  it('answer by the names of this machine only', async () => {
    const status = await new Promise((resolve, reject) => {
      const options = { headers: { host: 'evil.example' }, agent: false };
      http
        .get(`${playground.github.url}/example/words`, options, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        })
        .on('error', reject);
    });
    expect(status).toBe(403);
  });

  it('show the account that a mention links to', async () => {
    playground.github
      .as('helper')
      .comment({ repository: repository(), number: 1 }, 'cc @maintainer');
    const [, address = ''] =
      /class="user-mention[^>]* href="([^"]+)"/.exec(await read('/example/words/issues/1')) ?? [];
    const page = await read(new URL(address, playground.github.url).pathname);
    expect(page).toMatch(/<h1 class="title">maintainer<\/h1>\s+<p class="muted">A person/);
    expect(page).toMatch(/href="\/example\/words">example\/words<\/a>[^]*>admin</);
    expect(await read('/example')).toContain('An organization');
    const nowhere = await fetch(`${playground.github.url}/no-one`);
    expect(nowhere.status).toBe(404);
  });

  it('tell by a number that something has changed', async () => {
    const version = async () => (await fetch(`${playground.github.url}/ui/version`)).text();
    const before = await version();
    expect(await version()).toBe(before);
    playground.github.as('maintainer').comment({ repository: repository(), number: 1 }, 'New');
    expect(Number(await version())).toBeGreaterThan(Number(before));
  });
});

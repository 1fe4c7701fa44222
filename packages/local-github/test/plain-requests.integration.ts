// What clients other than octokit send and expect: bodies without a content type, changes as git writes them, and what the
// API says of itself.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asApp, mintToken, startPlayground, type Playground } from './support.ts';

let playground: Playground;
let api: string;
beforeAll(async () => {
  playground = await startPlayground();
  api = `${playground.github.url}/api/v3`;
});
afterAll(() => playground.close());

const PERSON = { authorization: 'Bearer user_maintainer' };
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${api}${path}`, { headers: { ...PERSON, ...headers } });

describe('a body', () => {
  const labels = '/repos/example/words/labels';

  it.each([
    ['no content type', undefined],
    ['the content type of a form, as curl names it', 'application/x-www-form-urlencoded'],
  ])('of JSON is read with %s', async (_name, type) => {
    const name = `with ${type ?? 'none'}`;
    const headers = { ...PERSON, ...(type === undefined ? {} : { 'content-type': type }) };
    // A stream: fetch names the type of a text.
    const body = new Blob([JSON.stringify({ name })]);
    const { status } = await fetch(`${api}${labels}`, { method: 'POST', headers, body });
    expect(status).toBe(201);
  });

  it('that is no JSON is denied', async () => {
    const headers = { ...PERSON, 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${api}${labels}`, { method: 'POST', headers, body: '{"name"' });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ message: 'Problems parsing JSON' }),
    ]);
  });
});

describe('a new label', () => {
  const create = (label: object) =>
    fetch(`${api}/repos/example/words/labels`, {
      method: 'POST',
      headers: PERSON,
      body: JSON.stringify(label),
    });

  it('keeps its colour and its description', async () => {
    const wanted = { name: 'Good first', color: '7057FF', description: 'For newcomers' };
    expect((await create(wanted)).status).toBe(201);
    const found = await get('/repos/example/words/labels/good%20first');
    expect(await found.json()).toMatchObject({ ...wanted, color: '7057ff' });
  });

  it('with no colour of six digits, or with too long a description, is denied', async () => {
    expect((await create({ name: 'one', color: '#ff0000' })).status).toBe(422);
    expect((await create({ name: 'two', description: 'x'.repeat(101) })).status).toBe(422);
  });
});

describe('changes as git writes them', () => {
  const DIFF = 'diff --git a/more.txt b/more.txt\n';
  let pull: number;
  let sha: string;
  beforeAll(async () => {
    const { github } = playground;
    const repository = github.repository('example', 'words');
    const person = github.as('maintainer');
    const files = { 'more.txt': 'more\n' };
    sha = await person.push(repository, { branch: 'more', files, message: 'Say more' });
    const wanted = { title: 'More', head: 'more', base: 'main' };
    pull = (await person.openPull(repository, wanted)).number;
  });

  it.each([
    ['a pull request', () => `pulls/${pull}`],
    ['a commit', () => `commits/${sha}`],
    ['a comparison', () => 'compare/main...more'],
  ])('are the answer for %s, in both media types', async (_name, pathOf) => {
    const path = `/repos/example/words/${pathOf()}`;
    const diff = await get(path, { accept: 'application/vnd.github.diff' });
    expect(diff.headers.get('content-type')).toBe('application/vnd.github.v3.diff; charset=utf-8');
    expect(await diff.text()).toMatch(new RegExp(`^${DIFF}[^]*\n\\+more\n$`));
    const patch = await get(path, { accept: 'application/vnd.github.v3.patch' });
    expect(await patch.text()).toMatch(
      new RegExp(`^From ${sha} [^]*\nSubject: \\[PATCH\\] Say more\n[^]*${DIFF}`),
    );
  });

  it('are there for the first commit of a repository', async () => {
    const first = await playground.github.repository('example', 'words').git.head('main');
    const path = `/repos/example/words/commits/${first}`;
    for (const format of ['diff', 'patch']) {
      const answer = await get(path, { accept: `application/vnd.github.${format}` });
      expect(await answer.text()).toContain('diff --git a/README.md b/README.md\nnew file');
    }
  });
});

describe('the API', () => {
  it('names its addresses, says that nobody has a password, and what is left of the limit', async () => {
    expect(await (await get('/')).json()).toMatchObject({ rate_limit_url: `${api}/rate_limit` });
    expect(await (await get('/meta')).json()).toEqual({
      verifiable_password_authentication: false,
    });
    const authorization = `Bearer ${await mintToken(playground.github)}`;
    const answer = await get('/rate_limit', { authorization });
    const { rate, resources } = (await answer.json()) as {
      rate: object;
      resources: { core: object };
    };
    expect(rate).toEqual(resources.core);
    expect(rate).toMatchObject({ limit: 5000, used: 0, remaining: 5000 });
  });

  it('knows the installation of an organization', async () => {
    const { rest } = asApp(playground.github, '/api/v3');
    const { data } = await rest.apps.getOrgInstallation({ org: 'example' });
    expect(data).toMatchObject({ id: 1, account: { login: 'example' } });
    await expect(rest.apps.getOrgInstallation({ org: 'stranger' })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('shows the readme', async () => {
    const { status, headers } = await get('/repos/example/words/readme');
    expect([status, headers.get('etag')]).toEqual([200, expect.any(String)]);
  });
});

import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { keptPagesToken, PAGES_TOKEN } from '../../src/web/pages-token.ts';
import * as stories from '../support/stories.ts';
import { ask, pagesOf, startPages, TOKEN, type TestServer } from './support.ts';

let server: TestServer | undefined;
const start = async (options: Parameters<typeof startPages>[0] = {}): Promise<TestServer> =>
  (server = await startPages({ pages: pagesOf({ abc: stories.working().entries }), ...options }));

afterEach(async () => {
  await server?.close();
  server = undefined;
});

const PATHS = ['/', '/sessions', '/sessions/abc', '/sessions/abc/prompt', '/nowhere'];

/** What a request looks like whoever sent it: a browser here, a proxy that hides itself, a tunnel. */
const STRANGERS: readonly (readonly [string, Record<string, string>])[] = [
  ['nothing', {}],
  ['the name of this machine', { host: 'localhost:3001' }],
  ['the name that nginx gives its upstream', { host: 'pages' }],
  ['headers of a proxy', { 'x-forwarded-for': '127.0.0.1', host: 'agent.example' }],
  ['another token', { authorization: `Bearer ${TOKEN}x` }],
  ['an empty token', { authorization: 'Bearer ' }],
  ['the token under another name', { cookie: `token=${TOKEN}; session=${TOKEN}` }],
];

describe('the session pages', () => {
  it.each(STRANGERS)('show nothing to a request with %s', async (_what, headers) => {
    const web = await start();
    for (const place of [
      ...PATHS,
      `/?token=${TOKEN.slice(1)}`,
      '/?token=',
      `/?token=${TOKEN}&token=a`,
    ]) {
      const answer = await ask(web.url + place, { headers });
      expect([place, answer.status]).toEqual([place, 401]);
      expect(answer.body).toContain('Open the link that Issuewright printed');
      expect(answer.body).not.toContain('Greet');
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it('give every answer the headers that keep it out of caches and frames', async () => {
    const web = await start();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const journal = '/sessions/abc/journal.json';
    for (const place of [...PATHS, '/totals', '/sessions/abc/memory', journal, '/sessions/%ff%']) {
      const answer = await ask(web.url + place, { headers });
      expect([place, answer.headers['cache-control']]).toEqual([place, 'no-store']);
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    }
  });

  it.each(['POST', 'PUT', 'HEAD'])('do not open with the link and %s', async (method) => {
    const web = await start();
    const answer = await ask(`${web.url}/?token=${TOKEN}`, { method });
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('open with the printed link, which leaves a cookie and no token in the address', async () => {
    const web = await start();
    const link = await ask(`${web.url}/?token=${TOKEN}`);
    expect(link).toMatchObject({ status: 303, headers: { location: '/sessions' } });
    const [cookie = ''] = link.headers['set-cookie'] ?? [];
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax$/);
    const headers = { cookie: `other=1; ${cookie.split(';')[0]}` };
    const page = await ask(`${web.url}/sessions/abc`, { headers });
    expect(page.status).toBe(200);
    expect(page.body).toContain('Greet');
    expect(page.body).not.toContain(TOKEN);
    expect((await ask(`${web.url}/nowhere`, { headers })).status).toBe(404);
    expect(web.log.join('')).not.toContain(TOKEN);
  });

  it('send the cookie over https only if people reach them by https', async () => {
    const web = await start({ publicUrl: 'https://pages.example' });
    const { headers } = await ask(`${web.url}/?token=${TOKEN}`);
    expect(headers['set-cookie']?.[0]).toMatch(/; Secure$/);
  });

  it('have cookies of their own for each service of a host', async () => {
    const web = await start();
    const other = await startPages({ token: `other-${TOKEN}` });
    const link = await ask(`${other.url}/?token=other-${TOKEN}`);
    await other.close();
    const cookie = link.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    expect((await ask(`${web.url}/sessions`, { headers: { cookie } })).status).toBe(401);
  });

  it('take no other method', async () => {
    const web = await start();
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const [method, place] of [
      ['POST', '/sessions'],
      ['DELETE', '/sessions/abc'],
    ] as const) {
      const answer = await ask(web.url + place, { method, headers, body: '{}' });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    }
  });
});

describe('the token of the session pages', () => {
  const inFolder = async (work: (folder: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(path.join(tmpdir(), 'issuewright-token-'));
    try {
      await work(folder);
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  it('is made once, and only its owner may read the file', () =>
    inFolder(async (folder) => {
      const data = path.join(folder, 'data');
      const token = keptPagesToken(data);
      expect(token).toMatch(PAGES_TOKEN);
      expect(keptPagesToken(data)).toBe(token);
      const file = path.join(data, 'pages-token');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(await readFile(file, 'utf8')).toBe(`${token}\n`);
    }));

  it('is not replaced in silence if the file was damaged', () =>
    inFolder(async (folder) => {
      await writeFile(path.join(folder, 'pages-token'), '');
      expect(() => keptPagesToken(folder)).toThrow(/DATA_DIR.*pages-token holds no token/);
    }));

  it('that cannot be kept is an error that names the settings', () =>
    inFolder(async (folder) => {
      await writeFile(path.join(folder, 'data'), '');
      expect(() => keptPagesToken(path.join(folder, 'data'))).toThrow(/DATA_DIR.*PAGES_TOKEN/);
    }));
});

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { until } from '../../contract/store-world.ts';
import { ask } from '../support.ts';
import { agree, Browser, CLIENT, openScene, type Scene } from './scene.ts';

let shared: Scene;
const others: Scene[] = [];
beforeAll(async () => {
  shared = await openScene({ limits: { signIn: 1000, stranger: 1000 } });
});
afterAll(async () => {
  for (const scene of [shared, ...others]) await scene.close();
});

/** With options, pages of their own. */
async function open(options?: Parameters<typeof openScene>[0]) {
  const scene = options === undefined ? shared : await openScene(options);
  if (options !== undefined) others.push(scene);
  return { scene, browser: new Browser(scene) };
}

const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get('/sessions')).status === 200;

describe('a sign-in', () => {
  it.each([
    'https://evil.example',
    '//evil.example/sessions',
    '/\\evil.example',
    '/sessions@evil.example',
    '/sessions\r\nset-cookie: a=b',
    'javascript:alert(1)',
    '/sign-in/callback?code=x',
    '/sessions/../../evil',
    '/sessions?a=https://evil.example',
  ])('leads to no other page than one of these: %s', async (back) => {
    const { browser } = await open();
    const answer = await browser.signIn('ada', back);
    expect([answer.status, answer.headers.location]).toEqual([303, '/sessions']);
  });

  it('proves to GitHub that it is the one that began', async () => {
    const { scene: at, browser } = await open();
    const { searchParams, origin, pathname } = new URL(await browser.begin());
    expect(origin + pathname).toBe(`${at.github.url}/login/oauth/authorize`);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: CLIENT.clientId,
      redirect_uri: `${at.url}/sign-in/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('takes the address to come back to from the settings, whatever name the browser gives', async () => {
    const { scene: at, browser } = await open();
    for (const host of ['evil.example', 'localhost:1']) {
      const answer = await ask(`${at.url}/sign-in?back=/totals`, {
        headers: { host, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
      });
      const expected = `${at.url}/sign-in?back=%2Ftotals&led=1`;
      expect([host, answer.headers.location]).toEqual([host, expected]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    expect((await browser.signIn('ada', '/totals')).headers.location).toBe('/totals');
  });

  it('works behind a proxy that calls this service by another name', async () => {
    const { scene: at, browser } = await open({ publicUrl: 'https://pages.example' });
    const proxied = { host: 'pages' };
    const first = await browser.get('/sign-in?back=/totals', proxied);
    const { origin, pathname, search } = new URL(first.headers.location ?? '');
    expect(origin).toBe('https://pages.example');
    const second = await browser.get(pathname + search, proxied);
    const back = await agree(at, second.headers.location ?? '', 'ada');
    expect((await browser.get(back, proxied)).headers.location).toBe('/totals');
    expect((await browser.get('/totals', proxied)).status).toBe(200);
  });

  it('in another browser signs nobody in', async () => {
    const { scene: at, browser } = await open();
    const victim = new Browser(at);
    // Of an attacker, who wants the victim to act under the attacker's name.
    const back = await agree(at, await browser.begin(), 'eve');
    expect((await victim.get(back)).status).toBe(403);
    await victim.begin();
    expect((await victim.get(back)).status).toBe(403);
    expect(await isSignedIn(victim)).toBe(false);
    expect((await browser.get(back)).status).toBe(303);
  });

  it('cannot be repeated with the same answer of GitHub', async () => {
    const { scene: at, browser } = await open();
    const back = await agree(at, await browser.begin(), 'ada');
    const attempt = new Map(browser.cookies);
    expect((await browser.get(back)).status).toBe(303);
    expect((await browser.get(back)).status).toBe(403);
    // The browser forgets the cookie of the attempt; a thief would not, but the code is used.
    const thief = new Browser(at);
    for (const [name, value] of attempt) thief.cookies.set(name, value);
    const again = await thief.get(back);
    expect([again.status, again.body]).toEqual([403, expect.stringContaining('did not work')]);
    expect(await isSignedIn(thief)).toBe(false);
  });

  it.each([
    ['no state', (query: URLSearchParams) => query.delete('state')],
    ['another state', (query: URLSearchParams) => query.set('state', 'x'.repeat(43))],
    ['two states', (query: URLSearchParams) => query.append('state', 'x')],
    ['no code', (query: URLSearchParams) => query.delete('code')],
    ['another code', (query: URLSearchParams) => query.set('code', 'x')],
    ['a long code', (query: URLSearchParams) => query.set('code', 'x'.repeat(5000))],
  ])('with %s signs nobody in', async (_what, change) => {
    const { scene: at, browser } = await open();
    const [path = '', query] = (await agree(at, await browser.begin(), 'ada')).split('?');
    const changed = new URLSearchParams(query);
    change(changed);
    expect((await browser.get(`${path}?${changed.toString()}`)).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(false);
  });

  it('that the person cancels says so', async () => {
    const { scene: at, browser } = await open();
    const back = await agree(at, await browser.begin(), 'ada', 'no');
    const answer = await browser.get(back);
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('was cancelled')]);
  });

  it('gives a cookie that it made itself, never one that the browser brought (fixation)', async () => {
    const { browser } = await open();
    await browser.signIn('ada');
    const [name = ''] = [...browser.cookies.keys()];
    browser.cookies.set(name, 'chosen-by-an-attacker');
    await browser.signIn('ada');
    expect(browser.cookies.get(name)).toMatch(/^[\w-]{43}$/);
    expect(browser.cookies.get(name)).not.toBe('chosen-by-an-attacker');
  });

  it('ends the one before in the same browser', async () => {
    const { scene: at, browser } = await open();
    await browser.signIn('ada');
    const before = new Browser(at);
    for (const [name, value] of browser.cookies) before.cookies.set(name, value);
    await browser.signIn('bob');
    expect([await isSignedIn(before), await isSignedIn(browser)]).toEqual([false, true]);
  });
});

describe('a cookie', () => {
  it('is out of reach for scripts and other sites, and on https for other hosts and http', async () => {
    const { scene: at } = await open({ publicUrl: 'https://pages.example' });
    const headers = { host: 'pages.example' };
    const begun = await ask(`${at.url}/sign-in`, { headers });
    const [attempt = ''] = begun.headers['set-cookie'] ?? [];
    const rules =
      /^__Host-issuewright-\w+-\w{8}=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=\d+$/;
    expect(attempt).toMatch(rules);
    const back = await agree(at, begun.headers.location ?? '', 'ada');
    const cookie = attempt.split(';')[0] ?? '';
    const answer = await ask(at.url + back, { headers: { ...headers, cookie } });
    expect(answer.headers['set-cookie']?.[0]).toMatch(rules);
  });

  it('is worth nothing after its person has signed out, and neither is the token on GitHub', async () => {
    const { scene: at, browser } = await open();
    await browser.signIn('ada');
    const thief = new Browser(at);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    expect(await isSignedIn(thief)).toBe(true);
    const out = await browser.post('/sign-out');
    expect([out.status, browser.cookies.size]).toEqual([303, 0]);
    expect(await isSignedIn(thief)).toBe(false);
    await at.github.waitFor(
      () =>
        at.github.requests.find(
          ({ method, path }) => method === 'DELETE' && path.endsWith('/token'),
        ),
      { what: 'the revocation' },
    );
  });

  it('is worth nothing after the sign-out also if GitHub does not end the token', async () => {
    const { scene: at, browser } = await open();
    await browser.signIn('ada');
    const thief = new Browser(at);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    at.github.faults.failNext({ method: 'DELETE', path: /\/token$/, status: 502 });
    expect((await browser.post('/sign-out')).status).toBe(303);
    const hasFailed = () => at.log.some((line) => line.includes('failed to revoke'));
    await until('the revocation failed', hasFailed);
    expect(await isSignedIn(thief)).toBe(false);
  });

  it.each([
    ['is away', 502],
    ['denies to say who someone is', 403],
  ])('is worth nothing after the sign-out also while GitHub %s', async (_what, status) => {
    const { scene: at, browser } = await open();
    await browser.signIn('ada');
    const thief = new Browser(at);
    for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
    at.ahead += 3 * 60_000;
    const stop = at.github.faults.failNext({ method: 'GET', path: /^\/user$/, status, times: 100 });
    expect(await isSignedIn(browser)).toBe(false);
    expect((await browser.post('/sign-out')).status).toBe(303);
    stop();
    expect(await isSignedIn(thief)).toBe(false);
  });

  it('that was changed, or is there twice, signs nobody in', async () => {
    const { scene: at, browser } = await open();
    await browser.signIn('ada');
    const [[name, value] = ['', '']] = [...browser.cookies];
    for (const cookie of [`${name}=${value}x`, `${name}=`, `${name}=${value}; ${name}=other`])
      expect((await ask(`${at.url}/sessions`, { headers: { cookie } })).status).toBe(401);
  });

  it('and the log and the database hold no token of GitHub, and the database no cookie', async () => {
    const { scene: at, browser } = await open();
    await browser.signIn('ada');
    await browser.get('/sessions');
    const [secret = ''] = [...browser.cookies.values()];
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(at.log.join('')).toContain('signed in on the session pages');
    expect(at.log.join('')).not.toMatch(/gh[ur]_|code=|state=/);
    expect(at.log.join('')).not.toContain(secret);
    const kept = await at.store.signIns.find(createHash('sha256').update(secret).digest('hex'));
    expect(kept?.account.login).toBe('ada');
    expect(JSON.stringify(kept)).not.toMatch(/gh[ur]_/);
    expect(await at.store.signIns.find(secret)).toBeUndefined();
  });
});

describe('a form of another site', () => {
  it.each([
    ['of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['of another subdomain', { origin: 'http://a.127.0.0.1', 'sec-fetch-site': 'same-site' }],
    ['of a browser that hides where it comes from', { origin: 'null', 'sec-fetch-site': 'none' }],
  ])('%s does not sign anyone out', async (_what, headers) => {
    const { browser } = await open();
    await browser.signIn('ada');
    const answer = await browser.post('/sign-out', headers);
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('was ignored')]);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('is told by its origin where browsers say no more', async () => {
    const { scene: at, browser } = await open();
    await browser.signIn('ada');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const post = (headers: Record<string, string>) =>
      ask(`${at.url}/sign-out`, { method: 'POST', headers: { cookie, ...type, ...headers } });
    expect((await post({})).status).toBe(403);
    expect((await post({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await post({ origin: at.url })).status).toBe(303);
  });
});

describe('requests', () => {
  it('of one address to sign in are limited', async () => {
    const { browser } = await open({ limits: { signIn: 3 } });
    const statuses = [];
    for (let one = 0; one < 4; one += 1) statuses.push((await browser.get('/sign-in')).status);
    expect(statuses).toEqual([303, 303, 303, 429]);
  });

  it('of an address that is not signed in are limited, with cookies that are wrong too', async () => {
    const { scene: at, browser } = await open({ limits: { stranger: 3 } });
    await browser.signIn('ada');
    const stranger = new Browser(at);
    const statuses = [];
    for (let one = 0; one < 4; one += 1) {
      stranger.cookies.set([...browser.cookies.keys()][0] ?? '', `guess-${one}`);
      statuses.push((await stranger.get('/sessions')).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
    const other = { 'x-forwarded-for': '203.0.113.9' };
    expect((await stranger.get('/sessions', other)).status).toBe(401);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it.each([
    ['a network of IPv6', (at: number) => `2001:db8:1:2::${at}`, '2001:db8:1:3::1'],
    ['an address with many ports', (at: number) => `203.0.113.9:${at}`, '203.0.113.10:1'],
    ['addresses that are none', (at: number) => `nowhere-${at}`, '203.0.113.10'],
  ])('of %s are limited together, and not those of another', async (_what, address, other) => {
    const { browser } = await open({ limits: { stranger: 2, signIn: 2 } });
    const from = async (path: string, ip: string) =>
      (await browser.get(path, { 'x-forwarded-for': ip })).status;
    for (const path of ['/sessions', '/sign-in?led=1']) {
      const statuses = [];
      for (const one of [1, 2, 3]) statuses.push(await from(path, address(one)));
      expect([statuses.at(-1), await from(path, other)]).toEqual([429, statuses[0]]);
    }
  });

  it('of one person are limited, in all browsers together', async () => {
    const { scene: at, browser } = await open({ limits: { person: 3 } });
    await browser.signIn('ada');
    const second = new Browser(at);
    await second.signIn('ada');
    const statuses = [];
    for (const one of [browser, second, browser, second])
      statuses.push((await one.get('/account')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    const other = new Browser(at);
    await other.signIn('bob');
    expect(await isSignedIn(other)).toBe(true);
  });
});

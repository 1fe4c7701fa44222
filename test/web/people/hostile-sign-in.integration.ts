// What strangers try with the sign-in of someone else, one attempt a row.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { seal } from '../../../src/web/people/cookies.ts';
import { ask } from '../support.ts';
import { agree, Browser, CLIENT, openScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ limits: { signIn: 100_000, stranger: 100_000 } });
});
afterAll(() => scene.close());

let browser: Browser;
beforeEach(() => {
  browser = new Browser(scene);
});

const isSignedIn = async (): Promise<boolean> => (await browser.get('/sessions')).status === 200;
const attemptName = (): string =>
  [...browser.cookies.keys()].find((name) => name.includes('attempt')) ?? '';

describe('the page that a sign-in leads back to', () => {
  it.each([
    ['a page with dots', '/sessions/a/../../sign-out'],
    ['another sign-in', '/sessions/a/../../sign-in?back=%2Fsessions'],
    ['an answer of GitHub', '/sessions/a/../../sign-in/callback?code=a&state=b'],
    ['the link of the operator', '/sessions/a/../../?token=abc'],
    ['dots in the end', '/sessions/a/..'],
    ['a dot', '/sessions/a/./b'],
    ['two slashes after dots', '/sessions/a/..//evil.example'],
    ['encoded dots', '/sessions/a/%2e%2e/b'],
    ['an answer without an end', '/sessions/a/events?after=0'],
    ['an address for forms', '/sessions/a/comments'],
    ['an unknown page of a session', '/sessions/a/secret'],
    ['three slashes', '///evil.example'],
    ['a tab', '/\t/evil.example'],
    ['a tab in front', '\t//evil.example'],
    ['a blank in front', ' /sessions'],
    ['a line end', '/sessions\n'],
    ['a NUL', '/sessions\0'],
    ['a line separator', '/sessions\u2028'],
    ['a full-width slash', '/\uff0fevil.example'],
    ['a letter like s', '/\u017fessions'],
    ['a backslash', '/sessions\\..\\evil.example'],
    ['a fragment', '/sessions#@evil.example'],
    ['a semicolon', '/sessions;evil.example'],
    ['an encoded slash', '/%2fevil.example'],
    ['capital letters', '/SESSIONS'],
    ['an address without slashes', 'https:evil.example'],
    ['data', 'data:text/html,hello'],
    ['no slash', 'sessions'],
    ['an id that is too long', `/sessions/${'a'.repeat(65)}`],
    ['a query that is too long', `/sessions?q=${'a'.repeat(501)}`],
    ['markup', '/sessions?q=<script>'],
  ])('is never %s', async (_what, back) => {
    expect((await browser.signIn('ada', back)).headers.location).toBe('/sessions');
  });

  it.each([
    '/totals?days=7',
    '/account',
    '/sessions?q=a%20b&state=done',
    '/sessions/a-b_c?before=12',
    '/sessions/a/memory',
    '/sessions/a/prompt',
    '/sessions/a/prompt/12',
    '/sessions/a/journal.json',
  ])('may be %s', async (back) => {
    expect((await browser.signIn('ada', back)).headers.location).toBe(back);
  });

  it('is none of two', async () => {
    const begun = await browser.get('/sign-in?back=/totals&back=/account');
    const back = await agree(scene, begun.headers.location ?? '', 'ada');
    expect((await browser.get(back)).headers.location).toBe('/sessions');
  });
});

const parts = (back: string): [string, URLSearchParams] => {
  const [path = '', query] = back.split('?');
  return [path, new URLSearchParams(query)];
};

describe('an answer of GitHub', () => {
  it.each<[string, (query: URLSearchParams) => void]>([
    ['with an empty code', (query) => query.set('code', '')],
    ['with two codes', (query) => query.append('code', 'x')],
    [
      'with a list of codes',
      (query) => (query.set('code[]', query.get('code') ?? ''), query.delete('code')),
    ],
    ['with a NUL in its code', (query) => query.set('code', `${query.get('code')}\0`)],
    ['with a line end in its code', (query) => query.set('code', `${query.get('code')}\r\nx: y`)],
    [
      'with the state in capitals',
      (query) => query.set('state', (query.get('state') ?? '').toUpperCase()),
    ],
    ['with a blank after its state', (query) => query.set('state', `${query.get('state')} `)],
    ['with an empty state', (query) => query.set('state', '')],
    ['with a state of a prototype', (query) => query.set('state', '__proto__')],
    [
      'with the first part of its state',
      (query) => query.set('state', (query.get('state') ?? '').slice(0, 20)),
    ],
    ['that is an error', (query) => query.set('error', 'access_denied')],
    [
      'with markup as an error',
      (query) => (query.delete('code'), query.set('error', '<script>alert(1)</script>')),
    ],
  ])('%s signs nobody in', async (_what, change) => {
    const [path, query] = parts(await agree(scene, await browser.begin(), 'ada'));
    change(query);
    const answer = await browser.get(`${path}?${query.toString()}`);
    expect([answer.status, await isSignedIn()]).toEqual([403, false]);
    expect(answer.body).not.toContain('<script>alert');
  });

  it('says that someone cancelled only if that person had begun', async () => {
    const { body } = await browser.get('/sign-in/callback?error=access_denied&state=x');
    expect(body).not.toContain('was cancelled');
  });

  it('to an attempt that a later one in the same browser has replaced signs nobody in', async () => {
    const first = await agree(scene, await browser.begin(), 'ada');
    const second = await agree(scene, await browser.begin(), 'ada');
    expect([(await browser.get(first)).status, await isSignedIn()]).toEqual([403, false]);
    expect((await browser.get(second)).status).toBe(303);
  });

  it('with the code of another attempt signs nobody in, as its verifier is missing', async () => {
    const eves = parts(await agree(scene, await new Browser(scene).begin(), 'eve'))[1].get('code');
    const [path, query] = parts(await agree(scene, await browser.begin(), 'ada'));
    query.set('code', eves ?? '');
    expect([(await browser.get(`${path}?${query.toString()}`)).status, await isSignedIn()]).toEqual(
      [403, false],
    );
  });

  it.each([
    ['another address to lead back to', 'redirect_uri', 'https://evil.example/sign-in/callback'],
    ['an address below that', 'redirect_uri', `http://127.0.0.1/sign-in/callback/..`],
    ['another client', 'client_id', 'Iv23local2'],
    ['a challenge that is the verifier', 'code_challenge_method', 'plain'],
  ])('is not given for %s', async (_what, name, value) => {
    const address = new URL(await browser.begin());
    address.searchParams.set(name, value);
    expect((await fetch(address)).status).toBeGreaterThanOrEqual(400);
  });

  it.each(['HEAD', 'POST', 'PUT', 'OPTIONS'])('by %s uses nothing up', async (method) => {
    const back = await agree(scene, await browser.begin(), 'ada');
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = { cookie, origin: scene.url, 'sec-fetch-site': 'same-origin' };
    const answer = await ask(scene.url + back, { method, headers: own });
    expect([answer.status >= 400, answer.headers['set-cookie']]).toEqual([true, undefined]);
    expect((await browser.get(back)).status).toBe(303);
  });
});

describe('a cookie of an attempt', () => {
  const [state, verifier] = ['s'.repeat(43), 'v'.repeat(43)];
  const later = (ms: number) => new Date(Date.now() + ms);
  const by = { secrets: [CLIENT.clientSecret], purpose: 'sign-in attempt' };
  const claims = { state, verifier, back: '/sessions' };

  it.each([
    ['that has expired', () => seal(claims, later(-1000), by)],
    ['of another secret', () => seal(claims, later(60_000), { ...by, secrets: ['another'] })],
    ['for another purpose', () => seal(claims, later(60_000), { ...by, purpose: 'user token' })],
    ['without a verifier', () => seal({ state, back: '/' }, later(60_000), by)],
    ['without a state', () => seal({ verifier, back: '/' }, later(60_000), by)],
    [
      'that nobody sealed',
      async () => `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims))}.`,
    ],
    ['that is only text', async () => JSON.stringify(claims)],
    ['that is empty', async () => ''],
  ])('%s is worth nothing', async (_what, make) => {
    await browser.begin();
    browser.cookies.set(attemptName(), await make());
    const before = scene.github.requests.length;
    expect((await browser.get(`/sign-in/callback?code=x&state=${state}`)).status).toBe(403);
    expect(scene.github.requests).toHaveLength(before);
  });

  it('that was changed in one place is worth nothing', async () => {
    const back = await agree(scene, await browser.begin(), 'ada');
    const [name, value] = [attemptName(), browser.cookies.get(attemptName()) ?? ''];
    for (const at of [0, 10, 60, 100, value.length - 3]) {
      const other = value[at] === 'A' ? 'B' : 'A';
      browser.cookies.set(name, value.slice(0, at) + other + value.slice(at + 1));
      expect([at, (await browser.get(back)).status]).toEqual([at, 403]);
    }
    browser.cookies.set(name, value);
    expect((await browser.get(back)).status).toBe(303);
  });

  it('is no sign-in', async () => {
    await browser.begin();
    const value = browser.cookies.get(attemptName()) ?? '';
    browser.cookies.set(attemptName().replace('attempt', 'session'), value);
    expect(await isSignedIn()).toBe(false);
  });
});

describe('the answer to the exchange of a code', () => {
  it.each<[string, number, unknown, number]>([
    ['a page', 200, '<html>', 503],
    ['nothing', 200, {}, 403],
    ['a number as token', 200, { access_token: 5 }, 403],
    ['an empty token', 200, { access_token: '' }, 403],
    ['an error', 200, { error: 'bad_verification_code', error_description: '<b>x</b>' }, 403],
    ['a denial', 403, { message: 'no' }, 403],
    ['an unknown client', 404, { message: 'Not Found' }, 403],
    ['a redirect', 302, {}, 403],
    ['a failure', 502, {}, 503],
  ])('that is %s signs nobody in', async (_what, status, body, expected) => {
    const back = await agree(scene, await browser.begin(), 'ada');
    scene.github.faults.failNext({ method: 'POST', path: /access_token$/, status, body });
    const answer = await browser.get(back);
    expect([answer.status, await isSignedIn()]).toEqual([expected, false]);
    expect(answer.body).not.toContain('<b>');
  });
});

describe('what GitHub says of who someone is', () => {
  it.each([401, 403, 404])(
    'if it is %i at once, signs nobody in, says why, and ends the token',
    async (status) => {
      const back = await agree(scene, await browser.begin(), 'ada');
      const body = { message: 'Sorry. Your account was suspended' };
      const stop = scene.github.faults.failNext({
        method: 'GET',
        path: /^\/user$/,
        status,
        body,
        times: 2,
      });
      const before = scene.github.requests.length;
      const answer = await browser.get(back);
      stop();
      expect([answer.status, answer.body]).toEqual([
        403,
        expect.stringContaining('does not say what you may see'),
      ]);
      expect(await isSignedIn()).toBe(false);
      await scene.github.waitFor(
        () => scene.github.requests.slice(before).find(({ method }) => method === 'DELETE'),
        { what: 'the revocation' },
      );
    },
  );

  it.each<[string, RegExp, number, unknown]>([
    ['a denial', /^\/user$/, 403, { message: 'Sorry. Your account was suspended' }],
    ['nothing of the person', /^\/user$/, 404, { message: 'Not Found' }],
    ['a person without a number', /^\/user$/, 200, { login: 'ada' }],
    ['a person without a name', /^\/user$/, 200, { id: 5 }],
    ['a name that is none', /^\/user$/, 200, { id: 5, login: '<img src=x>' }],
    ['a list', /^\/user$/, 200, []],
    ['no list of installations', /installations$/, 200, {}],
    [
      'a denial of installations',
      /installations$/,
      403,
      { message: 'Resource protected by organization SAML enforcement.' },
    ],
    [
      'installations without numbers',
      /installations$/,
      200,
      { total_count: 1, installations: [{}] },
    ],
    [
      'repositories without numbers',
      /repositories$/,
      200,
      { total_count: 1, repositories: [{ permissions: { pull: true } }] },
    ],
    [
      'repositories without rights',
      /repositories$/,
      200,
      { total_count: 1, repositories: [{ id: 3 }] },
    ],
    [
      'rights of another form',
      /repositories$/,
      200,
      { total_count: 1, repositories: [{ id: 3, permissions: { pull: 'yes', push: 'yes' } }] },
    ],
  ])('if it is %s, shows nothing, and is no internal error', async (_what, path, status, body) => {
    await browser.signIn('ada');
    scene.ahead += 3 * 60_000;
    const log = scene.log.length;
    const stop = scene.github.faults.failNext({ method: 'GET', path, status, body, times: 4 });
    const answer = await browser.get('/sessions');
    stop();
    expect(answer.body).not.toContain('Work on');
    expect([200, 401, 403, 503]).toContain(answer.status);
    expect(scene.log.slice(log).filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});

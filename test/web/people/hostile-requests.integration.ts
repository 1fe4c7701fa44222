// What strangers, and people without rights, ask the pages for, one attempt a row.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, SIGNED_IN, speak, TOKEN, type Answer } from '../support.ts';
import { agree, Browser, openScene, type Scene } from './scene.ts';

let scene: Scene;
let ada: Browser;
let eve: Browser;
beforeAll(async () => {
  scene = await openScene({ limits: { signIn: 1e6, stranger: 1e6, person: 1e6, comment: 1e6 } });
  [ada, eve] = [new Browser(scene), new Browser(scene)];
  await ada.signIn('ada');
  await eve.signIn('eve');
});
afterAll(() => scene.close());

const cookieOf = ({ cookies }: Browser): string =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const alpha = (): string => scene.sessions.alpha;
const SECRET_WORDS = 'Work on alpha';
const hex = (text: string): string => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&');

const ADDRESSES: readonly (readonly [string, (id: string) => string])[] = [
  ['the page', (id) => `/sessions/${id}`],
  ['its memories', (id) => `/sessions/${id}/memory`],
  ['its prompt', (id) => `/sessions/${id}/prompt`],
  ['its first prompt', (id) => `/sessions/${id}/prompt/1`],
  ['its journal', (id) => `/sessions/${id}/journal.json`],
  ['its news', (id) => `/sessions/${id}/events?after=0`],
  ['earlier entries', (id) => `/sessions/${id}?before=2`],
  ['an encoded id', (id) => `/sessions/${hex(id)}`],
  ['an id that is encoded twice', (id) => `/sessions/${hex(id).replaceAll('%', '%25')}`],
  ['an encoded directory', (id) => `/%73essions/${id}`],
  ['an encoded slash', (id) => `/sessions%2f${id}`],
  ['two slashes', (id) => `//sessions//${id}`],
  ['a slash at the end', (id) => `/sessions/${id}/`],
  ['dots', (id) => `/sign-in/../sessions/${id}`],
  ['encoded dots', (id) => `/sign-in/%2e%2e/sessions/${id}`],
  ['dots after a page for everyone', (id) => `/sign-in/callback/../../sessions/${id}`],
  ['a parameter of a path', (id) => `/sessions/${id};x=y`],
  ['a path below a page for everyone', (id) => `/sign-in/${id}`],
  ['capital letters', (id) => `/SESSIONS/${id}`],
  ['an id in capitals', (id) => `/sessions/${id.toUpperCase()}`],
  ['a suffix', (id) => `/sessions/${id}.json`],
  ['a NUL', (id) => `/sessions/${id}%00`],
  ['a whole address', (id) => `http://x/sessions/${id}`],
  ['an id as a query', (id) => `/sessions?id=${id}&after=${id}`],
];

/** That name no session. */
const LISTS: readonly (readonly [string, () => string])[] = [
  [
    'a filter by its repository',
    () => `/sessions?repository=${scene.github.repository('example', 'alpha').id}`,
  ],
  ['a search for its title', () => '/sessions?q=alpha'],
  ['a search for everything', () => '/sessions?q=%25'],
  ['a search that is SQL', () => "/sessions?q=')%20or%20true--"],
  ['a state', () => '/sessions?state=queued'],
  ['two searches', () => '/sessions?q=a&q=b'],
  ['a search that is an object', () => '/sessions?q[a]=b&__proto__[q]=alpha'],
  ['totals', () => '/totals?days=7'],
];

/** As bytes, since clients put addresses in order before they send them. */
const raw = (target: string, ...headers: string[]): Promise<string> =>
  send(`GET ${target} HTTP/1.1`, 'host: x', 'connection: close', ...headers, '', '');

async function send(...lines: string[]): Promise<string> {
  const { text } = await speak(Number(new URL(scene.url).port), [
    Buffer.from(lines.join('\r\n'), 'latin1'),
  ]);
  expect(text).not.toBe('');
  return text;
}

describe('a session that someone may not see', () => {
  it.each([...ADDRESSES, ...LISTS])('is not shown by %s', async (_what, address) => {
    const target = address(alpha());
    const [hidden, asStranger] = await Promise.all([
      raw(target, `cookie: ${cookieOf(eve)}`),
      raw(target),
    ]);
    for (const text of [hidden, asStranger]) {
      expect(text).not.toContain(SECRET_WORDS);
      expect(text.replaceAll(encodeURIComponent(target), '')).not.toMatch(
        /"agent"|example\/alpha|text\/event-stream/,
      );
    }
    const status = asStranger.slice(9, 12);
    expect(['303', '400', '401', '404']).toContain(status);
  });

  it.each(ADDRESSES)(
    'is told from one that does not exist by nothing that %s answers',
    async (_what, address) => {
      const unknown = alpha().replaceAll(/\d/g, (digit) => String((Number(digit) + 1) % 10));
      const answers = await Promise.all(
        [alpha(), unknown].map(async (id) => {
          const text = await raw(address(id), `cookie: ${cookieOf(eve)}`);
          return text
            .replaceAll(id, 'ID')
            .replaceAll(encodeURIComponent(id), 'ID')
            .replaceAll(/^(?:date|etag):.*$/gim, '');
        }),
      );
      expect(answers[0]).toBe(answers[1]);
    },
  );
});

describe('a stranger', () => {
  it.each([
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'QUERY',
    'PROPFIND',
    'SEARCH',
  ])('is shown nothing for %s', async (method) => {
    for (const [, address] of ADDRESSES.slice(0, 7)) {
      const { status, body, headers } = await ask(scene.url + address(alpha()), { method });
      expect([400, 401, 404, 405]).toContain(status);
      expect(body).not.toContain(SECRET_WORDS);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it.each<[string, Record<string, string>]>([
    ['a method in a header', { 'x-http-method-override': 'GET', 'x-method-override': 'GET' }],
    ['another path in a header', { 'x-original-url': '/sign-in', 'x-rewrite-url': '/sign-in' }],
    ['an address of this machine', { 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' }],
    ['the name of this machine', { host: 'localhost' }],
    ['a user', { 'x-forwarded-user': 'root', 'x-remote-user': 'root', 'remote-user': 'root' }],
    ['an empty bearer', { authorization: 'Bearer ' }],
    ['a bearer of another case', { authorization: `BEARER ${TOKEN}x` }],
    ['a password', { authorization: `Basic ${btoa(`root:${TOKEN}x`)}` }],
    ['a token of GitHub', { authorization: 'token user_root' }],
    ['the beginning of the token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['an ETag', { 'if-none-match': '*' }],
  ])('is let in by no header: %s', async (_what, headers) => {
    const answer = await ask(`${scene.url}/sessions/${alpha()}`, { headers });
    expect([answer.status, answer.body.includes(SECRET_WORDS)]).toEqual([401, false]);
  });
});

describe('a cookie', () => {
  const name = (browser: Browser): string => [...browser.cookies.keys()][0] ?? '';
  const value = (browser: Browser): string => [...browser.cookies.values()][0] ?? '';

  it.each<[string, () => string]>([
    ['of another name', () => `x${name(ada)}=${value(ada)}`],
    ['with the prefix of https on http', () => `__Host-${name(ada)}=${value(ada)}`],
    ['in other capitals', () => `${name(ada).toUpperCase()}=${value(ada)}`],
    ['with a space in its name', () => `\u00a0${name(ada)}=${value(ada)}`],
    ['with a byte order mark', () => `\u00ef\u00bb\u00bf${name(ada)}=${value(ada)}`],
    ['with an unseen sign before it', () => `\u0085${name(ada)}=${value(ada)}`],
    ['with a vertical tab before it', () => `a=b;\u000b${name(ada)}=${value(ada)}`],
    ['in quotes', () => `${name(ada)}="${value(ada)}"`],
    ['with a comma', () => `a=b, ${name(ada)}=${value(ada)}`],
    ['that is encoded', () => `${name(ada)}=${hex(value(ada))}`],
    ['with an empty one beside it', () => `${name(ada)}=${value(ada)}; ${name(ada)}=`],
    ['with another one before it', () => `${name(ada)}=x; ${name(ada)}=${value(ada)}`],
    ['that has only its beginning', () => `${name(ada)}=${value(ada).slice(0, -1)}`],
    ['that is a list of an object', () => `${name(ada)}[]=${value(ada)}`],
    ['that is a path', () => `${name(ada)}=../${value(ada)}`],
    ['that is SQL', () => `${name(ada)}=' or true--`],
  ])('%s lets nobody in', async (_what, cookie) => {
    const answer = await raw('/sessions', `cookie: ${cookie()}`);
    expect(answer.slice(9, 12)).toMatch(/40[01]/);
  });

  it('on https counts with its prefix alone, which no other host can set', async () => {
    const other = await openScene({ publicUrl: 'https://pages.example' });
    try {
      const begun = await ask(`${other.url}/sign-in?led=1`);
      const attempt = begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const back = await agree(other, begun.headers.location ?? '', 'ada');
      for (const given of [
        attempt.replace('__Host-', ''),
        `\u00a0${attempt}`,
        attempt.toLowerCase(),
      ])
        expect((await ask(other.url + back, { headers: { cookie: given } })).status).toBe(403);
      const signedIn = await ask(other.url + back, { headers: { cookie: attempt } });
      const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const statusWith = async (given: string) =>
        (await ask(`${other.url}/sessions`, { headers: { cookie: given } })).status;
      expect(await statusWith(cookie)).toBe(200);
      for (const given of [
        cookie.replace('__Host-', ''),
        `\u00a0${cookie}`,
        cookie.replace('__Host-', '__host-'),
      ])
        expect([given, await statusWith(given)]).toEqual([given, 401]);
      // What a sibling could set hides nothing of what is real.
      expect(await statusWith(`\u00a0${cookie.split('=')[0]}=tossed; ${cookie}`)).toBe(200);
    } finally {
      await other.close();
    }
  });

  it('of the operator is not told by its name to those who have none', async () => {
    const bob = new Browser(scene);
    await bob.signIn('bob');
    const out = await bob.post('/sign-out');
    const names = (out.headers['set-cookie'] ?? []).map((set) => set.split('=')[0]);
    expect(names.every((one) => /^issuewright-(?:session|attempt)-/.test(one ?? ''))).toBe(true);
    const operator = await ask(`${scene.url}/?token=${TOKEN}`);
    const cookie = operator.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    const headers = { cookie, origin: scene.url };
    const cleared = await ask(`${scene.url}/sign-out`, { method: 'POST', headers });
    expect(cleared.headers['set-cookie']).toContainEqual(
      expect.stringMatching(/^issuewright-\w{12}=; Max-Age=0/),
    );
  });
});

type Form = readonly [what: string, headers: Record<string, string>, body?: string];
const TYPE = { 'content-type': 'application/x-www-form-urlencoded' };
const OWN = { 'sec-fetch-site': 'same-origin' };

const FORMS: readonly Form[] = [
  ['of another site', { ...TYPE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['of a sibling', { ...TYPE, origin: 'https://a.example', 'sec-fetch-site': 'same-site' }],
  ['that someone opened', { ...TYPE, 'sec-fetch-site': 'none' }],
  ['of another site with our origin', { ...TYPE, origin: 'SELF', 'sec-fetch-site': 'cross-site' }],
  ['with a list of sites', { ...TYPE, 'sec-fetch-site': 'same-origin, cross-site' }],
  ['with a site in capitals', { ...TYPE, 'sec-fetch-site': 'SAME-ORIGIN' }],
  ['with an empty site', { ...TYPE, 'sec-fetch-site': '' }],
  ['without an origin', TYPE],
  ['with the origin null', { ...TYPE, origin: 'null' }],
  ['with an empty origin', { ...TYPE, origin: '' }],
  ['with the origin of another port', { ...TYPE, origin: 'http://127.0.0.1:1' }],
  ['with the origin of another name', { ...TYPE, origin: 'http://localhost' }],
  ['with our origin as user', { ...TYPE, origin: 'http://SELF@evil.example' }],
  ['with our origin in front', { ...TYPE, origin: 'SELF.evil.example' }],
  ['with our page as referrer alone', { ...TYPE, referer: 'SELF/account' }],
  ['with two origins', { ...TYPE, origin: 'SELF https://evil.example' }],
  ['as plain text', { ...OWN, 'content-type': 'text/plain' }],
  ['as JSON', { ...OWN, 'content-type': 'application/json' }, '{"action":"stop","about":"run:1"}'],
  ['in parts', { ...OWN, 'content-type': 'multipart/form-data; boundary=x' }],
  ['of no type', OWN],
  ['of two types', { ...OWN, 'content-type': 'text/plain, application/x-www-form-urlencoded' }],
  [
    'with a method inside',
    { ...TYPE, 'sec-fetch-site': 'cross-site', 'x-http-method-override': 'POST' },
  ],
  [
    'that is too long',
    { ...TYPE, ...OWN },
    `action=stop&about=run:1&text=${'a'.repeat(2_000_000)}`,
  ],
  ['that names no action', { ...TYPE, ...OWN }, 'Action=stop&about=run:1'],
  ['that names an action in a list', { ...TYPE, ...OWN }, 'action[]=stop&about=run:1'],
  ['that names two actions', { ...TYPE, ...OWN }, 'action=nothing&action=stop&about=run:1'],
  ['with a blank in its action', { ...TYPE, ...OWN }, 'action=stop+&about=run:1'],
  ['with an action of a prototype', { ...TYPE, ...OWN }, 'action=constructor&about=run:1'],
  ['with a command as action', { ...TYPE, ...OWN }, 'action=%2Fissuewright+stop&about=run:1'],
];

const filled = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([key, given]) => [
      key,
      given.replace('http://SELF', scene.url).replace('SELF', scene.url),
    ]),
  );

describe('a form', () => {
  const comments = (): number => scene.github.repository('example', 'alpha').comments.length;

  it.each(FORMS)('%s writes nothing', async (_what, headers, body = 'action=stop&about=run:1') => {
    const before = comments();
    const answer = await ask(`${scene.url}/sessions/${alpha()}/comments`, {
      method: 'POST',
      headers: { ...filled(headers), cookie: cookieOf(ada) },
      body,
    });
    const isOutdated = answer.headers.location === `/sessions/${alpha()}?outdated=1`;
    expect([400, 403, 413, 415]).toContain(isOutdated ? 400 : answer.status);
    expect(comments()).toBe(before);
  });

  it('by GET, with all that a link can say, writes nothing', async () => {
    const before = comments();
    const answer = await ada.get(`/sessions/${alpha()}/comments?action=stop&_method=POST`, OWN);
    expect([answer.status, comments()]).toEqual([405, before]);
  });

  it('without a host is no form of these pages', async () => {
    const body = 'action=stop';
    const before = comments();
    const text = await send(
      `POST /sessions/${alpha()}/comments HTTP/1.0`,
      `cookie: ${cookieOf(ada)}`,
      'content-type: application/x-www-form-urlencoded',
      `content-length: ${body.length}`,
      '',
      body,
    );
    expect([text.slice(9, 12), comments()]).toEqual(['403', before]);
  });
});

describe('every answer', () => {
  const own = () => ({ cookie: cookieOf(ada) });
  it.each<[string, number, () => Promise<Answer>]>([
    ['a page', 200, () => ada.get('/sessions')],
    [
      'a page that is known',
      304,
      async () =>
        ada.get('/sessions', { 'if-none-match': (await ada.get('/sessions')).headers.etag ?? '' }),
    ],
    ['a journal', 200, () => ada.get(`/sessions/${alpha()}/journal.json`)],
    ['a page that needs a sign-in', 401, () => ask(`${scene.url}/sessions`)],
    ['the beginning of a sign-in', 303, () => ask(`${scene.url}/sign-in`)],
    ['a wrong answer of GitHub', 403, () => ask(`${scene.url}/sign-in/callback?code=x`)],
    ['the link of the operator', 303, () => ask(`${scene.url}/?token=${TOKEN}`)],
    ['a page that does not exist', 404, () => ada.get('/nowhere')],
    ['a session that does not exist', 404, () => ada.get('/sessions/nowhere')],
    [
      'a wrong method',
      405,
      () => ask(`${scene.url}/sessions`, { method: 'PUT', headers: SIGNED_IN }),
    ],
    ['a foreign form', 403, () => ask(`${scene.url}/sign-out`, { method: 'POST', headers: own() })],
    [
      'a wrong form',
      415,
      () => ask(`${scene.url}/sign-out`, { method: 'POST', headers: own(), body: '{}' }),
    ],
    ['an unreadable address', 400, () => ada.get('/sessions/%zz')],
  ])('says that it may not be kept, framed or read by others: %s', async (_what, status, get) => {
    const answer = await get();
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });
});

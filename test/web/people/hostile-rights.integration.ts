// What people see and do whose rights have ended, or never were there, one way a row.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { delivery, sessionOf } from '../../contract/store-world.ts';
import { fakeTimeouts } from '../../support/fake-timeouts.ts';
import { ask, SIGNED_IN } from '../support.ts';
import { Browser, listen, openScene, type Scene } from './scene.ts';

/** What is promised to someone whose access should end, less the minute that an open page lives. */
const ONE_MINUTE = 60_000;
const UNLIMITED = { signIn: 1e6, stranger: 1e6, person: 1e6, comment: 1e6 };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ limits: UNLIMITED });
});
afterAll(() => scene.close());

let browser: Browser;
beforeEach(() => {
  browser = new Browser(scene);
});

const alpha = () => scene.github.repository('example', 'alpha');
let stop = (): void => {};

describe('once', () => {
  it.each([
    ['the token is revoked', () => scene.github.revokeSignIns('ada')],
    ['the account has another number', () => is({ id: 77, login: 'ada' })],
    ['the account is that of someone else', () => is({ id: 77, login: 'root' })],
    ['the account has no number', () => is({ login: 'ada' })],
  ])('%s, the sign-in has ended for good', async (_what, end) => {
    await browser.signIn('ada');
    end();
    scene.ahead += ONE_MINUTE;
    expect((await browser.get('/sessions')).status).toBe(401);
    stop();
    expect((await browser.get('/sessions')).status).toBe(401);
    expect(await scene.store.signIns.find('')).toBeUndefined();
  });

  it('a right to write has ended, a button does nothing', async () => {
    await browser.signIn('ada');
    alpha().collaborators.set('ada', 'read');
    scene.ahead += ONE_MINUTE;
    const before = alpha().comments.length;
    const answer = await browser.post(
      `/sessions/${scene.sessions.alpha}/comments`,
      {},
      { action: 'stop', about: 'run:1' },
    );
    alpha().collaborators.set('ada', 'write');
    scene.ahead += ONE_MINUTE;
    expect([answer.status, alpha().comments.length]).toEqual([403, before]);
  });

  it('an operator has another name, that person sees no more than others', async () => {
    await browser.signIn('root');
    const { id } = JSON.parse(
      (
        await ask(`${scene.github.url}/api/v3/users/root`, {
          headers: { authorization: 'token user_root', 'user-agent': 'test' },
        })
      ).body,
    ) as { id: number };
    expect((await browser.get(`/sessions/${scene.sessions.alpha}`)).status).toBe(200);
    is({ id, login: 'root2' });
    scene.ahead += ONE_MINUTE;
    expect((await browser.get(`/sessions/${scene.sessions.alpha}`)).status).toBe(404);
    expect((await browser.get('/account')).body).toContain('root2');
    stop();
  });
});

const is = (body: object): void => {
  stop = scene.github.faults.failNext({
    method: 'GET',
    path: /^\/user$/,
    status: 200,
    body,
    times: 100,
  });
};

describe('a list', () => {
  it('that begins after a session that someone may not see is as after one that does not exist', async () => {
    await browser.signIn('bob');
    const hidden = await browser.get(`/sessions?after=${scene.sessions.alpha}`);
    const unknown = await browser.get('/sessions?after=nowhere');
    const without = (body: string) => body.replaceAll(scene.sessions.alpha, 'nowhere');
    expect(without(hidden.body)).toBe(unknown.body);
    // Of one that was opened later, which would be before the ones that it sees.
    const later = await openHidden();
    const afterLater = await browser.get(`/sessions?after=${later}`);
    expect(afterLater.body.replaceAll(later, 'nowhere')).toBe(unknown.body);
  });
});

async function openHidden(title = 'Hidden', login = 'ada'): Promise<string> {
  const repository = { id: alpha().id, owner: 'example', name: 'alpha' };
  const accepted = await scene.store.accept(
    {
      installation: 1,
      repository,
      thread: { on: 'issue', number: (number += 1) },
      sender: { login, id: 9 },
      meaning: `${title} ${number}`,
      intent: { kind: 'start', label: 'agent', title, body: title },
    },
    delivery(),
  );
  return sessionOf(accepted);
}
let number = 50;

describe('a button of a repository that was renamed', () => {
  it('writes there, and not into another one that has taken its name', async () => {
    const other = await openScene({ limits: UNLIMITED });
    try {
      const ada = new Browser(other);
      await ada.signIn('ada');
      const press = () =>
        ada.post(
          `/sessions/${other.sessions.alpha}/comments`,
          {},
          { action: 'stop', about: 'run:1' },
        );
      const repository = other.github.repository('example', 'alpha');
      repository.collaborators.set('ada', 'admin');
      other.github.as('ada').rename(repository, 'renamed');
      expect((await press()).status).toBe(303);
      expect(repository.comments).toHaveLength(1);
      const squatter = await other.github.createRepository({
        owner: 'example',
        name: 'alpha',
        files: { 'a.md': 'a' },
        collaborators: { eve: 'admin', ada: 'write' },
      });
      other.github.as('eve').openIssue(squatter, { title: 'Give me your answers' });
      expect((await press()).status).toBe(303);
      expect([repository.comments.length, squatter.comments.length]).toEqual([2, 0]);
      other.github.as('ada').transfer({ repository, number: 1 }, squatter);
      expect((await press()).status).toBe(403);
      expect(squatter.comments.filter(({ body }) => body === '/issuewright stop')).toHaveLength(2);
    } finally {
      await other.close();
    }
  });
});

describe('open news of a session', () => {
  it('end after a minute, and do not begin again for someone who signed out', async () => {
    await browser.signIn('ada');
    const { cookie } = browser;
    fakeTimeouts();
    try {
      const stream = await listen(scene, cookie, scene.sessions.alpha);
      expect(stream.status).toBe(200);
      await browser.post('/sign-out');
      jest.advanceTimersByTime(59_000);
      expect((await ask(`${scene.url}/account`, { headers: SIGNED_IN })).status).toBe(200);
      expect(stream.response.closed).toBe(false);
      jest.advanceTimersByTime(1_000);
      await stream.ends;
    } finally {
      jest.useRealTimers();
    }
    expect((await listen(scene, cookie, scene.sessions.alpha)).status).toBe(401);
  });

  it('of one person leave room for others', async () => {
    const other = await openScene({ limits: UNLIMITED, streams: { most: 5, each: 3 } });
    const before = scene;
    scene = other;
    try {
      const [ada, bob] = [new Browser(other), new Browser(other)];
      await ada.signIn('ada');
      await bob.signIn('bob');
      const statuses: (number | undefined)[] = [];
      const open = async (who: Browser) =>
        statuses.push((await listen(other, who.cookie, other.sessions.beta)).status);
      for (const who of [ada, ada, ada, ada, bob, bob, bob]) await open(who);
      expect(statuses).toEqual([200, 200, 200, 503, 200, 200, 503]);
    } finally {
      scene = before;
      await other.close();
    }
  });
});

/** The elements of a page with the names of their attributes, and where they lead. */
function elementsOf(page: string): string[] {
  const found: string[] = [];
  const walk = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('attrs' in node)
      found.push(
        `${node.tagName} ${node.attrs.map(({ name, value }) => (name === 'href' ? `href=${value.slice(0, 5)}` : name)).join(' ')}`,
      );
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(parse(page, { scriptingEnabled: false }));
  return found;
}

describe('words of others on the pages', () => {
  const pagesWith = async (words: string): Promise<string[][]> => {
    const given = words.replaceAll('\0', '');
    const id = await openHidden(given, given.slice(0, 39));
    const searched = encodeURIComponent(words);
    const paths = [`/sessions/${id}`, `/sessions?q=${searched}`, `/sessions?model=${searched}`];
    const pages = await Promise.all(
      [...paths, `/sessions/${id}/prompt`, `/sessions/${id}/memory`].map((path) =>
        ask(scene.url + path, { headers: SIGNED_IN }),
      ),
    );
    // A list has the sessions of earlier rows too.
    return pages.map(({ body }) => [...new Set(elementsOf(body))].toSorted());
  };

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'-alert(1)-'",
    '" onmouseover="alert(1)',
    '</title><script>alert(1)</script>',
    '<a href="javascript:alert(1)">x</a>',
    '&lt;script&gt;',
    '{{7+7}}${7+7}<%= 7 %>',
    '\u202e\u0000<b>x</b>',
    '<svg/onload=alert(1)>',
    '](javascript:alert(1))',
    '--><img src=x>',
    '<meta http-equiv=refresh content="0;url=https://evil.example">',
    '<base href=https://evil.example>',
  ])('are text in titles, names and bodies: %s', async (words) => {
    expect(await pagesWith(words)).toEqual(await pagesWith('words'));
  });
});

it('no log line of all this has a code, a state, a verifier, a cookie, a token or a secret', async () => {
  await browser.signIn('ada');
  const secrets = [...browser.cookies.values()];
  await browser.get('/sessions?token=abcdefghij');
  const log = scene.log.join('');
  expect(log).toContain('signed in on the session pages');
  for (const secret of [
    ...secrets,
    'the-client-secret',
    'ghu_',
    'ghr_',
    'code_verifier',
    'abcdefghij',
  ])
    expect([secret, log.includes(secret)]).toEqual([secret, false]);
  expect(log).not.toMatch(/"(?:code|state)":"\w{10,}|[?&](?:code|state|token)=/);
  expect(scene.log.filter((line) => line.includes('"level":50'))).toEqual([]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SIGNED_IN } from '../support.ts';
import { Browser, openScene, type Scene } from './scene.ts';

const FEW_MINUTES = 3 * 60_000;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

let browser: Browser;
beforeEach(() => {
  browser = new Browser(scene);
});

/** The pages of a session. */
const pagesOf = (id: string) =>
  ['', '/memory', '/prompt', '/journal.json', '/events?after=0'].map(
    (rest) => `/sessions/${id}${rest}`,
  );

/** The statuses of all pages of a session. */
async function statusesOf(id: string): Promise<number[]> {
  // An answer without an end, to those who may look.
  const pages = pagesOf(id).filter((page) => !page.includes('/events'));
  return Promise.all(pages.map(async (page) => (await browser.get(page)).status));
}

const titles = async (path = '/sessions'): Promise<string[]> => {
  const { body } = await browser.get(path);
  return [...body.matchAll(/class="title">Work on (\w+)</g)]
    .map(([, name = '']) => name)
    .toSorted();
};

describe('someone who signs in with GitHub', () => {
  it('comes back to the page that was asked for', async () => {
    const page = `/sessions/${scene.sessions.alpha}`;
    const before = await browser.get(page);
    expect(before.status).toBe(401);
    expect(before.body).toContain(`href="/sign-in?back=${encodeURIComponent(page)}"`);
    const answer = await browser.signIn('ada', page);
    expect([answer.status, answer.headers.location]).toEqual([303, page]);
    expect(await browser.get(page)).toMatchObject({
      status: 200,
      body: expect.stringContaining('Work on alpha'),
    });
  });

  it('sees the sessions of repositories with access, in the list, its filters and its totals', async () => {
    await browser.signIn('bob');
    expect(await titles()).toEqual(['beta']);
    const { body } = await browser.get('/sessions');
    expect(body).toContain('example/beta');
    expect(body).not.toContain('alpha');
    const alpha = scene.github.repository('example', 'alpha');
    expect(await titles(`/sessions?repository=${alpha.id}`)).toEqual([]);
    expect(await titles('/sessions?q=Work')).toEqual(['beta']);
    expect((await browser.get('/totals')).status).toBe(200);
    expect(await statusesOf(scene.sessions.beta)).toEqual([200, 200, 200, 200]);
  });

  it('is told of any other session what is told of one that does not exist', async () => {
    await browser.signIn('bob');
    for (const page of pagesOf(scene.sessions.alpha)) {
      const [hidden, unknown] = [
        await browser.get(page),
        await browser.get(page.replace(scene.sessions.alpha, 'nowhere')),
      ];
      expect([page, hidden.status, unknown.status]).toEqual([page, 404, 404]);
      expect(hidden.body).toBe(unknown.body);
      expect(hidden.body).toContain('you may not see it');
    }
    const encoded = `/sessions/%${scene.sessions.alpha.charCodeAt(0).toString(16)}${scene.sessions.alpha.slice(1)}`;
    expect((await browser.get(encoded)).status).toBe(404);
  });

  it('sees nothing without access to any repository, and is told why', async () => {
    await browser.signIn('eve');
    expect(await titles()).toEqual([]);
    expect(await statusesOf(scene.sessions.beta)).toEqual([404, 404, 404, 404]);
    expect((await browser.get('/account')).body).toContain('Ask an owner of the repository');
  });

  it('sees everything as an operator', async () => {
    await browser.signIn('root');
    expect(await titles()).toEqual(['alpha', 'beta']);
    expect(await statusesOf(scene.sessions.alpha)).toEqual([200, 200, 200, 200]);
    expect((await browser.get('/account')).body).toContain('You see all sessions');
  });
});

it('the token of the operator opens all sessions as before', async () => {
  const answer = await browser.get(`/sessions/${scene.sessions.alpha}`, SIGNED_IN);
  expect(answer.status).toBe(200);
});

describe('access', () => {
  it('that was lost is gone within minutes', async () => {
    const { collaborators } = scene.github.repository('example', 'beta');
    await browser.signIn('bob');
    expect(await titles()).toEqual(['beta']);
    collaborators.delete('bob');
    try {
      scene.ahead += FEW_MINUTES;
      expect(await titles()).toEqual([]);
      expect(await statusesOf(scene.sessions.beta)).toEqual([404, 404, 404, 404]);
    } finally {
      collaborators.set('bob', 'read');
    }
    scene.ahead += FEW_MINUTES;
    expect(await titles()).toEqual(['beta']);
  });

  it('ends with the sign-in when the person takes it back on GitHub', async () => {
    await browser.signIn('bob');
    expect(await titles()).toEqual(['beta']);
    scene.github.revokeSignIns('bob');
    scene.ahead += FEW_MINUTES;
    const answer = await browser.get('/sessions');
    expect([answer.status, answer.body]).toEqual([401, expect.stringContaining('Sign in')]);
  });

  it('shows nothing while GitHub cannot be asked, and everything again afterwards', async () => {
    await browser.signIn('bob');
    scene.ahead += FEW_MINUTES;
    scene.github.faults.failNext({ method: 'GET', path: /^\/user$/, status: 502, times: 4 });
    const answer = await browser.get('/sessions');
    expect([answer.status, answer.body]).toEqual([
      503,
      expect.stringContaining('GitHub does not answer'),
    ]);
    expect(answer.body).not.toContain('beta');
    expect(await titles()).toEqual(['beta']);
  });

  it('to nothing is left where the App is suspended', async () => {
    await browser.signIn('bob');
    scene.github.installations.suspend(1);
    try {
      scene.ahead += FEW_MINUTES;
      expect(await titles()).toEqual([]);
    } finally {
      scene.github.installations.unsuspend(1);
    }
  });

  it('is asked for once, however many pages are opened', async () => {
    await browser.signIn('bob');
    scene.ahead += FEW_MINUTES;
    const before = scene.github.requests.length;
    await Promise.all(Array.from({ length: 20 }, () => browser.get('/sessions')));
    const asked = scene.github.requests.slice(before).map(({ path }) => path.split('?')[0]);
    expect(asked).toEqual([
      '/api/v3/user',
      '/api/v3/user/installations',
      '/api/v3/user/installations/1/repositories',
    ]);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { commentFor } from '../../../src/web/pages/actions.ts';
import { SIGNED_IN, type Answer } from '../support.ts';
import { Browser, openScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ admins: 'root', limits: { comment: 1000, signIn: 1000 } });
});
afterAll(() => scene.close());

let browser: Browser;
beforeEach(() => {
  browser = new Browser(scene);
});

const comments = () => scene.github.repository('example', 'alpha').comments;
const page = () => `/sessions/${scene.sessions.alpha}`;
const press = async (action: string, headers: Record<string, string> = {}, text = '') =>
  browser.post(`${page()}/comments`, headers, { action, text, about: await subject() });
const NOTHING_DONE = () => [303, `${page()}?outdated=1`];
const resultOf = ({ status, headers }: Answer) => [status, headers.location];

/** What the buttons of the page are about. */
const subject = async (): Promise<string> => {
  const { body } = await browser.get(page());
  return /name="about"\s+value="([^"]*)"/.exec(body)?.[1] ?? '';
};

/** What the page offers. */
const offered = async (): Promise<string[]> => {
  const { body } = await browser.get(page());
  return [...body.matchAll(/name="action"\s+value="(\w+)"/g)].map(([, action = '']) => action);
};

describe('a button', () => {
  it('writes a comment in the name of whoever presses it', async () => {
    await browser.signIn('ada');
    expect(await offered()).toEqual(['pause', 'stop']);
    const answer = await press('stop');
    expect([answer.status, answer.headers.location]).toEqual([303, `${page()}?said=1`]);
    expect(comments().at(-1)).toMatchObject({
      author: { login: 'ada' },
      body: '/issuewright stop',
      issueNumber: 1,
    });
    expect((await browser.get(`${page()}?said=1`)).body).toContain('Your comment is on GitHub');
  });

  it.each([
    ['reads only', 'bob', 'beta'],
    ['sees everything, and cannot write', 'root', 'alpha'],
  ] as const)('is not there for someone who %s', async (_what, login, name) => {
    await browser.signIn(login);
    const address = `/sessions/${scene.sessions[name]}`;
    expect((await browser.get(address)).body).not.toContain('name="action"');
    const before = scene.github.repository('example', name).comments.length;
    const answer = await browser.post(`${address}/comments`, {}, { action: 'stop' });
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining('write access')]);
    expect(scene.github.repository('example', name).comments).toHaveLength(before);
  });

  it('does nothing for someone who cannot see the session, or is nobody', async () => {
    const before = comments().length;
    const nobody = await press('stop');
    expect([nobody.status, nobody.body]).toEqual([
      401,
      expect.stringContaining(`back=${encodeURIComponent(page())}"`),
    ]);
    expect((await press('stop', SIGNED_IN)).status).toBe(403);
    await browser.signIn('eve');
    expect((await press('stop')).status).toBe(404);
    expect(comments()).toHaveLength(before);
  });

  it('of another site does nothing', async () => {
    await browser.signIn('ada');
    const before = comments().length;
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await press('stop', foreign)).status).toBe(403);
    expect(comments()).toHaveLength(before);
  });

  it.each(['approve', 'answer', 'retry', 'resume', '', '__proto__', 'memory'])(
    'that the session does not offer does nothing: "%s"',
    async (action) => {
      await browser.signIn('ada');
      const before = comments().length;
      expect(resultOf(await press(action, {}, 'words'))).toEqual(NOTHING_DONE());
      expect(comments()).toHaveLength(before);
    },
  );

  it.each(['run:0', 'run:2', 'plan:1', ''])(
    'about something that is over does nothing, and the page says so: "%s"',
    async (about) => {
      await browser.signIn('ada');
      expect(await subject()).toBe('run:1');
      const before = comments().length;
      const answer = await browser.post(`${page()}/comments`, {}, { action: 'stop', about });
      expect(resultOf(answer)).toEqual(NOTHING_DONE());
      expect(comments()).toHaveLength(before);
      const shown = await browser.get(`${page()}?outdated=1`);
      expect(shown.body).toContain('Nothing was done: the session has changed');
      expect(shown.body).toContain('name="action"');
    },
  );

  it.each([
    ['in letters of two bytes', 'ä'.repeat(10_000)],
    ['in lines', 'a\n'.repeat(4_999) + 'b'],
    ['in signs of four bytes', '🙂'.repeat(5_000)],
  ])('takes the longest answer, %s', async (_what, text) => {
    await browser.signIn('ada');
    // Browsers write the end of a line so.
    const sent = text.replaceAll('\n', '\r\n');
    expect(resultOf(await press('answer', {}, sent))).toEqual(NOTHING_DONE());
    expect(commentFor('answer', sent)).toBe(text);
    expect(commentFor('answer', `${text}cc`)).toBeUndefined();
  });

  it('says what happened if GitHub does not take the comment', async () => {
    await browser.signIn('ada');
    const path = /\/issues\/1\/comments$/;
    scene.github.faults.failNext({ method: 'POST', path, status: 502 });
    const lost = await press('pause');
    expect([lost.status, lost.body]).toEqual([503, expect.stringContaining('Look at the issue')]);
    scene.github.faults.failNext({ method: 'POST', path, status: 403 });
    const denied = await press('pause');
    expect([denied.status, denied.body]).toEqual([403, expect.stringContaining('did not take')]);
  });
});

it('comments of one person are limited', async () => {
  const other = await openScene({ limits: { comment: 1 } });
  try {
    const ada = new Browser(other);
    await ada.signIn('ada');
    const pressed = async () =>
      (
        await ada.post(
          `/sessions/${other.sessions.alpha}/comments`,
          {},
          { action: 'pause', about: 'run:1' },
        )
      ).status;
    expect([await pressed(), await pressed()]).toEqual([303, 429]);
  } finally {
    await other.close();
  }
});

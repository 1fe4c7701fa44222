// Someone signs in on the pages of the shipped service.
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Scene } from '../../e2e/scene.ts';
import { describeInBrowser, follow, Phone } from './phone.ts';

describeInBrowser('the sign-in in a browser', () => {
  let scene: Scene;
  let phone: Phone;
  let session: string;

  beforeAll(async () => {
    scene = await Scene.open({ hasSignIn: true });
    scene.ask('Greet by name', 'Please.');
    session = await scene.until('a session on the pages', async () => {
      const list = await scene.stage.readPage('/sessions');
      return /href="(\/sessions\/[\w-]+)"/.exec(list)?.[1];
    });
    phone = await Phone.start(scene);
  });
  afterAll(async () => {
    await phone?.close();
    await scene?.close();
  });
  beforeEach(() => phone.forget());

  it('leads to GitHub and back to the page, whose news arrive, and ends when the person signs out', async () => {
    await phone.open(session);
    expect(await phone.heading()).toBe('Sign in to see sessions');
    await phone.look('sign-in');
    await phone.signIn('octo-maintainer');
    expect(phone.page.url()).toBe(scene.stage.pagesUrl + session);
    expect(await phone.heading()).toContain('Greet by name');
    await phone.look('session');
    scene.maintainer.comment({ repository: scene.repository, number: 1 }, 'Mind the tabs.');
    await phone.page.getByText('Mind the tabs.').first().waitFor();

    await phone.press('Account');
    await phone.page.getByText('octo-maintainer').waitFor();
    await phone.look('account');
    await phone.press('Sign out');
    await phone.page.getByRole('heading', { name: 'Sign in to see sessions' }).waitFor();
    await phone.open(session);
    expect(await phone.heading()).toBe('Sign in to see sessions');
  });

  it('shows someone without access no session, in plain words', async () => {
    await phone.open(session);
    await phone.signIn('stranger');
    expect(await phone.heading()).toBe('Session not found');
    await phone.look('not-yours');
    await phone.press('All sessions');
    await phone.page.getByText('No sessions yet').waitFor();
    expect(await phone.page.content()).not.toContain('Greet by name');
  });

  it('that the person cancels says so, and can be repeated', async () => {
    await phone.open('/totals');
    await phone.press('Sign in with GitHub');
    await follow(phone.page, phone.page.getByRole('button', { name: 'Cancel' }));
    expect(await phone.heading()).toBe('You are not signed in');
    await phone.look('cancelled');
    await phone.signIn('octo-maintainer');
    await phone.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(phone.faults).toEqual([]);
  });
});

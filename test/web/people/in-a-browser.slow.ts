// Someone signs in on the pages of the shipped service, with the keyboard on a phone.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { Scene } from '../../e2e/scene.ts';

const CHROMIUM = '/usr/bin/chromium';
// Without a browser there is nothing to look with; in CI that is a fault.
const hasBrowser = existsSync(CHROMIUM) || process.env['CI'] !== undefined;
const describeInBrowser = hasBrowser ? describe : describe.skip;
/** A folder for pictures of the pages. */
const PICTURES = process.env['TEST_PICTURES'];

describeInBrowser(`the sign-in in a browser (needs ${CHROMIUM})`, () => {
  let scene: Scene;
  let browser: Browser;
  let page: Page;
  let axe: string;
  let session: string;
  const faults: string[] = [];

  beforeAll(async () => {
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    scene = await Scene.open({ hasSignIn: true });
    scene.ask('Greet by name', 'Please.');
    const { pagesUrl } = scene.stage;
    session = await scene.until('a session on the pages', async () => {
      const list = await scene.stage.readPage('/sessions');
      return /href="(\/sessions\/[\w-]+)"/.exec(list)?.[1];
    });
    browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false });
    expect(pagesUrl).toContain('127.0.0.1');
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await scene?.close();
  });
  beforeEach(async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    page = await context.newPage();
    page.on('pageerror', (error) => faults.push(error.message));
  });

  const open = (path: string) => page.goto(scene.stage.pagesUrl + path);
  const heading = () => page.getByRole('heading', { level: 1 }).innerText();
  const look = async (name: string): Promise<void> => {
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe);
      const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
      expect([name, violations.map(({ id }) => id)]).toEqual([name, []]);
      if (PICTURES !== undefined)
        await page.screenshot({ path: `${PICTURES}-${name}-${colorScheme}.png` });
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  };
  /** Moves to it as people without a mouse do. */
  const tabTo = async (name: string): Promise<void> => {
    const isThere = `document.activeElement?.textContent?.trim() === ${JSON.stringify(name)}`;
    for (let steps = 0; steps < 30 && !(await page.evaluate(isThere)); steps += 1)
      await page.keyboard.press('Tab');
    expect(await page.evaluate(isThere)).toBe(true);
  };
  const signIn = async (as: string): Promise<void> => {
    await tabTo('Sign in with GitHub');
    await page.keyboard.press('Enter');
    await page.getByLabel('Acting person').selectOption(as);
    await page.getByRole('button', { name: 'Authorize Issuewright' }).click();
    await page.waitForURL((url) => url.href.startsWith(scene.stage.pagesUrl));
  };

  it('leads to GitHub and back to the page, whose news arrive, and ends when the person signs out', async () => {
    await open(session);
    expect(await heading()).toBe('Sign in to see sessions');
    await look('sign-in');
    await signIn('octo-maintainer');
    expect(page.url()).toBe(scene.stage.pagesUrl + session);
    expect(await heading()).toContain('Greet by name');
    await look('session');
    scene.maintainer.comment({ repository: scene.repository, number: 1 }, 'Mind the tabs.');
    await page.getByText('Mind the tabs.').first().waitFor({ timeout: 25_000 });

    await tabTo('Account');
    await page.keyboard.press('Enter');
    await page.getByText('octo-maintainer').waitFor();
    await look('account');
    await tabTo('Sign out');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in to see sessions' }).waitFor();
    await open(session);
    expect(await heading()).toBe('Sign in to see sessions');
  }, 90_000);

  it('shows someone without access no session, in plain words', async () => {
    await open(session);
    await signIn('stranger');
    expect(await heading()).toBe('Session not found');
    await look('not-yours');
    await page.getByRole('link', { name: 'All sessions' }).click();
    await page.getByText('No sessions yet').waitFor();
    expect(await page.content()).not.toContain('Greet by name');
    await look('nothing');
  }, 60_000);

  it('that the person cancels says so, and can be repeated', async () => {
    await open('/totals');
    await page.getByRole('link', { name: 'Sign in with GitHub' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await look('cancelled');
    await page.getByRole('link', { name: 'Sign in with GitHub' }).click();
    await page.getByRole('button', { name: 'Authorize Issuewright' }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(faults).toEqual([]);
  }, 60_000);
});

// A browser on a phone, whose person uses the keyboard.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import type { Scene } from '../../e2e/scene.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

export const CHROMIUM = '/usr/bin/chromium';
// Without a browser there is nothing to look with; in CI that is a fault.
const hasBrowser = existsSync(CHROMIUM) || process.env['CI'] !== undefined;
export const describeInBrowser = (words: string, tests: () => void): void =>
  (hasBrowser ? describe : describe.skip)(`${words} (needs ${CHROMIUM})`, tests);
/** What the names of pictures begin with; without it none are taken. */
const PICTURES = process.env['TEST_PICTURES'];
export const WIDTH = 390;

export const readAxe = (): Promise<string> =>
  readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** Uses a link or button that leads to a page, and waits until that page is there, also if it has the same address. */
export async function follow(page: Page, link: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('load'), link.click()]);
}

/** Nothing on a page that someone could not see, read or reach on a phone, in dark and in light colours. */
export async function lookAt(page: Page, name: string, axe: string): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
    expect([name, violations.map(({ id }) => id)]).toEqual([name, []]);
    if (PICTURES !== undefined)
      await page.screenshot({ path: `${PICTURES}-${name}-${colorScheme}.png` });
  }
  expect([name, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
    name,
    WIDTH,
  ]);
}

export class Phone {
  page: Page;
  /** Errors of scripts, and what the policy for contents blocked. */
  readonly faults: string[] = [];
  readonly #scene: Scene;
  readonly #browser: Browser;
  readonly #axe: string;

  private constructor(scene: Scene, browser: Browser, { page, axe }: { page: Page; axe: string }) {
    this.#scene = scene;
    this.#browser = browser;
    this.page = page;
    this.#axe = axe;
  }

  static async start(scene: Scene): Promise<Phone> {
    const axe = await readAxe();
    const browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false });
    return new Phone(scene, browser, { page: await browser.newPage(), axe });
  }

  /** Of another person: without cookies. */
  async forget(): Promise<void> {
    await this.page.context().close();
    const viewport = { width: WIDTH, height: 800 };
    const context = await this.#browser.newContext({ viewport, reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE_MS);
    this.page = await context.newPage();
    this.page.on('pageerror', (error) => this.faults.push(error.message));
    this.page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) this.faults.push(message.text());
    });
  }

  async open(path: string): Promise<void> {
    await this.page.goto(this.#scene.stage.pagesUrl + path);
  }

  heading(): Promise<string> {
    return this.page.getByRole('heading', { level: 1 }).innerText();
  }

  look(name: string): Promise<void> {
    return lookAt(this.page, name, this.#axe);
  }

  /** Moves to the link or button with these words by the Tab key, uses it, and waits until the page that it leads to is there. */
  async press(words: string): Promise<void> {
    await this.page.getByText(words, { exact: true }).first().waitFor();
    const isThere = `document.activeElement?.textContent?.trim() === ${JSON.stringify(words)}`;
    for (let steps = 0; steps < 60 && !(await this.page.evaluate(isThere)); steps += 1)
      await this.page.keyboard.press('Tab');
    expect([words, await this.page.evaluate(isThere)]).toEqual([words, true]);
    await Promise.all([this.page.waitForEvent('load'), this.page.keyboard.press('Enter')]);
  }

  async signIn(as: string): Promise<void> {
    await this.press('Sign in with GitHub');
    await this.page.getByLabel('Acting person').selectOption(as);
    await follow(this.page, this.page.getByRole('button', { name: 'Authorize Issuewright' }));
  }

  close(): Promise<void> {
    return this.#browser.close();
  }
}

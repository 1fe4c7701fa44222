import { writeFile } from 'node:fs/promises';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Locator,
  type Page,
} from 'playwright-core';
import { movingPicture, type Frame } from './moving-picture.ts';

const TARGET = 'docs/images';
const EDGE = 16;
const PHONE = { width: 390, height: 940 };
/** Of a moving picture, in pixels. */
const FRAME = { width: 960, height: 620 };
/** Runs in the page. */
const showInTheMiddle = (element: { scrollIntoView(options: object): void }): void =>
  element.scrollIntoView({ block: 'center', behavior: 'instant' });

/** A bar at the bottom of the window. */
const captionStyle = (words: string): string => `
  body::after {
    content: ${JSON.stringify(words)};
    position: fixed; left: 0; right: 0; bottom: 0; padding: 14px 24px;
    background: #1f2328; color: #fff; font: 600 22px sans-serif;
  }`;

interface Shot {
  readonly seconds: number;
  /** Below the page. */
  readonly caption: string;
  /** A selector of what has to be in view. */
  readonly part?: string;
  /** The result comes first, because some show only that. */
  readonly isFirst?: boolean;
}

interface Film {
  take(url: string, shot: Shot): Promise<void>;
  /** Writes the picture. */
  end(): Promise<void>;
}

/** What a picture shows, in a browser that is opened once. */
export class Camera {
  readonly #browser: Browser;
  readonly #context: BrowserContext;

  private constructor(browser: Browser, context: BrowserContext) {
    this.#browser = browser;
    this.#context = context;
  }

  static async open(): Promise<Camera> {
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      chromiumSandbox: false,
    });
    return new Camera(
      browser,
      await browser.newContext({ deviceScaleFactor: 1.5, bypassCSP: true }),
    );
  }

  close(): Promise<void> {
    return this.#browser.close();
  }

  /** Opens a link first, such as one that signs in. All pictures share its cookies. */
  async visit(url: string): Promise<void> {
    await this.#at(url, 1000, async () => {});
  }

  /** The top of a page. */
  async page(name: string, url: string, height: number): Promise<void> {
    await this.#at(url, 1100, async (page) => {
      await page.setViewportSize({ width: 1100, height });
      await page.screenshot({ path: `${TARGET}/${name}.png` });
    });
  }

  /** A page on a phone, in dark colours and without the cookies of the others, once `work` has been done on it. */
  async phone(name: string, url: string, work: (page: Page) => Promise<void>): Promise<void> {
    const context = await this.#browser.newContext({
      viewport: PHONE,
      deviceScaleFactor: 1.5,
      colorScheme: 'dark',
    });
    try {
      const page = await context.newPage();
      await page.goto(url);
      await work(page);
      await page.screenshot({ path: `${TARGET}/${name}.png` });
    } finally {
      await context.close();
    }
  }

  /** Collects frames of a moving picture: each has a page as far as its address scrolls it. */
  async film(name: string): Promise<Film> {
    const frames: Frame[] = [];
    const page = await this.#context.newPage();
    await page.setViewportSize(FRAME);
    return {
      take: async (url, { seconds, caption, part, isFirst = false }) => {
        await page.goto('about:blank');
        await page.goto(url);
        await page.addStyleTag({ content: captionStyle(caption) });
        if (part !== undefined) await page.locator(part).first().evaluate(showInTheMiddle);
        const frame = { png: await page.screenshot({ scale: 'css' }), seconds };
        if (isFirst) frames.unshift(frame);
        else frames.push(frame);
      },
      end: async () => {
        await page.close();
        await writeFile(`${TARGET}/${name}.png`, movingPicture(frames));
      },
    };
  }

  /** From the first to the last of what these selectors find, with nothing folded in it. */
  async parts(name: string, url: string, ...selectors: string[]): Promise<void> {
    await this.#at(url, 1000, async (page) => {
      const folded = page.locator(selectors.map((one) => `${one} details`).join(', '));
      await folded.evaluateAll((all) => all.forEach((one) => one.setAttribute('open', '')));
      const boxes = await Promise.all(selectors.map((one) => boxOf(page.locator(one).first())));
      const left = Math.min(...boxes.map(({ x }) => x));
      const top = Math.min(...boxes.map(({ y }) => y));
      const right = Math.max(...boxes.map(({ x, width }) => x + width));
      const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
      const clip = {
        x: Math.max(0, left - EDGE),
        y: Math.max(0, top - EDGE),
        width: right - left + 2 * EDGE,
        height: bottom - top + 2 * EDGE,
      };
      await page.screenshot({ path: `${TARGET}/${name}.png`, clip, fullPage: true });
    });
  }

  async #at(url: string, width: number, work: (page: Page) => Promise<void>): Promise<void> {
    const page = await this.#context.newPage();
    try {
      await page.setViewportSize({ width, height: 900 });
      await page.goto(url);
      await work(page);
    } finally {
      await page.close();
    }
  }
}

async function boxOf(found: Locator) {
  const box = await found.boundingBox();
  if (box === null) throw new Error(`${String(found)} is not on the page`);
  return box;
}

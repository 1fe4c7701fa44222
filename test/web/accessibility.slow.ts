import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../support/patience.ts';
import { KINDS, type Site } from './every-page.ts';
import { CHROMIUM, describeInBrowser, readAxe } from './people/phone.ts';

const SCHEMES = ['light', 'dark'] as const;
const [WIDE, NARROW] = [1200, 390];
/** The rules that colours matter to. A scheme changes nothing else. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
/** The rules that sizes matter to. */
const OF_SIZES = ['scrollable-region-focusable', 'target-size'];

/** The defaults of axe, but: texts of one letter count too, and lines beside a text are not behind it. */
const CONTRAST = {
  ignoreUnicode: true,
  ignoreLength: true,
  ignorePseudo: true,
  boldValue: 700,
  boldTextPt: 14,
  largeTextPt: 18,
  contrastRatio: { normal: { expected: 4.5 }, large: { expected: 3 } },
  pseudoSizeThreshold: 0.25,
  shadowOutlineEmMax: 0.2,
  textStrokeEmMin: 0.03,
};

/** The letters of an avatar: a picture, with the name beside it. */
const INITIALS = '<text x=';

describeInBrowser('every page', () => {
  let browser: Browser;
  let axe: string;
  const opened: { readonly site: Site; readonly page: Page }[] = [];
  const kinds = Object.entries(KINDS);

  beforeAll(async () => {
    axe = await readAxe();
    browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false });
    for (const [, { open }] of kinds) {
      const site = await open();
      const page = await browser.newPage({ reducedMotion: 'reduce' });
      page.setDefaultTimeout(PATIENCE_MS);
      opened.push({ site, page });
      await page.goto(site.link);
    }
  });

  afterAll(async () => {
    await browser?.close();
    for (const { site } of opened) await site.close();
  });

  /** What axe finds at this width by these rules, or by all; also what it cannot decide about colours. */
  async function faultsOf(page: Page, width: number, rules?: readonly string[]): Promise<string[]> {
    await page.setViewportSize({ width, height: 900 });
    const checks = { 'color-contrast': { options: CONTRAST } };
    const options = { checks, ...(rules === undefined ? {} : { runOnly: rules }) };
    const { violations, incomplete } = (await page.evaluate(
      `axe.run(${JSON.stringify(options)})`,
    )) as AxeResults;
    const undecided = incomplete
      .filter(({ id }) => id === 'color-contrast')
      .flatMap(({ nodes }) => nodes.filter(({ html }) => !html.startsWith(INITIALS)));
    const found = [...violations.flatMap(({ nodes }) => nodes), ...undecided];
    return found.map(({ html, failureSummary }) => `${html}: ${failureSummary}`);
  }

  describe.each(kinds.map(([name, { pages }], at) => ({ name, pages, at })))('$name', (kind) => {
    const table = Object.entries(kind.pages).flatMap(([name, path]) =>
      SCHEMES.map((scheme) => ({ name, path, scheme })),
    );
    it.each(table)('show $name without a barrier, in $scheme colours', async ({ path, scheme }) => {
      const { site, page } = opened[kind.at]!;
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(site.address(path));
      await page.evaluate(
        'document.querySelectorAll("details").forEach((one) => (one.open = true))',
      );
      await page.evaluate(axe);
      const rules = scheme === 'light' ? undefined : OF_COLOURS;
      expect(await faultsOf(page, WIDE, rules)).toEqual([]);
      if (scheme === 'dark') return;
      expect(await faultsOf(page, NARROW, OF_SIZES)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(NARROW);
    });
  });
});

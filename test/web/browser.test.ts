import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { Range } from '../../src/web/journal-part.ts';
import type { Journal } from '../support/journal.ts';
import * as stories from '../support/stories.ts';
import { pagesOf, startPages, TOKEN, type TestServer, partOfEntries } from './support.ts';

const CHROMIUM = '/usr/bin/chromium';
// Without a browser there is nothing to look with; in CI that is a fault.
const hasBrowser = existsSync(CHROMIUM) || process.env['CI'] !== undefined;
const describeInBrowser = hasBrowser ? describe : describe.skip;

describeInBrowser(`in a browser (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let web: TestServer;
  let page: Page;
  let journal: Journal;
  const faults: string[] = [];

  beforeAll(async () => {
    journal = stories.working().turn({ calls: [{ tool: 'commit', title: 'Commit' }] });
    web = await startPages({
      pages: {
        ...pagesOf({}),
        newest: async () => journal.entries.at(-1)?.seq,
        part: (_id: string, range: Range) => partOfEntries(journal.entries, range),
      },
    });
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      headless: true,
      chromiumSandbox: false,
    });
    page = await browser.newPage({ viewport: { width: 390, height: 800 } });
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(web.url)) faults.push(request.url());
    });
    await page.goto(`${web.url}/?token=${TOKEN}`);
    await page.goto(`${web.url}/sessions/abc`);
  });

  afterAll(async () => {
    await browser?.close();
    await web?.close();
  });

  it('fits a phone', async () => {
    const width = 'document.documentElement.scrollWidth';
    expect(await page.evaluate(width)).toBe(390);
  });

  it('updates by itself, and keeps unfolded parts unfolded', async () => {
    const reply = page.locator('.from-model').last();
    await reply.getByText('Raw reply').click();
    const { seq } = journal.entries.findLast(({ type }) => type === 'reply')!;
    const result = { ok: true, output: 'Found.', effects: [stories.COMMIT], halt: null };
    journal.add({ type: 'call_finished', reply: seq, index: 0, ...result });

    await reply.locator('.call.ok').waitFor();
    expect(await reply.locator('.effect code').innerText()).toBe('9fceb02');
    const unfolded = reply.locator(`details[data-key="raw-${seq}"]`);
    expect(await unfolded.getAttribute('open')).not.toBeNull();
  });

  it('stops asking once the session is over', async () => {
    journal.end({ kind: 'failed', reason: 'The push was denied.' });
    await page.getByText('Run 1 failed').waitFor();
    expect(await page.locator('body').getAttribute('data-live')).toBeNull();
    expect(await page.title()).toContain('Failed');
  });

  it('breaks none of its own rules about what may run and load', () => {
    expect(faults.filter((fault) => !fault.includes('304'))).toEqual([]);
  });
});

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import type { Journal } from '../support/journal.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import * as stories from '../support/stories.ts';
import { CHROMIUM, describeInBrowser, follow } from './people/phone.ts';
import { pagesOf, startPages, TOKEN, type TestServer } from './support.ts';

const SUM = {
  sessions: 1234,
  merged: 512,
  closed: 33,
  unchanged: 9,
  abandoned: 12,
  open: 100,
  zeroTouch: 100,
  rounds: 900,
  dollars: 12_345.67,
  mergedDollars: 9_876.5,
  workedMs: 1,
  isPartial: true,
  signMs: 65_000,
  proposedMs: 21_540_000,
  mergedMs: 1_119_600_000,
  name: 'some-organization/a-repository-with-a-rather-long-name',
};
const MODEL = { ...SUM, name: 'openai:scripted' };
const TOTALS = { all: SUM, byRepository: [SUM], byModel: [MODEL], spent: [] };

describeInBrowser('pages in a browser', () => {
  let browser: Browser;
  let web: TestServer;
  let page: Page;
  let journal: Journal;
  const long = stories.working();
  const fifteen = stories.wholeStory();
  const faults: string[] = [];

  beforeAll(async () => {
    journal = stories.working().turn({ calls: [{ tool: 'commit', title: 'Commit' }] });
    // One that is still free when the server returns.
    const port = await freePort();
    web = await startPages({ pages: pagesNow(), port });
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      headless: true,
      chromiumSandbox: false,
      // Of a name that is not this machine's, browsers over http say less in what they send.
      args: ['--host-resolver-rules=MAP pages.test 127.0.0.1'],
    });
    page = await openPage({ viewport: { width: 390, height: 800 } });
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

  const pagesNow = () => ({
    ...pagesOf({ abc: journal.entries, long: long.entries, fifteen: fifteen.entries }),
    totals: async () => TOTALS,
  });

  /** Without the cookies of others. */
  async function openPage(options?: BrowserContextOptions): Promise<Page> {
    const opened = await browser.newPage(options);
    opened.setDefaultTimeout(PATIENCE_MS);
    return opened;
  }

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

  it('catches up after the server was away, and says that it was', async () => {
    await page.evaluate('window.isTheSame = true');
    const { port } = web;
    await web.close();
    await page.getByText('The connection is lost.').waitFor();
    journal.turn({ thought: 'While it was away.' });
    web = await startPages({ pages: pagesNow(), port });
    await page.getByText('While it was away.', { exact: true }).waitFor();
    await page.getByText('The connection is lost.').waitFor({ state: 'detached' });
    expect(await page.evaluate('window.isTheSame')).toBe(true);
  });

  it('says what became of the session to those who do not see it', async () => {
    journal.effect({ type: 'question', text: 'Which?' }, 'asked').end({ kind: 'asked' });
    await page
      .getByRole('status')
      .getByText(/Waiting for \S+ answer/)
      .waitFor();
    journal.comment('This one.').admit().run();
    await page.getByRole('status').getByText('Working').waitFor();
  });

  it('has fifteen replies on less than 4,000 pixels', async () => {
    for (let at = 0; fifteen.session.progress.replies < 15; at += 1)
      fifteen.turn({
        thought:
          'I change the greeting and run the tests, because the name is not used everywhere.',
        calls: [
          { tool: 'edit_file', title: `Edit src/greet-${at}.ts`, result: {} },
          { tool: 'run_shell_command', title: 'Run npm test', result: { ok: at % 3 !== 0 } },
          { tool: 'read_file', title: `Read src/more-${at}.ts`, result: {} },
        ],
      });
    const wide = await openPage({ viewport: { width: 1280, height: 900 } });
    await wide.goto(`${web.url}/?token=${TOKEN}`);
    await wide.goto(`${web.url}/sessions/fifteen`);
    expect(await wide.locator('.from-model').count()).toBe(15);
    expect(await wide.evaluate('document.documentElement.scrollHeight')).toBeLessThan(4000);
    await wide.close();
  });

  it('shows totals that need no scrolling at a desk, whatever is long or unknown in them', async () => {
    const wide = await openPage({ viewport: { width: 1280, height: 900 } });
    await wide.goto(`${web.url}/?token=${TOKEN}`);
    await wide.goto(`${web.url}/totals`);
    const overflow =
      '[...document.querySelectorAll(".wide")].map((box) => box.scrollWidth - box.clientWidth)';
    expect(await wide.evaluate(overflow)).toEqual([0, 0]);
    await wide.close();
  });

  it.each([390, 1280])('breaks no word in names of totals, %i pixels wide', async (width) => {
    const other = await openPage({ viewport: { width, height: 900 } });
    await other.goto(`${web.url}/?token=${TOKEN}`);
    await other.goto(`${web.url}/totals`);
    const parts = `[...document.querySelectorAll('#by-model + .wide')]
      .flatMap((box) => [...box.querySelectorAll('tbody th')])
      .flatMap((name) => [...name.childNodes].filter(({ nodeType }) => nodeType === 3))
      .map((text) => {
        const range = document.createRange();
        range.selectNode(text);
        return [text.data, range.getClientRects().length];
      })`;
    expect(await other.evaluate(parts)).toEqual([
      ['openai:', 1],
      ['scripted', 1],
    ]);
    await other.close();
  });

  it('loads earlier entries into itself', async () => {
    for (let at = 0; at < 250; at += 1)
      long.turn({ thought: `Step ${at}.`, calls: [{ tool: 'note', result: {} }] });
    const other = await openPage();
    await other.goto(`${web.url}/?token=${TOKEN}`);
    await other.goto(`${web.url}/sessions/long`);
    expect(await other.getByText('Session opened').count()).toBe(0);
    while ((await other.getByText('Session opened').count()) === 0) {
      const before = await other.locator('#story > li').count();
      await other.getByText('Earlier entries').press('Enter');
      await other.locator('#story > li').nth(before).waitFor({ state: 'attached' });
    }
    const ids = (await other.evaluate(
      `[...document.querySelectorAll('#story > li')].map(({ id }) => Number(id.slice(6)))`,
    )) as number[];
    expect(ids).toEqual(ids.toSorted((one, two) => one - two));
    expect(ids.filter((seq) => long.entries[seq - 1]?.type === 'reply')).toHaveLength(251);
    expect(other.url()).toBe(`${web.url}/sessions/long`);
    await other.close();
  });

  it('works without scripts: with links, and by loading itself again', async () => {
    const plain = await openPage({ javaScriptEnabled: false });
    await plain.goto(`${web.url}/?token=${TOKEN}`);
    await plain.goto(`${web.url}/sessions/long`);
    expect(await plain.locator('meta[http-equiv=refresh]').count()).toBe(1);
    await follow(plain, plain.getByText('Earlier entries'));
    await plain.getByText('Newest entries').waitFor();
    await plain.close();
  });

  it.each(['127.0.0.1', 'pages.test'])('signs out over http, by the name %s', async (name) => {
    const other = await openPage();
    const at = `http://${name}:${web.port}`;
    await other.goto(`${at}/?token=${TOKEN}`);
    await other.getByRole('heading', { name: 'Sessions' }).waitFor();
    await other.goto(`${at}/account`);
    await follow(other, other.getByRole('button', { name: 'Sign out' }));
    await other.getByRole('heading', { name: 'Open the link' }).waitFor();
    await other.close();
  });

  it('stops asking once the session is over', async () => {
    journal.end({ kind: 'failed', reason: 'The push was denied.' });
    await page.getByText('Run 2 failed').waitFor();
    expect(await page.locator('body').getAttribute('data-live')).toBeNull();
    expect(await page.title()).toContain('Failed');
  });

  it('breaks none of its own rules about what may run and load', () => {
    const isAway =
      /ERR_(?:CONNECTION_REFUSED|CONNECTION_RESET|EMPTY_RESPONSE|INCOMPLETE_CHUNKED_ENCODING)/;
    expect(faults.filter((fault) => !isAway.test(fault))).toEqual([]);
  });
});

// Someone who has just cloned the repository, with the commands of docs/getting-started.md and a browser.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import {
  CHROMIUM,
  describeInBrowser,
  follow,
  lookAt,
  readAxe,
  WIDTH,
} from '../web/people/phone.ts';

const DOCUMENT = readFileSync('docs/getting-started.md', 'utf8');

/** Its commands, in order. */
const COMMANDS = [...DOCUMENT.matchAll(/^ {4}((?:npm|\.\/issuewright) .+)$/gm)].map(
  ([, command = '']) => command,
);

/** Its numbered steps: the title of each, and its words. */
const STEPS = [
  ...DOCUMENT.matchAll(/^\*\*\d\. ([^*]+?)\.?\*\*([^]*?)(?=^\*\*\d\.|^`\.\/issuewright doctor`)/gm),
].map(([, title = '', words = '']) => [title, words] as const);

describeInBrowser('someone who follows docs/getting-started.md', () => {
  const running: ChildProcess[] = [];
  const directory = temporaryDirectory();
  let browser: Browser;
  let context: BrowserContext;
  let axe: string;
  /** The titles of the steps that were done. */
  const walked: string[] = [];
  /** How long pages were looked at, which nobody else does. */
  let lookedMs = 0;
  let ports: { readonly github: string; readonly service: string; readonly pages: string };

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false });
    context = await browser.newContext({ reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE_MS);
    axe = await readAxe();
    const port = async (): Promise<string> => String(await freePort());
    ports = { github: await port(), service: await port(), pages: await port() };
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(running.map(ended));
  });

  const listening = () => ({ PORT: ports.service, PAGES_PORT: ports.pages });

  /** Starts a command; resolves with what it printed up to `line`. */
  function start(command: string, line: RegExp, ...more: readonly string[]): Promise<string> {
    const child = spawn(resolve('issuewright'), [command, ...more], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', ...listening() },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.push(child);
    return new Promise((found, reject) => {
      let output = '';
      const hear = (chunk: Buffer): void => {
        output += chunk.toString();
        if (line.test(output)) found(output);
      };
      child.stdout.on('data', hear);
      child.stderr.on('data', hear);
      child.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${output}`)));
    });
  }

  const linkIn = (output: string): string => /http:[^\s"]+token=[^\s"]+/.exec(output)?.[0] ?? '';

  /** On a phone, in dark and in light colours. What is done on the page is done at a desk. */
  async function look(page: Page, name: string): Promise<void> {
    const begun = performance.now();
    const desk = page.viewportSize();
    await page.setViewportSize({ width: WIDTH, height: 800 });
    await lookAt(page, name, axe);
    await page.emulateMedia({ colorScheme: null });
    if (desk !== null) await page.setViewportSize(desk);
    lookedMs += performance.now() - begun;
  }

  /** A numbered step of the document, and how long it took. */
  async function step<T>(title: string, work: (clicks: readonly string[]) => Promise<T>) {
    const [, words = ''] = STEPS[walked.length + 1] ?? [];
    walked.push(title);
    const clicks = [...words.matchAll(/\*([A-Z][^*]+)\*/g)].map(([, each = '']) => each);
    const begun = performance.now();
    const lookedBefore = lookedMs;
    const done = await work(clicks.map((each) => each.replaceAll(/\s+/g, ' ')));
    const tookMs = performance.now() - begun - (lookedMs - lookedBefore);
    process.stderr.write(`${walked.length + 1}. ${title}: ${(tookMs / 1000).toFixed(1)} s\n`);
    return done;
  }

  async function createApp(clicks: readonly string[]): Promise<void> {
    const [create = '', confirm = '', install = '', on = '', end = ''] = clicks;
    const page = await context.newPage();
    await page.goto(linkIn(await start('setup', /token=\S+/, '--org', 'example')));
    await look(page, 'setup');
    await follow(page, page.getByRole('button', { name: create }));
    await look(page, 'the App that GitHub creates');
    await page.getByRole('button', { name: confirm }).click();
    // From then on the page loads again only once the App is installed.
    await page.getByText('first webhook has arrived').waitFor();
    const opened = page.waitForEvent('popup');
    await look(page, 'the App that was created');
    await page.getByRole('link', { name: install }).click();
    const installing = await opened;
    await installing.waitForLoadState();
    await look(installing, 'the installation');
    await installing.getByRole('button', { name: on }).click();
    await page.getByRole('heading', { name: end }).waitFor();
    await look(page, 'the end of setup');
  }

  async function signIn(page: Page, [account = '']: readonly string[]): Promise<void> {
    await page.goto(linkIn(await start('start', /session pages are ready/)));
    await follow(page, page.getByRole('link', { name: account }));
    await look(page, 'the account before the sign-in');
    await follow(page, page.getByRole('link', { name: 'Sign in with GitHub' }));
    await look(page, 'the authorization');
    await follow(page, page.getByRole('button', { name: /^Authorize/ }));
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    await look(page, 'no sessions');
  }

  async function addLabel(issue: Page, address: string): Promise<void> {
    await issue.goto(address);
    await look(issue, 'the repository');
    await follow(issue, issue.getByRole('link', { name: SAMPLE.issue.title }));
    expect(await issue.getByLabel('Label', { exact: true }).inputValue()).toBe(SAMPLE.label);
    await look(issue, 'the issue');
    await follow(issue, issue.getByRole('button', { name: 'Add' }));
  }

  /** From the list to the question on the page of the session. */
  async function openSession(pages: Page): Promise<void> {
    await pages.goto(`http://127.0.0.1:${ports.pages}/sessions`);
    const session = pages.getByRole('link', { name: SAMPLE.issue.title });
    while (!(await session.isVisible())) await pages.reload();
    await look(pages, 'one session');
    await follow(pages, session);
    await pages.getByRole('textbox').waitFor();
    await look(pages, 'the question');
  }

  const shows = (pages: Page, words: string | RegExp): Promise<void> =>
    pages.getByText(words).first().waitFor();

  async function answerQuestion(pages: Page): Promise<void> {
    await pages.getByRole('textbox').fill(SAMPLE.answer);
    await follow(pages, pages.getByRole('button', { name: 'Answer' }));
    await shows(pages, 'Ready for review');
    await look(pages, 'a session that is ready for review');
  }

  async function reviewAndMerge(pages: Page, issue: Page): Promise<void> {
    const pull = await context.newPage();
    await pull.goto(issue.url().replace(/issues\/1$/, 'pull/2'));
    await look(pull, 'the pull request');
    await pull.getByLabel('Review', { exact: true }).fill(SAMPLE.review);
    await follow(pull, pull.getByRole('button', { name: 'Request changes' }));
    await shows(pages, /^Run 3 finished/);
    await pull.reload();
    expect(await pull.locator('a[href*="/commit/"]').count()).toBeGreaterThan(1);
    await look(pull, 'the reviewed pull request');
    await follow(pull, pull.getByRole('button', { name: 'Merge pull request' }));
    await shows(pages, 'Merged');
    await look(pages, 'a session that is merged');
    // The pages show it before GitHub does.
    const merged = issue.getByText(/Merged: #\d/).first();
    do await issue.reload();
    while (!(await merged.isVisible()));
    await look(issue, 'the issue at the end');
    await look(pull, 'the merged pull request');
  }

  it('comes to a merged pull request by its steps, and sees no barrier on the way', async () => {
    expect(COMMANDS).toEqual([
      'npm install',
      './issuewright github',
      './issuewright model',
      './issuewright setup --org example',
      './issuewright start',
    ]);
    const webhook = `http://127.0.0.1:${ports.service}/api/github/webhooks`;
    const [github, model] = await step('Start a GitHub and a model', async () => [
      await start('github', /Ctrl-C/, '--port', ports.github, '--webhook', webhook),
      await start('model', /MODEL_CATALOG=.*\n/),
    ]);
    await step('Write `.env`', async () => {
      const lines = [/^GHE_\w+=.*/gm, /^(?:MODEL|OPENAI)\w*=.*/gm].flatMap((wanted) =>
        `${github}\n${model}`.match(wanted),
      );
      expect(lines).toHaveLength(6);
      writeFileSync(join(directory, '.env'), lines.join('\n'));
    });
    await step('Create and install the App', createApp);
    const pages = await context.newPage();
    await step('Start the service', (clicks) => signIn(pages, clicks));
    const issue = await context.newPage();
    await step('Add the label', async () => {
      await addLabel(issue, /http:\S+pocket-duration/.exec(github ?? '')?.[0] ?? '');
      await openSession(pages);
    });
    await step('Answer the question', () => answerQuestion(pages));
    await step('Review the pull request', () => reviewAndMerge(pages, issue));
    // The checkout in which the test runs is installed.
    expect(['Install', ...walked]).toEqual(STEPS.map(([title]) => title));

    const environment = { PATH: process.env['PATH'] ?? '', ...listening() };
    const { code, stdout } = await runProgram(['doctor'], { environment, directory });
    expect([code, stdout.match(/^(?:WARNING|FAULT|hint|-) .*/gm)]).toEqual([0, null]);
  }, 600_000);
});

/** Resolves once it has ended. */
function ended(child: ChildProcess): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const exit = new Promise((done) => {
    child.once('exit', done);
  });
  child.kill('SIGTERM');
  return exit;
}

// Someone who has just cloned the repository, with the commands of docs/getting-started.md and a browser.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { freePort } from '../../playground/free-port.ts';
import { SAMPLE } from '../../playground/sample/index.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { CHROMIUM, describeInBrowser } from '../web/people/phone.ts';

const DOCUMENT = readFileSync('docs/getting-started.md', 'utf8');
const SCRIPTS = (
  JSON.parse(readFileSync('package.json', 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  }
).scripts;

/** Its commands, in order. */
const COMMANDS = [...DOCUMENT.matchAll(/^ {4}(npm .+)$/gm)].map(([, command = '']) => command);

const PATIENCE_MS = 60_000;

describeInBrowser('someone who follows docs/getting-started.md', () => {
  const running: ChildProcess[] = [];
  const directory = temporaryDirectory();
  let browser: Browser;
  let context: BrowserContext;
  let ports: { readonly github: string; readonly service: string; readonly pages: string };

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false });
    context = await browser.newContext();
    const port = async (): Promise<string> => String(await freePort());
    ports = { github: await port(), service: await port(), pages: await port() };
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all(running.map(ended));
  });

  /** Starts an npm script; resolves with what it printed up to `line`. */
  function start(script: string, line: RegExp, ...more: readonly string[]): Promise<string> {
    const [, program = '', ...words] = SCRIPTS[script]?.split(' ') ?? [];
    const child = spawn(process.execPath, [resolve(program), ...words, ...more], {
      cwd: directory,
      env: { PATH: process.env['PATH'] ?? '', PORT: ports.service, PAGES_PORT: ports.pages },
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
      child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${output}`)));
    });
  }

  const linkIn = (output: string): string => /http:[^\s"]+token=[^\s"]+/.exec(output)?.[0] ?? '';

  async function createApp(link: string): Promise<void> {
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole('button', { name: 'Create the App on GitHub' }).click();
    await page.getByRole('button', { name: 'Create GitHub App' }).click();
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: 'Install it on your repositories' }).click();
    await (await opened).getByRole('button', { name: 'Install on example' }).click();
    await page.getByText('GitHub reaches me').first().waitFor({ timeout: PATIENCE_MS });
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByRole('link', { name: 'Sign in with GitHub' }).click();
    await page.getByRole('button', { name: /^Authorize/ }).click();
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
  }

  it('comes to a merged pull request', async () => {
    expect(COMMANDS).toEqual([
      'npm install',
      'npm run github',
      'npm run model',
      'npm run setup -- --org example',
      'npm start',
    ]);
    const webhook = `http://127.0.0.1:${ports.service}/api/github/webhooks`;
    const github = await start('github', /Ctrl-C/, '--port', ports.github, '--webhook', webhook);
    const model = await start('model', /OPENAI_BASE_URL=.*\n/);
    const lines = [/^GHE_\w+=.*/gm, /^(?:MODEL|OPENAI_\w+)=.*/gm].flatMap((wanted) =>
      `${github}\n${model}`.match(wanted),
    );
    expect(lines).toHaveLength(5);
    writeFileSync(join(directory, '.env'), lines.join('\n'));

    await createApp(linkIn(await start('setup', /token=\S+/, '--org', 'example')));
    const link = linkIn(await start('start', /session pages are ready/));
    const pages = await context.newPage();
    await pages.goto(link);
    await signIn(pages);

    const issue = await context.newPage();
    await issue.goto(/http:\S+pocket-duration/.exec(github)?.[0] ?? '');
    await issue.getByRole('link', { name: SAMPLE.issue.title }).click();
    expect(await issue.getByLabel('Label', { exact: true }).inputValue()).toBe(SAMPLE.label);
    await issue.getByRole('button', { name: 'Add' }).click();

    // The page of the session is live.
    await pages.goto(`http://127.0.0.1:${ports.pages}/sessions`);
    const session = pages.getByRole('link', { name: SAMPLE.issue.title });
    while (!(await session.isVisible())) await pages.reload();
    await session.click();
    const shows = (words: string | RegExp): Promise<void> =>
      pages.getByText(words).first().waitFor({ timeout: PATIENCE_MS });
    const answer = pages.getByRole('textbox');
    await answer.waitFor({ timeout: PATIENCE_MS });
    await answer.fill(SAMPLE.answer);
    await pages.getByRole('button', { name: 'Answer' }).click();
    await shows('Ready for review');

    const pull = await context.newPage();
    await pull.goto(issue.url().replace(/issues\/1$/, 'pull/2'));
    await pull.getByLabel('Review', { exact: true }).fill(SAMPLE.review);
    await pull.getByRole('button', { name: 'Request changes' }).click();
    await shows(/^Run 3 finished/);
    await pull.reload();
    expect(await pull.locator('a[href*="/commit/"]').count()).toBeGreaterThan(1);
    await pull.getByRole('button', { name: 'Merge pull request' }).click();
    await shows('Merged');
    await issue.reload();
    await issue
      .getByText(/^Merged/)
      .first()
      .waitFor();
  }, 240_000);
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

import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import {
  startLocalGitHub,
  type LocalGitHub,
} from '../../packages/local-github/src/github/local-github.ts';
import type { Repository } from '../../packages/local-github/src/github/state.ts';
import { readAppManifest } from '../../src/commands/app-manifest.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { EventProxy } from '../support/event-proxy.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { runProgram } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const CHROMIUM = '/usr/bin/chromium';
// Without a browser there is nothing to click with; in CI that is a fault.
const hasBrowser = existsSync(CHROMIUM) || process.env['CI'] !== undefined;
const describeInBrowser = hasBrowser ? describe : describe.skip;

/** `issuewright setup` while it runs. */
interface Running {
  readonly child: ChildProcess;
  readonly link: string;
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>;
  /** What it printed. */
  readonly output: () => string;
}

let github: LocalGitHub;
let repository: Repository;
let directory: string;
let environment: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  github = await startLocalGitHub({
    directory: temporaryDirectory(),
    app: { id: 1, slug: 'old', name: 'Old', privateKeyPem: PRIVATE_KEY, webhookSecret: 'old' },
    users: [{ login: 'octo-maintainer' }],
  });
  repository = await github.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words' },
    collaborators: { 'octo-maintainer': 'admin' },
    installationId: null,
  });
});
beforeEach(async () => {
  directory = temporaryDirectory();
  environment = {
    PATH: process.env['PATH'] ?? '',
    GHE_HOST: new URL(github.url).host,
    GHE_PROTOCOL: 'http',
    PORT: String(await freePort()),
  };
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await github.close();
});

async function start(...words: readonly string[]): Promise<Running> {
  const child = spawn(process.execPath, [resolve('bin/issuewright.js'), 'setup', ...words], {
    cwd: directory,
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  const ended = new Promise<number | null>((resolved) => child.once('exit', resolved));
  const lines: string[] = [];
  const link = await new Promise<string>((found, reject) => {
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => {
        lines.push(line);
        const [address] = /http:\S+token=\S+/.exec(line) ?? [];
        if (address !== undefined) found(address);
      });
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${lines.join('\n')}`)));
  });
  return { child, link, ended, output: () => lines.join('\n') };
}

describeInBrowser(`issuewright setup, in a browser (needs ${CHROMIUM})`, () => {
  let browser: Browser;
  let page: Page;
  let axe: string;
  const faults: string[] = [];

  beforeAll(async () => {
    axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
    browser = await chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: false });
  });
  beforeEach(async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    context.setDefaultTimeout(PATIENCE_MS);
    page = await context.newPage();
    page.on('console', (message) => faults.push(message.text()));
    page.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
    });
    page.on('pageerror', (error) => faults.push(error.message));
  });
  afterAll(() => browser.close());

  const violations = async (): Promise<readonly string[]> => {
    await page.evaluate(axe);
    const results = (await page.evaluate('axe.run()')) as AxeResults;
    return results.violations.map(({ id }) => id);
  };
  const install = async (): Promise<void> => {
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: /Install it/ }).click();
    const installing = await opened;
    await installing.getByRole('button', { name: 'Install on example' }).click();
    await installing.getByText('Installed on example').waitFor();
  };

  it('creates the App, keeps its secrets, waits for the installation and the first webhook', async () => {
    writeFileSync(
      join(directory, '.env'),
      '# mine\nMODEL=openai:gpt-5.2\nOPENAI_API_KEY=sk-1\nAPP_ID=\n',
    );
    const { link, ended, output } = await start('--org', 'example');
    await page.goto(link);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Create the App on GitHub' }).click();
    await page.getByRole('button', { name: 'Create GitHub App' }).click();
    // From then on the page changes only with the installation.
    await page.getByText('first webhook has arrived').waitFor();
    expect(await violations()).toEqual([]);
    await install();
    await page.getByRole('heading', { name: 'GitHub reaches me' }).waitFor();
    expect(await violations()).toEqual([]);

    const code = await ended;
    expect({ code, output: output() }).toEqual({
      code: 0,
      output: expect.stringMatching(
        /issuewright-example is created, and installed on example\. GitHub reaches me\./,
      ),
    });
    const text = readFileSync(join(directory, '.env'), 'utf8');
    const { app } = github.appOwner;
    expect(text).toMatch(/^# mine\nMODEL=openai:gpt-5\.2\nOPENAI_API_KEY=sk-1\nAPP_ID=\d+\n/);
    expect(parseEnv(text)).toEqual({
      MODEL: 'openai:gpt-5.2',
      OPENAI_API_KEY: 'sk-1',
      APP_ID: String(app.id),
      PRIVATE_KEY_PATH: './private-key.pem',
      WEBHOOK_SECRET: app.webhookSecret,
      CLIENT_ID: `Iv23local${app.id}`,
      CLIENT_SECRET: app.clientSecret,
      ALLOWED_OWNERS: 'example',
      GHE_HOST: environment['GHE_HOST'],
      GHE_PROTOCOL: 'http',
    });
    const { default_permissions: permissions, default_events: events } = readAppManifest();
    expect([app.permissions, app.events]).toEqual([permissions, events]);
    expect(app.callbackUrls).toEqual(['http://127.0.0.1:3001/sign-in/callback']);
    expect(output()).not.toContain(app.webhookSecret);
    expect(output()).not.toContain(app.clientSecret);
    for (const file of await readdir(directory))
      expect([file, statSync(join(directory, file)).mode & 0o777]).toEqual([file, 0o600]);
    expect(faults).toEqual([]);

    expect(repository.labels.map(({ name }) => name)).toContain('issuewright');
    const { stdout } = await runProgram(['doctor', '--json'], { environment, directory });
    const { findings } = JSON.parse(stdout) as {
      findings: { check: string; state: string; text: string }[];
    };
    // What the listener of the setup answered with 503.
    expect(findings.find(({ check }) => check === 'deliveries')).toMatchObject({
      state: 'hint',
      text: expect.stringMatching(/wait for the service, which has not run yet: [1-9]/),
    });
    const checks = ['secrets', 'app', 'permissions', 'events', 'installations', 'webhook', 'label'];
    expect(
      findings.filter(({ check }) => checks.includes(check)).map(({ state }) => state),
    ).toEqual(checks.map(() => 'ok'));
  });

  it('asks for the address of this machine, and rejects an invalid one', async () => {
    environment['GHE_HOST'] = 'github.example.com';
    const { child, link, ended, output } = await start();
    await page.goto(link);
    expect(await violations()).toEqual([]);
    await page.getByLabel('Address').fill('ftp://bot.example.com');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Address').fill('https://bot.example.com/');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('https://bot.example.com/api/github/webhooks').waitFor();
    child.kill('SIGINT');
    const code = await ended;
    expect([code, output()]).toEqual([1, expect.stringMatching(/Nothing was created\.$/)]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('gets its first webhook through a proxy that drops the connection on the way', async () => {
    const proxy = await EventProxy.open();
    try {
      const { link, ended, output } = await start('--org', 'example', '--tunnel', proxy.url);
      await page.goto(link);
      await page.getByText(proxy.url).waitFor();
      proxy.drop();
      await proxy.untilConnected(2);
      await page.getByRole('button', { name: 'Create the App on GitHub' }).click();
      await page.getByRole('button', { name: 'Create GitHub App' }).click();
      await page.getByText('first webhook has arrived').waitFor();
      await install();
      await page.getByRole('heading', { name: 'GitHub reaches me' }).waitFor();
      const code = await ended;
      expect([code, github.appOwner.webhookUrl]).toEqual([0, proxy.url]);
      expect(output()).toMatch(/The tunnel broke \(the proxy closed the connection\)/);
      expect(output()).toMatch(/GitHub reaches me\./);
    } finally {
      proxy.close();
    }
  });

  it('finds the address that the command of a tunnel prints', async () => {
    const address = `http://127.0.0.1:${environment['PORT']}`;
    const command = `echo 'read https://tunnel.example.com/docs'; echo '| ${address} |'; exec sleep 600`;
    const { child, link, ended } = await start('--tunnel', command);
    await page.goto(link);
    await page.getByText(`${address}/api/github/webhooks`).waitFor();
    child.kill('SIGINT');
    await ended;
  });
});

/** As a page elsewhere would reach it, whose name leads to this machine (DNS rebinding). */
const statusUnder = (host: string, address: string, cookie: string) =>
  new Promise<number | undefined>((done, reject) => {
    get(address, { headers: { host, cookie } }, (response) => {
      response.resume();
      done(response.statusCode);
    }).once('error', reject);
  });

describe('issuewright setup', () => {
  it('answers nobody but whoever opened its link, which works once', async () => {
    const { child, link, ended } = await start();
    const { origin } = new URL(link);
    const open = (address: string, headers = {}) => fetch(address, { redirect: 'manual', headers });
    expect((await open(`${origin}/setup`)).status).toBe(401);
    expect((await open(`${origin}/?token=wrong`)).status).toBe(401);
    // A program that shows what a link leads to uses nothing up.
    expect((await fetch(link, { method: 'HEAD', redirect: 'manual' })).status).toBe(401);
    const opened = await open(link);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect([opened.status, (await open(`${origin}/setup`, { cookie })).status]).toEqual([303, 200]);
    expect((await open(link)).status).toBe(401);
    expect(await statusUnder('evil.example.com', `${origin}/setup`, cookie)).toBe(403);
    const giveAddress = async (from: Record<string, string>) => {
      const body = new URLSearchParams({ address: 'https://evil.example.com' });
      const headers = { cookie, ...from };
      return (await fetch(`${origin}/setup/address`, { method: 'POST', headers, body })).status;
    };
    // Pages of other ports of this machine have the same cookies.
    for (const from of [{}, { origin: 'http://127.0.0.1:1' }, { 'sec-fetch-site': 'same-site' }])
      expect(await giveAddress(from)).toBe(403);
    expect(await (await open(`${origin}/setup`, { cookie })).text()).not.toContain('evil');
    const answer = await open(`${origin}/setup/created?code=abc&state=guessed`, { cookie });
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringMatching(/was ignored/),
    ]);
    expect(await readdir(directory)).toEqual([]);
    child.kill('SIGINT');
    await ended;
  });

  it.each([
    ['.env', 'APP_ID=12\n', /\.env has the settings of an App \(APP_ID 12\).*--replace/],
    ['private-key.pem', 'a key', /there is a key, private-key\.pem.*--replace/],
  ])('replaces no %s without being asked to', async (file, text, why) => {
    writeFileSync(join(directory, file), text);
    const { code, stderr } = await runProgram(['setup'], { environment, directory });
    expect([code, stderr]).toEqual([1, expect.stringMatching(why)]);
    expect(readFileSync(join(directory, file), 'utf8')).toBe(text);
  });

  it('prints the manifest, and does nothing', async () => {
    const words = ['setup', '--manifest', '--name', 'my-bot', '--url', 'https://bot.example.com'];
    const { code, stdout } = await runProgram(words, { environment, directory });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ...readAppManifest(),
      name: 'my-bot',
      hook_attributes: { url: 'https://bot.example.com/api/github/webhooks', active: true },
      callback_urls: ['http://127.0.0.1:3001/sign-in/callback'],
    });
    expect(await readdir(directory)).toEqual([]);
  });
});

// `./issuewright github` as a newcomer walks it: the printed environment, a service, a pull request, and
// a power cut of the local GitHub.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { afterAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../src/free-port.ts';
import { SAMPLE, startModelServer } from '../src/index.ts';
import { ServiceProcess } from '../src/service-process.ts';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const LAUNCHER = path.resolve('bin/issuewright.js');
const REPOSITORY = `${SAMPLE.owner}/${SAMPLE.name}`;
const ended: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const end of ended.toReversed()) await end();
});

const run = (...words: string[]): ChildProcess =>
  spawn(process.execPath, [LAUNCHER, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });

interface Started {
  readonly url: string;
  readonly environment: NodeJS.Dict<string>;
  kill(): Promise<void>;
}

async function startGitHub(...words: string[]): Promise<Started> {
  const child = run('github', ...words);
  let printed = '';
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  ended.push(kill);
  for await (const chunk of child.stdout ?? []) {
    printed += String(chunk);
    if (printed.includes('Ctrl-C')) break;
  }
  const environment = parseEnv(printed);
  return { url: `http://${environment['GHE_HOST']}`, environment, kill };
}

async function post(url: string, form: Record<string, string>): Promise<void> {
  const { status } = await fetch(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: new URL(url).origin },
    body: new URLSearchParams({ as: SAMPLE.maintainer, ...form }),
  });
  expect(status).toBe(303);
}

const read = async (url: string, headers: Record<string, string> = {}): Promise<string> =>
  (await fetch(url, { headers })).text();

async function untilPage(
  url: string,
  pattern: RegExp,
  headers?: Record<string, string>,
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!pattern.test(await read(url, headers))) {
    if (Date.now() > deadline) throw new Error(`${url} never showed ${String(pattern)}`);
    await pause(100);
  }
}

/** All that the REST API says of the repository, once it knows whether the pull request can be merged. */
async function everything(url: string): Promise<unknown[]> {
  const headers = {
    authorization: `Bearer user_${SAMPLE.maintainer}`,
    accept: 'application/vnd.github.full+json',
  };
  const pull = `${url}/api/v3/repos/${REPOSITORY}/pulls/2`;
  await untilPage(pull, /"mergeable":\s*(?:true|false)/, headers);
  const paths = ['', '/issues?state=all', '/issues/1/comments', '/issues/1/events', '/pulls/2'];
  const more = ['/pulls/2/commits', '/branches', '/issues/1/reactions', '/issues/1/labels'];
  return Promise.all(
    [...paths, ...more].map(async (one) =>
      (await fetch(`${url}/api/v3/repos/${REPOSITORY}${one}`, { headers })).json(),
    ),
  );
}

describe('./issuewright github', () => {
  it('serves a service with what it prints, and has everything again after kill -9', async () => {
    const folder = temporaryDirectory();
    // One that is still free when it returns.
    const port = String(await freePort());
    const data = ['--data', path.join(folder, 'github'), '--port', port];
    const github = await startGitHub(...data);
    const keyFile = github.environment['PRIVATE_KEY_PATH'] ?? '';
    expect((await stat(keyFile)).mode & 0o777).toBe(0o600);

    const model = await startModelServer({ scripts: [SAMPLE.script] });
    ended.push(() => model.close());
    const service = ServiceProcess.spawn({
      PATH: process.env['PATH'] ?? '',
      ...(github.environment as Record<string, string>),
      DATA_DIR: path.join(folder, 'service'),
      HOST: '127.0.0.1',
      PORT: '0',
      PAGES_PORT: '0',
      MODEL: 'openai:scripted',
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${model.url}/v1`,
      CONTENT_LIMITS: 'none',
    });
    await service.untilReady();
    ended.push(() => service.stop());
    const { url: serviceUrl } = JSON.parse(await service.untilLogged(/"Issuewright is ready"/));
    await github.kill();
    const announced = JSON.parse(await service.untilLogged(/"session pages are ready"/));
    const { link } = announced as { link: string };
    const opened = await fetch(link, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/sessions']);
    const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
    expect((await fetch(new URL('/sessions', link), { headers: { cookie } })).status).toBe(200);

    // The service has its port now: the same GitHub, with its webhooks sent there.
    const webhook = `${serviceUrl}/api/github/webhooks`;
    const again = await startGitHub(...data, '--webhook', webhook);
    expect(again.environment).toEqual(github.environment);
    const issue = `${again.url}/ui/${REPOSITORY}/1`;
    await post(`${issue}/label`, { label: SAMPLE.label });
    await untilPage(`${again.url}/${REPOSITORY}/issues/1`, /issuewright<\/b>[^]*\?/);
    await untilPage(`${again.url}/${REPOSITORY}/issues/1`, /two largest units/i);
    await post(`${issue}/comment`, { body: SAMPLE.answer });
    await untilPage(`${again.url}/${REPOSITORY}`, /\/pull\/2"/);
    await service.stop();

    await post(`${issue}/comment`, { body: 'The last word before the power cut.' });
    const before = await everything(again.url);
    await again.kill();
    const last = await startGitHub(...data);
    expect(await everything(last.url)).toEqual(before);
    expect(await read(`${last.url}/${REPOSITORY}/issues/1`)).toContain('The last word before');
    await last.kill();
  });

  it('rejects a broken file with an explanation, and leaves it as it is', async () => {
    const folder = temporaryDirectory();
    const first = await startGitHub('--data', folder, '--port', '0');
    await first.kill();
    await writeFile(path.join(folder, 'world.json'), '{"version":1');
    const child = run('github', '--data', folder, '--port', '0');
    const [words, [code]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
    expect(code).toBe(1);
    expect(words).toMatch(/world\.json cannot be read .*Restore it from a copy/);
  });

  it('says what it can start', async () => {
    const child = run('github', '--help');
    const words = await text(child.stdout!);
    for (const name of ['demo', 'github', 'model']) expect(words).toContain(`issuewright ${name}`);
  });
});

// A local GitHub in a directory of its own, a repository on it, and real clients for it.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ProbotOctokit } from 'probot';
import { startLocalGitHub } from '../src/index.ts';
import type { LocalGitHub } from '../src/index.ts';
import { PRIVATE_KEY } from '../../../test/support/private-key.ts';

export const SECRET = 'a secret of the tests';
export const APP_ID = 4242;

interface Received {
  event: string;
  guid: string;
  signature: string;
  text: string;
  payload: Record<string, unknown>;
}

export interface Playground {
  github: LocalGitHub;
  directory: string;
  received: Received[];
  /** The status that the App's webhook answers with. */
  answerWith: (status: number) => void;
  close: () => Promise<void>;
}

export async function startPlayground(
  options: { permissions?: Record<string, 'read' | 'write'>; events?: string[] } = {},
): Promise<Playground> {
  const directory = await mkdtemp(path.join(tmpdir(), 'playground-test-'));
  const received: Received[] = [];
  let status = 202;
  const app = http.createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const header = (name: string): string => String(request.headers[name]);
      received.push({
        event: header('x-github-event'),
        guid: header('x-github-delivery'),
        signature: header('x-hub-signature-256'),
        text,
        payload: JSON.parse(text),
      });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
  const github = await startLocalGitHub({
    directory: path.join(directory, 'repositories'),
    app: {
      id: APP_ID,
      slug: 'issuewright',
      name: 'Issuewright',
      privateKeyPem: PRIVATE_KEY,
      webhookSecret: SECRET,
      callbackUrls: ['http://127.0.0.1:3001/sign-in/callback'],
      webhookUrl: `http://127.0.0.1:${(app.address() as AddressInfo).port}/`,
      ...options,
    },
    users: [{ login: 'maintainer' }, { login: 'helper' }, { login: 'stranger' }],
  });
  await github.createRepository({
    owner: 'example',
    name: 'words',
    files: { 'README.md': '# Words\n', 'src/index.js': 'export const one = 1;\n' },
    collaborators: { maintainer: 'admin', helper: 'triage' },
  });
  return {
    github,
    directory,
    received,
    answerWith: (code) => (status = code),
    close: async () => {
      await github.close().finally(() => app.close());
      await rm(directory, { recursive: true });
    },
  };
}

const Octokit = ProbotOctokit.defaults((defaults: object) => ({
  ...defaults,
  throttle: { enabled: false },
  retry: { enabled: false },
}));
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** Probot's own client as the App, an installation of it, or a person. */
export const asApp = (github: LocalGitHub, prefix = '') =>
  new Octokit({
    baseUrl: github.url + prefix,
    auth: { appId: APP_ID, privateKey: PRIVATE_KEY },
    log: silent,
  });

export const asInstallation = (github: LocalGitHub, prefix = '') =>
  new Octokit({
    baseUrl: github.url + prefix,
    auth: { appId: APP_ID, privateKey: PRIVATE_KEY, installationId: 1 },
    log: silent,
  });

export const withToken = (github: LocalGitHub, token: string) =>
  new Octokit({ baseUrl: github.url, auth: { token }, log: silent });

export async function mintToken(
  github: LocalGitHub,
  wanted: { repositories?: string[]; permissions?: Record<string, 'read' | 'write'> } = {},
): Promise<string> {
  const { data } = await asApp(github).rest.apps.createInstallationAccessToken({
    installation_id: 1,
    ...wanted,
  });
  return data.token;
}

/** Native git, with no configuration of the machine's. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  const person = { NAME: 'Maintainer', EMAIL: 'maintainer@example.test' };
  const { stdout } = await promisify(execFile)('git', ['-C', directory, ...args], {
    env: {
      PATH: process.env['PATH'],
      HOME: directory,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: person.NAME,
      GIT_AUTHOR_EMAIL: person.EMAIL,
      GIT_COMMITTER_NAME: person.NAME,
      GIT_COMMITTER_EMAIL: person.EMAIL,
    },
  });
  return stdout.trim();
}

export const remote = (github: LocalGitHub, token: string): string =>
  `${github.url.replace('http://', `http://x-access-token:${token}@`)}/example/words.git`;

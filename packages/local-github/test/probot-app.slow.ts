// A real App on the local GitHub: `probot run`, as a process of its own, with an App that has nothing of ours.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../src/free-port.ts';
import { startLocalGitHub, type LocalGitHub } from '../src/index.ts';
import type { Repository } from '../src/github/state.ts';
import { PATIENCE_MS } from '../../../test/support/patience.ts';
import { PRIVATE_KEY } from '../../../test/support/private-key.ts';

const app = {
  id: 7,
  slug: 'welcome',
  name: 'Welcome',
  privateKeyPem: PRIVATE_KEY,
  webhookSecret: 'a secret of the tests',
};

describe('an App that Probot runs', () => {
  let directory: string;
  let github: LocalGitHub;
  let repository: Repository;
  let probot: ChildProcess;
  let log = '';

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'probot-app-'));
    const port = await freePort();
    github = await startLocalGitHub({
      directory: path.join(directory, 'repositories'),
      app: {
        ...app,
        webhookUrl: `http://127.0.0.1:${port}/hooks`,
        permissions: {
          contents: 'read',
          issues: 'write',
          pull_requests: 'write',
          checks: 'write',
          statuses: 'write',
          metadata: 'read',
        },
      },
      users: [{ login: 'maintainer' }],
    });
    repository = await github.createRepository({
      owner: 'example',
      name: 'words',
      files: { 'README.md': '# Words\n', '.github/welcome.yml': 'greeting: Good day!\n' },
      collaborators: { maintainer: 'admin' },
    });
    probot = await startApp(directory, {
      APP_ID: String(app.id),
      PRIVATE_KEY,
      WEBHOOK_SECRET: app.webhookSecret,
      WEBHOOK_PATH: '/hooks',
      GHE_HOST: new URL(github.url).host,
      GHE_PROTOCOL: 'http',
      HOST: '127.0.0.1',
      PORT: String(port),
    });
  });
  afterAll(async () => {
    const ended = once(probot, 'exit');
    probot.kill();
    await ended;
    try {
      await github.close();
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  async function startApp(
    at: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<ChildProcess> {
    await copyFile(path.join(import.meta.dirname, 'welcome-app.js'), path.join(at, 'app.mjs'));
    await symlink(path.resolve('node_modules'), path.join(at, 'node_modules'));
    const words = [path.resolve('node_modules/probot/bin/probot.js'), 'run', './app.mjs'];
    const env = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', ...environment };
    const child = spawn(process.execPath, words, {
      cwd: at,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const listens = new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        log += chunk.toString();
        if (log.includes('Listening on')) resolve();
      };
      child.stdout.on('data', read);
      child.stderr.on('data', read);
      child.once('exit', () => reject(new Error(`Probot ended:\n${log}`)));
    });
    await listens;
    return child;
  }

  const until = <T>(what: string, predicate: () => T) =>
    github.waitFor(predicate, { what: () => `${what}\n${log}`, timeoutMs: PATIENCE_MS });

  it('comments on a new issue with the words of its configuration, and labels it', async () => {
    github.as('maintainer').openIssue(repository, { title: 'One', body: 'x' });
    const [issue] = repository.issues;
    await until('the label', () => issue?.labels.some(({ name }) => name === 'welcome'));
    expect(repository.comments).toMatchObject([
      { body: 'Good day!', author: { login: 'welcome[bot]', type: 'Bot' } },
    ]);
  });

  it('follows a command in a comment, over all pages of comments', async () => {
    const [issue] = repository.issues;
    github.as('maintainer').comment({ repository, number: 1 }, 'Please:\n/label bug, help wanted');
    const reacted = await until('the reaction', () =>
      repository.comments.find(({ reactions }) => reactions.length > 0),
    );
    expect(reacted.reactions).toMatchObject([{ content: 'rocket', user: { type: 'Bot' } }]);
    expect(issue?.labels.map(({ name }) => name)).toEqual(['welcome', 'bug', 'help wanted']);
  });

  it('gives the head of a pull request a check and a status', async () => {
    const maintainer = github.as('maintainer');
    const files = { 'one.txt': 'one\n', 'two.txt': 'two\n' };
    await maintainer.push(repository, { branch: 'more', files, message: 'More' });
    await maintainer.openPull(repository, { head: 'more', base: 'main', title: 'More', body: '' });
    const { statuses, runs } = repository.checks;
    await until('the status', () => statuses.some(({ state }) => state === 'success'));
    expect(runs).toMatchObject([
      { name: 'welcome', conclusion: 'success', output: { summary: '2 files' } },
    ]);
  });
});

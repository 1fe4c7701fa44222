import { rm, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { forgeFor } from '../../../../src/app/run/ports/forge.ts';
import { branchOf } from '../../../../src/session/github-names.ts';
import { createGitHub } from '../../../../src/github/index.ts';
import { createRedactor } from '../../../../src/lib/text/redact.ts';
import { startLocalGitHub, type LocalGitHub } from '../../../../packages/local-github/src/index.ts';
import type { Repository } from '../../../../packages/local-github/src/github/state.ts';
import { isPull } from '../../../../packages/local-github/src/github/state.ts';
import type { Forge } from '../../../../src/contracts/forge.ts';
import { forgeContract, type ForgeWorld } from '../../../contract/forge.ts';
import { Journal } from '../../../support/journal.ts';
import { PRIVATE_KEY } from '../../../support/private-key.ts';

const APP = { id: 1, slug: 'issuewright', name: 'Issuewright', privateKeyPem: PRIVATE_KEY };

/** The pull requests of these sessions are based on no other. */
const notNeeded = () => Promise.reject(new Error('not based on another pull request'));

describe('the forge of a session, on the local GitHub', () => {
  let directory: string;
  let local: LocalGitHub;
  let repository: Repository;
  let branches = 0;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'issuewright-forge-'));
    const app = { ...APP, webhookSecret: 'a-secret-of-this-test' };
    local = await startLocalGitHub({ directory, app, users: [{ login: 'example-visitor' }] });
    repository = await local.createRepository({
      owner: 'example',
      name: 'thing',
      files: { 'README.md': '# Thing\n' },
      collaborators: { 'octo-maintainer': 'admin' },
    });
  });
  afterAll(async () => {
    await local.close();
    await rm(directory, { recursive: true });
  });

  const open = async (files: Record<string, string> | undefined): Promise<Forge> => {
    const journal = new Journal({ issue: 1000 + (branches += 1) }).start();
    const branch = branchOf(journal.session);
    const main = await repository.git.resolve('refs/heads/main');
    if (files === undefined) await repository.git.setRef(`refs/heads/${branch}`, main ?? '');
    else await local.as('octo-maintainer').push(repository, { branch, files, message: 'Work' });
    const github = createGitHub({
      appId: APP.id,
      privateKey: PRIVATE_KEY,
      webhookSecrets: ['a-secret-of-this-test'],
      enterprise: { host: new URL(local.url).host, protocol: 'http' },
      linkHosts: ['work.example.com'],
      log: pino({ level: 'silent' }),
      redactor: createRedactor(),
    });
    const ref = { id: repository.id, owner: 'example', name: 'thing' };
    const head = await repository.git.head(branch);
    const session = { ...journal.session, work: { ...journal.session.work, head } };
    const parts = {
      tracker: { id: `s${branches}`, session, append: notNeeded },
      store: {
        sessionFor: notNeeded,
        publications: async () => [],
        savePublication: async () => 'saved' as const,
      },
      github: github.repository(1, ref),
      redact: (text: string) => text,
      pageUrl: (id: string) => `https://work.example.com/sessions/${id}`,
    };
    return forgeFor(parts, {
      destination: { baseBranch: 'main', draft: true, reviewers: [] },
      paths: { deny: ['*.pem'] },
    });
  };
  const pull = (number: number) =>
    repository.issues.filter(isPull).find((one) => one.number === number)?.pull;
  const world: ForgeWorld = {
    withCommit: () => open({ 'a.txt': 'a\n' }),
    withoutCommit: () => open(undefined),
    isDraft: (number) => pull(number)?.draft === true,
    reviewersOf: (number) => pull(number)?.requestedReviewers.map(({ login }) => login) ?? [],
    openIssue: (title, author, body, labels = []) => {
      const { number } = local.as(author).openIssue(repository, { title, body });
      if (labels.length > 0) local.as('octo-maintainer').label({ repository, number }, ...labels);
      return number;
    },
    comment: (number, author, text) => {
      local.as(author).comment({ repository, number }, text);
    },
    commentsOn: (number) =>
      repository.comments.filter((one) => one.issueNumber === number).map(({ body }) => body),
  };
  forgeContract(() => world);

  it('leads from the first body of a pull request to all of its session', async () => {
    const forge = await open({ 'a.txt': 'a\n' });
    const { number } = await forge.openPullRequest({ title: 'Add a file', body: 'It is there.' });
    const opened = repository.issues.find((one) => one.number === number);
    expect(opened?.body).toMatch(/\(https:\/\/work\.example\.com\/sessions\/s\d+\)/);
  });

  it('shows of a file that the settings close only that it changed', async () => {
    const forge = await open({ 'keys/a.pem': 'secret\n', 'b.txt': 'b\n' });
    const [commit] = await forge.log({ limit: 1 });
    const { files: changed } = await forge.branchChange();
    for (const files of [changed, await forge.commitDiff(commit?.sha ?? '')])
      expect(files).toEqual([
        expect.objectContaining({ path: 'b.txt', hunks: '@@ -0,0 +1 @@\n+b\n' }),
        { path: 'keys/a.pem', status: 'added', why: 'closed' },
      ]);
  });
});

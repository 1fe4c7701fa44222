// kill -9 while a sparse workspace is opened, changed and published; and what the tools know of git, in one that is.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sweepWorkspaces } from '../../../src/workspace/temporary-directory.ts';
import { gitContract } from '../../contract/git.ts';
import { cases } from '../../support/cases.ts';
import { faultsIn } from '../../support/fsck.ts';
import { startGitServer } from '../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../support/git-server.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { open } from '../support.ts';
import { killInEachPhase, SessionProcess } from './session-scene.ts';

const TIMEOUT_MS = 600_000;
const TIMES = cases(1, 10);
const git = { engine: 'native', maxBytes: 2 ** 28 } as const;
const sparse = ['services/billing'];
const many = (directory: string): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 200 }, (_, at) => [`${directory}/file-${at}.txt`, `${at}\n`.repeat(50)]),
  );
const FILES = { 'README.md': 'Sample\n', ...many('services/billing'), ...many('web') };

let server: GitServer;
beforeAll(async () => (server = await startGitServer()));
afterAll(async () => server.close());

let repository: TestRepository;
beforeAll(() => {
  const files = { 'README.md': 'Sample\n', 'web/index.html': 'web\n' };
  repository = server.createRepository('octo/contract', files);
});

gitContract('the git of a sparse workspace', async () => {
  for (const branch of repository.git('branch', '--format=%(refname:short)').split('\n'))
    if (branch !== 'main') repository.git('branch', '-q', '-D', branch);
  const workspace = await open(server, repository, { git, sparse });
  expect(workspace.outside).toContain('web');
  return {
    files: workspace.files,
    git: workspace.git,
    denyPushes: (words) => repository.denyPushes(words),
    close: () => workspace.close(),
  };
});

it(
  `a process that is killed, ${TIMES} times in each of its phases, leaves nothing that harms the next`,
  async () => {
    const temporary = join(temporaryDirectory(), 'tmp');
    mkdirSync(temporary);
    const killed = server.createRepository('octo/killed-sparse', FILES);
    const commit = killed.head();
    const start = (branch: string): SessionProcess => {
      const { url: remoteUrl } = killed;
      const work = { remoteUrl, token: server.token, commit, branch, git, sparse };
      return new SessionProcess(work, { TMPDIR: temporary });
    };
    await killInEachPhase({
      temporary,
      times: TIMES,
      start: (attempt) => start(`try-${attempt}`),
      look: async (attempt) => {
        const workspace = await open(server, killed, { git, sparse });
        const read = await workspace.files.read('services/billing/file-7.txt');
        expect(Buffer.from(read).toString()).toBe('7\n'.repeat(50));
        expect(await workspace.git.changes()).toEqual([]);
        await workspace.close();
        const isPushed = killed.git('branch', '--list', `try-${attempt}`) !== '';
        const tip = isPushed ? `try-${attempt}` : 'try-0';
        expect(killed.git('diff', '--name-only', 'main', tip)).toBe('file-7.txt');
      },
    });
    expect(faultsIn(killed.directory)).toEqual([]);
    await sweepWorkspaces(() => {}, temporary);
    expect(readdirSync(temporary)).toEqual([]);
  },
  TIMEOUT_MS,
);

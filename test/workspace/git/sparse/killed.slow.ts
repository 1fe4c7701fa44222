// kill -9 while a sparse workspace is opened with a merge, changed and published; and what the tools know of git, in one that is.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { gitContract } from '../../../contract/git.ts';
import { cases } from '../../../support/cases.ts';
import { faultsIn, requireIntactPart } from '../../../support/fsck.ts';
import { nativeGit, startGitServer } from '../../../support/git-server.ts';
import type { GitServer, TestRepository } from '../../../support/git-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { AT, open } from '../../support.ts';
import { killInEachPhase, leftAfterSweep, SessionProcess } from '../session-scene.ts';

const TIMEOUT_MS = 600_000;
const TIMES = cases(1, 10);
const GIT = { engine: 'native', maxBytes: 2 ** 28 } as const;
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
  const workspace = await open(server, repository, { git: GIT, sparse });
  expect(workspace.outside).toContain('web');
  return {
    files: workspace.files,
    git: workspace.git,
    denyPushes: (words) => repository.denyPushes(words),
    close: () => workspace.close(),
  };
});

/** A branch with a change of its own for each attempt, to be merged with `main`, inside and outside. */
function branchOf(repository: TestRepository, attempt: number): string {
  const changed = (end: string) => `${'0\n'.repeat(49)}${end}\n`;
  return repository.commit(
    {
      'services/billing/file-0.txt': changed(`ours ${attempt}`),
      'web/file-0.txt': changed(`ours ${attempt}`),
      [`services/billing/new-${attempt}.txt`]: `${attempt}\n`,
    },
    'work',
  );
}

it(
  `a process that is killed, ${TIMES} times in each of its phases, merging too, leaves nothing that harms the next`,
  async () => {
    const temporary = join(temporaryDirectory(), 'tmp');
    const directory = join(temporaryDirectory(), 'cache');
    mkdirSync(temporary);
    const git = { ...GIT, cache: { directory, maxBytes: 2 ** 28 } };
    const killed = server.createRepository('octo/killed-sparse', FILES);
    nativeGit(killed.checkout, 'branch', 'work');
    const theirs = killed.commit({
      'services/billing/file-0.txt': `theirs\n${'0\n'.repeat(49)}`,
      'services/billing/theirs.txt': 'theirs\n',
      'web/file-0.txt': `theirs\n${'0\n'.repeat(49)}`,
    });
    const merge = { theirs, branch: 'main' };
    const commits = new Map<number, string>();
    await killInEachPhase({
      temporary,
      times: TIMES,
      merges: true,
      start: (attempt) => {
        const commit = branchOf(killed, attempt);
        commits.set(attempt, commit);
        const place = { remoteUrl: killed.url, token: server.token, git, sparse, merge };
        return new SessionProcess(
          { ...place, commit, branch: `try-${attempt}` },
          { TMPDIR: temporary },
        );
      },
      look: async (attempt) => {
        const ours = commits.get(attempt) ?? '';
        const branch = () => `next-${attempt}`;
        const workspace = await open(server, killed, {
          git,
          sparse,
          merge,
          branch,
          baseCommit: ours,
        });
        expect(workspace.merge?.result).toBe('clean');
        expect(await workspace.git.changes()).toEqual([]);
        await workspace.git.commit({ message: 'Merge', at: AT });
        await workspace.close();
        const tree = killed.git('merge-tree', '--write-tree', ours, theirs);
        expect(killed.git('rev-parse', `${branch()}^{tree}`)).toBe(tree);
        const isPushed = killed.git('branch', '--list', `try-${attempt}`) !== '';
        const tip = isPushed ? `try-${attempt}` : 'try-0';
        expect(killed.git('diff', '--name-only', `${tip}^1`, tip)).toContain('file-7.txt');
        expect(killed.git('log', '-1', '--format=%P', tip)).toContain(theirs);
      },
    });
    expect(faultsIn(killed.directory)).toEqual([]);
    const cached = readdirSync(directory).filter((name) => name.endsWith('.git'));
    expect(cached).toHaveLength(1);
    for (const name of cached) requireIntactPart(join(directory, name));
    expect(await leftAfterSweep(temporary)).toEqual([]);
  },
  TIMEOUT_MS,
);

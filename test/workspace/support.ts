import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { ClonedRepository } from '../../src/workspace/git/cloned-repository.ts';
import type { GitPlace } from '../../src/workspace/git/operations.ts';
import { GitThreads } from '../../src/workspace/git/threads.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import type { Workspace, WorkspaceOptions } from '../../src/workspace/workspace.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { gitWithCache } from '../support/git-settings.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

export const BRANCH = 'issuewright/issue-7';
const AUTHOR = { name: 'issuewright[bot]', email: 'bot@example.test' };
export const AT = new Date('2026-01-02T03:04:05Z');

export const GIT = gitWithCache();
const { cache: _cache, ...WITHOUT_CACHE } = GIT;

class TestThreads extends GitThreads {
  #preparing: Promise<unknown> = Promise.resolve();

  override prepare(...asked: Parameters<GitThreads['prepare']>): Promise<string | undefined> {
    const prepared = super.prepare(...asked);
    this.#preparing = Promise.all([this.#preparing, prepared]);
    return prepared;
  }

  async untilPrepared(): Promise<void> {
    await this.#preparing;
  }
}

const threads = new TestThreads();
const alone: ClonedRepository[] = [];
afterAll(async () => {
  await threads.close();
  for (const git of alone) await git.close();
});

/** Opens a workspace at the head of `main`, unless told otherwise. */
export const open = (
  server: GitServer,
  repository: TestRepository,
  options: Partial<WorkspaceOptions> = {},
): Promise<Workspace> =>
  openWorkspace({
    remoteUrl: repository.url,
    credentials: async () => server.token,
    baseCommit: options.baseCommit ?? repository.head(),
    branch: () => BRANCH,
    author: AUTHOR,
    changes: [],
    threads,
    git: GIT,
    installation: 1,
    signal: new AbortController().signal,
    ...options,
  });

/** Resolves when no spare work tree is being made any more for a workspace that was opened, nor room for it in the cache. */
export const untilPrepared = (): Promise<void> => threads.untilPrepared();

/** Does something to the files as a command of the agent does. */
export async function byCommand(
  { commands: { directory, watch } }: Workspace,
  act: (tree: string) => void,
): Promise<void> {
  await watch.begin();
  act(directory);
  await watch.end(async () => []);
}

export const text = (content: string): Uint8Array => Buffer.from(content);

/** What a git thread runs, without the thread, which ends with each failure and takes longer to start than all else. */
export function withoutThread(
  repository: Pick<TestRepository, 'url'>,
  place: Partial<GitPlace> = {},
) {
  const directory = temporaryDirectory();
  const own = { gitdir: join(directory, 'git'), tree: join(directory, 'tree') };
  const whole = { ...WITHOUT_CACHE, remoteUrl: repository.url, author: AUTHOR, ...own, ...place };
  mkdirSync(whole.tree, { recursive: true });
  const git = new ClonedRepository(whole, new AbortController().signal);
  alone.push(git);
  return { git, tree: whole.tree, place: whole };
}

import { afterAll } from '@jest/globals';
import { GitThreads } from '../../src/workspace/git/threads.ts';
import { openWorkspace } from '../../src/workspace/workspace.ts';
import type { Workspace, WorkspaceOptions } from '../../src/workspace/workspace.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';

export const BRANCH = 'issuewright/issue-7';
const AUTHOR = { name: 'issuewright[bot]', email: 'bot@example.test' };
export const AT = new Date('2026-01-02T03:04:05Z');

const threads = new GitThreads();
afterAll(() => threads.close());

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
    signal: new AbortController().signal,
    ...options,
  });

export const text = (content: string): Uint8Array => Buffer.from(content);

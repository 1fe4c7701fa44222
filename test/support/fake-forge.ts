import type { Forge, OpenedPullRequest, Work } from '../../src/tools/ports.ts';
import type { FakeGit } from './fake-git.ts';

export interface FakeForge {
  readonly forge: Forge;
  readonly work: Work;
  pullRequest:
    | (OpenedPullRequest & { readonly title: string; readonly body: string; draft: boolean })
    | undefined;
  /** Whether the journal knows of the pull request: not yet, after a crash in the call that opened it. */
  isJournaled: boolean;
}

/** The pull request of a session, in memory. Refuses one without commits, as GitHub does. */
export function fakeForge(git: FakeGit): FakeForge {
  const fake: FakeForge = {
    pullRequest: undefined,
    isJournaled: true,
    forge: {
      openPullRequest: async ({ title, body }) => {
        if (git.commits.length === 0) throw new Error('no commits between main and the branch');
        fake.pullRequest ??= { number: 7, url: 'https://github.test/7', title, body, draft: true };
        return { number: fake.pullRequest.number, url: fake.pullRequest.url };
      },
      markReady: async (number) => {
        if (fake.pullRequest?.number !== number) throw new Error(`no pull request ${number}`);
        fake.pullRequest.draft = false;
      },
    },
    work: {
      hasCommits: () => git.commits.length > 0,
      openPullRequest: () => (fake.isJournaled ? fake.pullRequest : undefined),
    },
  };
  return fake;
}

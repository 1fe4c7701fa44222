import type { GitHubRepository } from '../github/repository.ts';
import { pullRequestBody } from '../session/views/pull-request-body.ts';
import type { Forge, Work } from '../tools/ports.ts';
import type { JournalTracker } from './journal-tracker.ts';

interface ForgeParts {
  readonly tracker: Pick<JournalTracker, 'id' | 'session'>;
  readonly github: Pick<GitHubRepository, 'openPullRequest' | 'markReady'>;
}

/** The session's one pull request, as the tools may touch it. */
export function forgeFor(
  { tracker, github }: ForgeParts,
  base: { readonly branch: string; readonly baseBranch: string },
): Forge {
  return {
    openPullRequest: async ({ title, body }) => {
      const pullRequest = { number: 0, url: '', title, said: body, state: 'open' } as const;
      return github.openPullRequest({
        session: tracker.id,
        branch: base.branch,
        base: base.baseBranch,
        title,
        body: pullRequestBody({ ...tracker.session, pullRequest }, {}),
        draft: true,
        closes: tracker.session.issue,
      });
    },
    markReady: (number) => github.markReady(number),
  };
}

export const workOf = (tracker: JournalTracker): Work => ({
  hasCommits: () => tracker.session.commits.length > 0,
  openPullRequest: () => {
    const { pullRequest } = tracker.session;
    return pullRequest?.state === 'open' ? pullRequest : undefined;
  },
});

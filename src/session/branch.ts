import type { Session } from './session.ts';

/**
 * The session's branch, with the words that the agent gave it, if any. The number keeps the branches of
 * sessions apart; after a closed pull request there is a new one.
 */
export function branchOf({
  issue,
  closedPullRequests,
  branchWords,
}: Pick<Session, 'issue' | 'closedPullRequests' | 'branchWords'>): string {
  const count = closedPullRequests === 0 ? '' : `-${closedPullRequests + 1}`;
  const words = branchWords === undefined ? '' : `-${branchWords}`;
  return `issuewright/issue-${issue}${count}${words}`;
}

/** The issue whose session has this branch; `undefined` for any other one. */
export function issueOf(branch: string): number | undefined {
  const [, issue] = /^issuewright\/issue-([1-9]\d{0,8})(?:-|$)/.exec(branch) ?? [];
  return issue === undefined ? undefined : Number(issue);
}

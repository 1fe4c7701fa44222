import type { Session } from './session.ts';

/** The session's branch: the same name whenever it is asked for, a new one after a closed pull request. */
export function branchOf(session: Session): string {
  const base = `issuewright/issue-${session.issue}`;
  return session.closedPullRequests === 0 ? base : `${base}-${session.closedPullRequests + 1}`;
}

// When the checks of a session's pull request are looked at, and when a fix may be requested.
import type { Session } from '../session.ts';
import { isClosed, needsRun } from '../state.ts';

const isPullOpen = (session: Session): boolean =>
  session.thread.pullRequest?.state === 'open' &&
  session.requests.stop === undefined &&
  !isClosed(session);

/** Something may have changed, and no run is about to change it again. */
export const isLookDue = (session: Session): boolean =>
  session.checks.hinted.length > 0 &&
  isPullOpen(session) &&
  session.waiting.pausedBy === undefined &&
  !needsRun(session);

/** Whether checks are known to fail that a person may let be fixed. */
export const canFixChecks = (session: Session): boolean =>
  session.checks.last?.result.kind === 'failed' && isPullOpen(session);

/** Whether a 👍 on the comment of this entry lets them be fixed: one on an older comment does not. */
export const isFixApproved = (session: Session, checks: number): boolean =>
  session.checks.asked?.seq === checks && canFixChecks(session);

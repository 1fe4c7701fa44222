// Which buttons our check run has: those that can do something now.
import type { CheckButton } from '../github-names.ts';
import { openPullRequest } from '../merging.ts';
import type { Session } from '../session.ts';
import { isUnderWay, isWorkPending, stateOf } from '../state.ts';
import { canFixChecks } from './due.ts';

export function buttonsOf(session: Session): readonly CheckButton[] {
  const state = stateOf(session);
  const isIdle = !isWorkPending(state);
  return [
    ...(isIdle && isFixLeft(session) ? (['fix'] as const) : []),
    ...(isIdle && isConflictKnown(session) ? (['resolve'] as const) : []),
    ...(isUnderWay(state) ? (['stop'] as const) : []),
  ];
}

/** Checks of the head fail for another reason than the base branch's, and a fix is within the limit of rounds. */
function isFixLeft(session: Session): boolean {
  const { checks, work } = session;
  if (!canFixChecks(session) || checks.last?.result.kind !== 'failed') return false;
  const { sha, result } = checks.last;
  const hasOwn = result.failures.some(({ excuse }) => excuse !== 'base');
  return hasOwn && sha === work.head && checks.rounds < result.rounds;
}

const isConflictKnown = (session: Session): boolean =>
  session.work.hasConflict && openPullRequest(session) !== undefined;

// When the checks of a session's pull request are looked at, and when a fix may be requested.
import type { Session } from '../session.ts';
import { isClosed, needsRun, isUnderWay, isWorkPending, stateOf } from '../state.ts';
import type { CheckButton } from '../github-names.ts';
import { openPullRequestNumber } from '../merging.ts';
import type { FailedCheck, FixDecision, Check } from '../../contracts/checks.ts';
import type { Checks } from '../parts/session-checks.ts';

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

/** Whether checks of the head, as it is now, are known to fail. */
export const hasFailingChecks = ({ checks: { last }, work, thread }: Session): boolean =>
  thread.pullRequest?.state === 'open' && last?.result.kind === 'failed' && last.sha === work.head;

/** Whether a 👍 on the comment of this entry lets them be fixed: one on an older comment does not. */
export const isFixApproved = (session: Session, checks: number): boolean =>
  session.checks.asked?.seq === checks && canFixChecks(session);

export function buttonsOf(session: Session): readonly CheckButton[] {
  const state = stateOf(session);
  const isIdle = !isWorkPending(state);
  const hasConflict = session.work.hasConflict && openPullRequestNumber(session) !== undefined;
  const buttons: CheckButton[] = [];
  if (isIdle && isFixLeft(session)) buttons.push('fix');
  if (isIdle && hasConflict) buttons.push('resolve');
  if (isUnderWay(state)) buttons.push('stop');
  return buttons;
}

/** Checks of the head fail for another reason than the base branch's, and a fix is within the limit of rounds. */
function isFixLeft(session: Session): boolean {
  const { checks, work } = session;
  if (!canFixChecks(session) || checks.last?.result.kind !== 'failed') return false;
  const { sha, result } = checks.last;
  const hasOwn = result.failures.some(({ excuse }) => excuse !== 'base');
  return hasOwn && sha === work.head && checks.rounds < result.rounds;
}

interface Rules {
  /** Whether a fix begins by itself. */
  readonly isOwn: boolean;
  /** The most fixes in a row. */
  readonly rounds: number;
}

const left = (because: Extract<FixDecision, { do: 'leave' }>['because']): FixDecision => ({
  do: 'leave',
  because,
});

export function decideOn(
  failures: readonly FailedCheck[],
  { fixed, rounds, allowed }: Pick<Checks, 'fixed' | 'rounds' | 'allowed'>,
  rules: Rules,
): FixDecision {
  const own = failures.filter(({ excuse }) => excuse !== 'base');
  if (own.length === 0) return left('base');
  const toFix = own.filter(({ excuse }) => excuse === undefined);
  if (toFix.length === 0) return left('flaky');
  if (toFix.every(({ fingerprint }) => fixed.includes(fingerprint))) return left('same');
  if (!rules.isOwn && !allowed) return { do: 'ask' };
  return rounds >= rules.rounds ? left('rounds') : { do: 'fix' };
}

/** Whether nothing is new in what was read: people have been told, or a fix has begun. */
export function isKnown(
  sha: string,
  failures: readonly FailedCheck[],
  next: FixDecision,
  last: Checks['last'],
): boolean {
  if (last?.result.kind !== 'failed') return false;
  const before = last.result;
  const isSame =
    before.failures.length === failures.length &&
    before.failures.every(({ fingerprint }, at) => fingerprint === failures[at]?.fingerprint);
  return isSame && (last.sha === sha || JSON.stringify(before.next) === JSON.stringify(next));
}

type SettledChecks =
  | { readonly kind: 'unsettled' | 'none' | 'passed' }
  | { readonly kind: 'failed'; readonly failed: readonly Check[] };

/** A check that nobody waits for any more may still have failed: all of them count, required or not. */
export function settledState(checks: readonly Check[]): SettledChecks {
  if (checks.some(({ state }) => state === 'unsettled')) return { kind: 'unsettled' };
  if (checks.length === 0) return { kind: 'none' };
  const failed = checks.filter(({ state }) => state !== 'passed');
  return failed.length === 0 ? { kind: 'passed' } : { kind: 'failed', failed };
}

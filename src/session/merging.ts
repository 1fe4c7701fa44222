// Who wants the base branch merged into the branch of the pull request.
import type { RunEnd } from '../contracts/entries.ts';
import { hasPassed, type Merge, type TestRun } from './parts/session-work.ts';
import { isReviewWanted } from './said/asks.ts';
import { isBefore } from './moment.ts';
import type { AdmittedIntent, Session } from './session.ts';
import type { StackBase, WithThread } from './parts/session-thread.ts';

/** A conflict that was found, or a person's command. */
export const wantsMerge = ({ intent, ask }: AdmittedIntent): boolean =>
  intent.kind === 'conflict' || ask === 'resolve';

/** The number of the pull request that the session works on, if it is open. */
export function openPullRequestNumber({ thread }: WithThread): number | undefined {
  const { adopted } = thread;
  // Nothing is pushed to a fork, or where people do not let us.
  if (adopted?.fork !== undefined || adopted?.pushing === 'not_allowed') return undefined;
  const pull = adopted ?? thread.pullRequest;
  return pull?.state === 'open' ? pull.number : undefined;
}

/**
 * Whether people were asked if commits may be pushed, and did not say yes. Of what is asked for during a run that may not push,
 * they are asked again before the next one.
 */
export const mayNotPush = ({ thread: { adopted }, run }: Session): boolean =>
  adopted?.pushing === 'not_allowed' ||
  (run?.beganWithoutPush === true && run.end === undefined && adopted?.pushing !== 'allowed');

/** Whether the next run begins with a merge. One that reviews, or may not push, leaves that to it. */
export const isMergeWanted = (session: Session): boolean =>
  (session.run?.end !== undefined || session.run?.reviews === undefined) &&
  !mayNotPush(session) &&
  openPullRequestNumber(session) !== undefined &&
  session.requests.unread.some(wantsMerge);

/** Whether the run ended because its merge is left to people. */
export const hasRejectedMerge = (end: RunEnd | undefined): boolean =>
  end?.kind === 'failed' && end.rejectedMerge === true;

/** Whether a merge was left to people, and nobody has asked for it since; `head`: nor pushed it to the pull request, as far as is known. */
export function isMergeLeft({ thread, work }: Session, head?: string): boolean {
  if (work.mergeLeftAt === undefined || openPullRequestNumber({ thread }) === undefined)
    return false;
  const ours = [work.mergeLeftAt, work.head, ...work.commits.map(({ sha }) => sha)];
  return head === undefined || ours.includes(head);
}

/** The merge that a workspace at this commit has, if one has begun there. */
export const mergeAt = ({ work }: Session, commit: string): Merge | undefined =>
  work.merge?.ours === commit ? work.merge : undefined;

/** The branch whose conflicts with that of the pull request are known and not resolved. */
export function conflictsOf(session: Session): string | undefined {
  const { work, requests, run } = session;
  if (openPullRequestNumber(session) === undefined) return undefined;
  if (work.merge !== undefined && work.merge.failedTests === undefined) return work.merge.branch;
  if (!work.hasConflict) return undefined;
  const found = requests.unread.flatMap(({ intent }) =>
    intent.kind === 'conflict' ? [intent.branch] : [],
  );
  return found.at(-1) ?? (run?.baseBranch || 'the base branch');
}

/** Whether it asks for work on the issue itself, beside a run that splits it. Words since sub-issues were proposed are for that run. */
export function isBesideSplit(
  { waiting: { proposal, openingSubIssues }, run }: Session,
  { intent, ask, when }: Pick<AdmittedIntent, 'intent' | 'ask' | 'when'>,
): boolean {
  if (intent.kind === 'start' || ask === 'new') return true;
  const proposed = proposal?.of === 'sub_issues' ? proposal.when : undefined;
  const since = openingSubIssues === undefined ? (run?.replacesProposalOf ?? proposed) : undefined;
  return ask === 'work' && (since === undefined || !isBefore(since, when));
}

/**
 * What the model can read now. A run that has begun without a merge leaves it to the next one, one that has begun leaves a review,
 * one that reviews leaves work, and one that splits the issue leaves the work on it that was requested since.
 */
export function readable(session: Session): readonly AdmittedIntent[] {
  const { requests, work, run } = session;
  const isRunning = run !== undefined && run.end === undefined;
  const split = requests.unread.findLast(({ ask }) => ask === 'split');
  const isLeft = (item: AdmittedIntent): boolean => {
    if (wantsMerge(item)) return work.merge === undefined;
    if (isReviewWanted(item.intent)) return isRunning && run.turns > 0;
    if (isRunning && run.splits && isBesideSplit(session, item))
      return item.admittedAt > (split?.admittedAt ?? 0);
    const isWork = item.ask === 'work' || item.ask === 'new';
    return isWork && isRunning && run.reviews !== undefined;
  };
  return requests.unread.filter((item) => !isLeft(item));
}

/** Whether all that fails failed before the merge too. */
export const failsAsBefore = ({ failing }: TestRun, before: readonly string[]): boolean =>
  failing !== undefined && failing.every((one) => before.includes(one));

/** What the tests say of a merge that they failed with: whether it may be pushed, and why not. */
export type MergeVerdict = 'passed' | 'failed_before' | 'failed' | 'partial' | 'outdated';

/** `undefined` if no merge without conflicts waits for its tests. */
export function mergeVerdict({ work }: Session): MergeVerdict | undefined {
  const { merge, tests, changedSinceTests } = work;
  if (merge?.failedTests === undefined) return undefined;
  const last = tests.at(-1);
  if (last === undefined || changedSinceTests !== undefined) return 'outdated';
  if (last.isPartial) return 'partial';
  if (hasPassed(last)) return 'passed';
  return failsAsBefore(last, merge.failedBefore) ? 'failed_before' : 'failed';
}

// A session whose pull request is based on another one of ours.

/** Whether its next run may begin at another branch: nothing was committed, and no pull request is open. */
export function canChooseBase({ thread, work, run }: Session): boolean {
  const { adopted, pullRequest } = thread;
  if (adopted !== undefined || pullRequest?.state === 'open') return false;
  const isPrepared = run !== undefined && run.end === undefined && run.model !== '';
  return !isPrepared && (pullRequest !== undefined || work.commits.length === 0);
}

/** The one that has to be merged first; `undefined` once it was, or if there is none. */
export const basedOn = ({ thread: { base } }: WithThread): StackBase | undefined =>
  base?.state === 'open' || base?.state === 'closed' ? base : undefined;

/** Where the work goes now, if the run was prepared to go to `planned`. */
export const baseBranchOf = ({ thread: { base } }: WithThread, planned: string) =>
  base?.baseBranch ?? planned;

// A session whose pull request is based on another one of ours.
import type { Session } from './session.ts';
import type { StackBase } from './parts/session-thread.ts';

/** Whether its next run may begin at another branch: nothing was committed, and no pull request is open. */
export function canChooseBase({ thread, work, run }: Session): boolean {
  const { adopted, pullRequest } = thread;
  if (adopted !== undefined || pullRequest?.state === 'open') return false;
  const isPrepared = run !== undefined && run.end === undefined && run.model !== '';
  return !isPrepared && (pullRequest !== undefined || work.commits.length === 0);
}

/** The one that has to be merged first; `undefined` once it was, or if there is none. */
export const basedOn = ({ thread: { base } }: Pick<Session, 'thread'>): StackBase | undefined =>
  base?.state === 'open' || base?.state === 'closed' ? base : undefined;

/** Where the work goes now, if the run was prepared to go to `planned`. */
export const baseBranchOf = ({ thread: { base } }: Pick<Session, 'thread'>, planned: string) =>
  base?.baseBranch ?? planned;

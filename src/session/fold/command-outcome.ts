// What a command does to the session that it meets: from a comment, or from a button of our check run.
import type { MemoryAnswer } from '../../contracts/memory.ts';
import type { AskedFor, CheckAction } from '../../contracts/intent.ts';
import { canFixChecks } from '../checks/due.ts';
import { canChooseBase, openPullRequestNumber } from '../merging.ts';
import type { Moment } from '../moment.ts';
import type { AdmittedIntent, Session } from '../session.ts';
import { hasBrokenOff, isClosed, isRunning, isUnderWay, isWorkPending, stateOf } from '../state.ts';
import { stoppedBy } from '../texts/run-ends.ts';
import { mayPause, mayStop, pauseSince, unpausedBefore, wasClosedAt } from './latest.ts';

export interface CommandOutcome {
  readonly work?: 'joins' | 'begins';
  /** The model starts without what was said before. */
  readonly afresh?: true;
  /** The work stops. */
  readonly stop?: { readonly reason: string };
  /** The current run has to end, because of what was done then. */
  readonly interruptsAt?: Moment;
  /** The session is paused by this person, or no longer (`null`). */
  readonly pausedBy?: string | null;
  /** The checks that failed are fixed now, as far as they are this change's. */
  readonly fix?: true;
  /** The checks of the head are read again. */
  readonly look?: true;
  /** Questions and plans are no longer waited for. */
  readonly endsWaiting?: true;
}

const NOTHING: CommandOutcome = {};

export const stopped = (interruptsAt: Moment, reason: string): CommandOutcome => ({
  stop: { reason },
  interruptsAt,
  pausedBy: null,
  endsWaiting: true,
});

/** What a button does, and what the model reads as the request. Without `ask`, there is nothing for it to read. */
export function useOf(
  session: Session,
  item: AdmittedIntent,
  action: CheckAction,
): CommandOutcome & { readonly ask: AskedFor | undefined } {
  const nothing = { ask: undefined };
  switch (action) {
    case 'stop':
      return { ...applyCommand(session, item, 'stop'), ...nothing };
    case 'fix':
      return canFixChecks(session) ? { fix: true, ...nothing } : nothing;
    case 'resolve':
      return { ...applyCommand(session, item, 'resolve'), ask: 'resolve' };
    case 'rerun':
      if (canFixChecks(session)) return { fix: true, ...nothing };
      return hasPullRequestLeft(session)
        ? { ...workRequested(session), ask: 'retry' }
        : { look: true, ...nothing };
    default:
      return action satisfies never;
  }
}

/** Its last run did not get to its end, and there is a pull request to continue. */
const hasPullRequestLeft = (session: Session): boolean =>
  openPullRequestNumber(session) !== undefined && !isClosed(session) && hasBrokenOff(session);

/** `undefined`: there is nothing to do for it. */
export function applyCommand(
  session: Session,
  item: AdmittedIntent,
  command: AskedFor,
): CommandOutcome | undefined {
  const outcome = outcomeOfCommand(asOf(session, item), item, command);
  const pause = pauseSince(session, item.when);
  return outcome?.work === 'begins' && pause !== undefined && item.since.stopped !== true
    ? { ...outcome, pausedBy: pause.by }
    : outcome;
}

/** The session as it was for whoever asked before the issue was closed. */
const asOf = (session: Session, { since }: AdmittedIntent): Session =>
  since.closed === true
    ? { ...session, thread: { ...session.thread, issueClosed: false } }
    : session;

const stoppedAt = (session: Session, item: AdmittedIntent): CommandOutcome | undefined =>
  mayStop(session, item.when)
    ? stopped(item.when, stoppedBy(item.sender))
    : unpausedBefore(session, item);

/** Someone may have paused it again since. */
const unpaused = (session: Session, { when }: AdmittedIntent): CommandOutcome | undefined =>
  pauseSince(session, when) === undefined ? { pausedBy: null } : undefined;

/** If it was said while the pull request was closed, there was something to do. */
function resumed(session: Session, item: AdmittedIntent): CommandOutcome | undefined {
  const { waiting, thread } = session;
  if (waiting.pausedBy !== undefined) return unpaused(session, item);
  const state = stateOf(session);
  // People are asked whether to work on it at all.
  const isDoubted =
    waiting.question !== undefined &&
    session.requests.unread.some(({ since }) => since.doubted === true);
  const isLeft =
    waiting.question?.expired === 'pause' || isDoubted || wasClosedAt(thread, item.when);
  return isUnderWay(state) && state !== 'waiting(person)' && !isLeft && !hasBrokenOff(session)
    ? undefined
    : workRequested(session);
}

/** It ends the pause, and does what it would have done without that. */
function retriedPaused(session: Session, item: AdmittedIntent): CommandOutcome | undefined {
  const ends = unpaused(session, item);
  const resumed = { ...session, waiting: { ...session.waiting, pausedBy: undefined } };
  return isWorkPending(stateOf(resumed)) ? ends : { ...ends, ...workRequested(resumed) };
}

function outcomeOfCommand(
  session: Session,
  item: AdmittedIntent,
  command: AskedFor,
): CommandOutcome | undefined {
  const { waiting, requests, work } = session;
  const { login } = item.sender;
  switch (command) {
    case 'stop':
      return isUnderWay(stateOf(session)) ? stoppedAt(session, item) : undefined;
    case 'pause':
      if (waiting.pausedBy !== undefined || !mayPause(session, item.when)) return undefined;
      return isUnderWay(stateOf(session)) ? { pausedBy: login } : undefined;
    case 'resume':
      return resumed(session, item);
    case 'retry':
      if (waiting.pausedBy !== undefined) return retriedPaused(session, item);
      return isWorkPending(stateOf(session)) ? undefined : workRequested(session);
    case 'fix':
      return canFixChecks(session) ? { fix: true } : workRequested(session);
    case 'new':
      return begunAgain(session, item.when);
    case 'work':
      return workRequested(session);
    case 'resolve':
      return openPullRequestNumber(session) === undefined ? undefined : workRequested(session);
    case 'base':
      return canChooseBase(session) ? workRequested(session) : undefined;
    case 'split':
      return canSplit(session) ? workRequested(session) : undefined;
    case 'status':
    case 'cost':
      return requests.requester === undefined ? undefined : NOTHING;
    case 'plan':
      return work.plan.length === 0 ? undefined : NOTHING;
    case 'help':
    case 'merge':
    case 'memory':
    case 'forget':
      return NOTHING;
    case 'approve':
    case 'unclear':
      return undefined;
    default:
      return command satisfies never;
  }
}

/** Nothing is worked on, and no pull request is there. */
const canSplit = (session: Session): boolean =>
  session.thread.adopted === undefined &&
  session.thread.pullRequest?.state !== 'open' &&
  session.waiting.openingSubIssues === undefined &&
  !isWorkPending(stateOf(session));

/** A run in progress ends for the new one, paused or not. */
const begunAgain = (session: Session, interruptsAt: Moment): CommandOutcome => ({
  ...(isRunning(session) ? { work: 'begins', interruptsAt } : workRequested(session)),
  afresh: true,
  endsWaiting: true,
  pausedBy: null,
});

/** Joins the current run, or starts one. */
export function workRequested(session: Session): CommandOutcome {
  const { question, proposal } = session.waiting;
  const isAsked = question !== undefined || proposal !== undefined;
  const isOver = session.requests.stop !== undefined || isClosed(session);
  const joins = isWorkPending(stateOf(session)) || (isAsked && !isOver);
  return { work: joins && session.requests.requester !== undefined ? 'joins' : 'begins' };
}

/** Whether a command about memories had something to show or to forget. */
export function isAnswered(answer: MemoryAnswer): boolean {
  switch (answer.kind) {
    case 'listed':
      return true;
    case 'shown':
      return answer.memories.length > 0;
    case 'forgotten':
      return answer.numbers.length > 0;
    case 'unclear':
      return false;
    default:
      return answer satisfies never;
  }
}

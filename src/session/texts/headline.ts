import type { RunEnd } from '../../contracts/entries.ts';
import type { RunInfo, Session } from '../session.ts';
import { hasFailingChecks } from '../checks/due.ts';
import { stateOf } from '../state.ts';
import { clock, day, plural } from './format.ts';
import { subIssueCount, subIssueNow } from './sub-issues.ts';
import { leftSteps, ownSummary } from './work-done.ts';
import { mention } from './markdown.ts';
import { roundsReached } from './pull-request-comments.ts';
import { ISSUE_CLOSED } from './run-ends.ts';
import { isRoundLimitReached } from '../requested-work.ts';

/** The state of a session in a few words. `reason` is plain text and may be long. */
export interface Headline {
  readonly sign: string;
  readonly words: string;
  readonly reason: string;
}

/** `place`: among the sessions that wait for a slot, from 1; `null`: there are free slots; without it, that is not known. */
export function headline(session: Session, place?: number | null): Headline {
  const {
    thread: { pullRequest: pull },
    run,
  } = session;
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
      return {
        sign: '⚪',
        words: 'Not started',
        reason: 'Nobody with permission has requested this.',
      };
    case 'queued':
      return queued(place);
    case 'working':
      return working(session);
    case 'waiting(answer)':
      return waiting(session);
    case 'waiting(approval)':
      return approval(session);
    case 'waiting(review)':
      if (run?.end?.kind === 'limit') return atLimit(run.end, pull?.number);
      return finished(session, inReview(session), `Not finished: #${pull?.number}`);
    case 'waiting(pause)':
      return pausedHeadline(session);
    case 'waiting(person)':
      return { sign: '⏸️', words: 'Waiting for a person', reason: whyPerson(session) };
    case 'waiting(sub-issues)':
      return { sign: '🧩', words: subIssueCount(session), reason: subIssueNow(session) };
    case 'done':
      return done(session);
    case 'failed':
      if (run?.end?.kind === 'limit') return atLimit(run.end);
      return {
        sign: '❌',
        words: 'Failed',
        reason: run?.end !== undefined && 'reason' in run.end ? run.end.reason : '',
      };
    case 'stopped':
      return { sign: '⏹️', words: 'Stopped', reason: stopReason(session) };
    default:
      return state satisfies never;
  }
}

/** A run in mode `single` that carried out its one reply, and neither finished nor asked anything. */
export const hasOnlyOnePlan = ({ run }: Session): boolean =>
  run?.mode === 'single' && run.end?.kind === 'finished' && run.finish === undefined;

/** A review of someone else's pull request that led to no change. */
export const hasOnlyReviewed = (session: Session): boolean =>
  session.work.given.length > 0 &&
  session.work.commits.length === 0 &&
  session.work.patches.length === 0 &&
  session.thread.adopted?.state === 'open' &&
  stateOf(session) === 'done';

/** Work on a branch of a fork, which its author gets as a patch. */
export const hasPatched = (session: Session): boolean =>
  session.thread.adopted?.fork !== undefined &&
  session.thread.adopted.state === 'open' &&
  session.work.lastPatch !== undefined &&
  session.run?.finish?.outcome === 'done' &&
  stateOf(session) === 'done';

function approval({ waiting: { proposal } }: Session): Headline {
  const sign = '📝';
  if (proposal?.of === 'workflows')
    return {
      sign,
      words: "Waiting for an administrator's approval",
      reason: 'The change of workflow files is in the comments.',
    };
  const what = proposal?.of === 'sub_issues' ? 'The proposed sub-issues are' : 'The plan is';
  return { sign, words: 'Waiting for approval', reason: `${what} in the comments.` };
}

/** Everyone reads it, so it says whose answer. */
function waiting({ waiting: { question }, requests: { requester } }: Session): Headline {
  const reason = question?.text ?? '';
  const whose = requester === undefined ? 'an' : `${mention(requester.login)}'s`;
  return question?.expired === undefined
    ? { sign: '💬', words: `Waiting for ${whose} answer`, reason }
    : { sign: '⏸️', words: 'Paused: no answer in time', reason };
}

function working({ run, waiting }: Session): Headline {
  if (waiting.openingSubIssues !== undefined && run?.end !== undefined)
    return { sign: '🔧', words: 'Working', reason: 'Opening the sub-issues' };
  if (run?.deferred === undefined)
    return { sign: '🔧', words: 'Working', reason: run === undefined ? '' : activityOf(run) };
  const { until, reason } = run.deferred;
  return { sign: '⏸️', words: `Waiting until ${day(until)}`, reason };
}

function queued(place: number | null | undefined): Headline {
  const sign = '⏳';
  if (place === null) return { sign, words: 'Starting', reason: '' };
  const reason =
    place === undefined ? '' : `Starts when a slot is free. Place in the queue: ${place}.`;
  return { sign, words: 'Queued', reason };
}

/** The call that runs; while the model is asked, since when, which stays true until the next edit. */
function activityOf({ modelAskedAt, activity, lastCall }: RunInfo): string {
  if (modelAskedAt === undefined) return activity;
  return `Waiting for the model since ${clock(modelAskedAt)}${lastCall === '' ? '' : `. Last step: ${lastCall}`}`;
}

const whyPerson = ({ requests: { botOnlyRuns }, reviews }: Session): string =>
  isRoundLimitReached(reviews)
    ? roundsReached(reviews)
    : `Only bots requested the last ${plural(botOnlyRuns, 'run')}, so a person has to confirm.`;

const pausedHeadline = ({ waiting: { pausedBy, servicePauseReason = '' } }: Session): Headline =>
  pausedBy === undefined
    ? { sign: '⏸️', words: 'Paused by the operator', reason: servicePauseReason }
    : { sign: '⏸️', words: 'Paused', reason: `By ${pausedBy}.` };

function done(session: Session): Headline {
  const { thread, run } = session;
  const pull = thread.adopted ?? thread.pullRequest;
  if (pull?.state === 'merged') return { sign: '🎉', words: `Merged: #${pull.number}`, reason: '' };
  if (run?.end?.kind === 'answered') {
    return { sign: '✅', words: 'Answered', reason: 'The answer is in the comments.' };
  }
  if (hasOnlyReviewed(session)) return { sign: '✅', words: 'Reviewed', reason: '' };
  if (run === undefined || (run.splits && thread.subIssues !== undefined))
    return { sign: '✅', words: subIssueCount(session), reason: '' };
  if (run.splits && run.end?.kind === 'asked')
    return { sign: '✅', words: 'Sub-issues opened', reason: 'They are in the comments.' };
  return finished(session, hasPatched(session) ? 'Patched' : 'Done', 'Could not be done');
}

/** What is left undone comes first, and then why. */
function atLimit(
  { reason, conflictsWith }: Extract<RunEnd, { kind: 'limit' }>,
  pull?: number,
): Headline {
  const words = conflictsWith === undefined ? 'Stopped at a limit' : 'In conflict';
  return { sign: '✋', words: pull === undefined ? words : `${words}: #${pull}`, reason };
}

/** Nobody reviews a change over red checks, whoever's fault they are. */
function inReview(session: Session): string {
  const number = session.thread.pullRequest?.number;
  // GitHub did not let the App take the pull request out of draft.
  const isDraftLeft = leftSteps(session).some(({ step }) => step === 'ready_for_review');
  if (isDraftLeft) return `Done: #${number}, still a draft`;
  return hasFailingChecks(session) ? `Checks failed: #${number}` : `Ready for review: #${number}`;
}

function finished(session: Session, done: string, not: string): Headline {
  const { pullRequest } = session.thread;
  const { commits } = session.work;
  const finish = session.run?.finish;
  if (hasOnlyOnePlan(session)) {
    const reason =
      commits.length === 0
        ? 'Nothing was committed.'
        : `${plural(commits.length, 'commit')} so far.`;
    return { sign: '✅', words: 'One model reply done (`mode: single`)', reason };
  }
  const reason = finish?.summary === '' ? ownSummary(session) : (finish?.summary ?? '');
  if (finish?.outcome === 'cannot') return { sign: '✋', words: not, reason };
  if (finish?.outcome === 'partial') {
    const pull = pullRequest === undefined ? '' : `: #${pullRequest.number}`;
    return { sign: '✋', words: `Done in part${pull}`, reason };
  }
  if (finish?.outcome === 'nothing_to_do' && pullRequest === undefined) {
    return { sign: '✅', words: 'Nothing to change', reason };
  }
  const sign = hasFailingChecks(session) ? '❌' : '✅';
  return { sign, words: done, reason: pullRequest === undefined ? reason : '' };
}

function stopReason({
  thread: { pullRequest: own, adopted, issueClosed },
  requests: { stop },
  run,
}: Session): string {
  const pullRequest = adopted ?? own;
  if (pullRequest?.state === 'closed') {
    return `Pull request #${pullRequest.number} was closed without being merged.`;
  }
  if (issueClosed) return ISSUE_CLOSED;
  if (stop !== undefined) return stop.reason;
  return run?.end && 'reason' in run.end ? run.end.reason : '';
}

// Where people asked for something, each with what came of it: their comment, review or issue gets a reaction.
import type { EntryOf } from '../entry.ts';
import type { Requests, Session, Trigger } from '../session.ts';
import type { AdmittedRequest } from './happened.ts';
import { hasRejectedMerge, wantsMerge } from '../merging.ts';
import { reviewWork } from '../requested-work.ts';
import type { ReactionPlace } from '../../contracts/intent.ts';
import { isSamePlace } from '../said/asks.ts';
import { answeredAside } from './replies.ts';
import { isUnfinished } from '../state.ts';

/** Its words or comments on lines ask for something without naming the App. */
export const isReviewOfOurs = (session: Session, { item, isForModel }: AdmittedRequest): boolean =>
  isForModel && item.asks.length === 0 && reviewWork(session, item) === 'work';

export function withTrigger(
  { triggers }: Requests,
  { thread }: Session,
  { item, isForModel, commands = [] }: AdmittedRequest,
): readonly Trigger[] {
  const own = item.asks
    .map((ask) => ask.in)
    .filter((place) => !commands.some((command) => isSamePlace(command.in, place)));
  const { intent } = item;
  const whole: ReactionPlace =
    intent.kind === 'review'
      ? { on: 'review', id: intent.reviewId, pullRequest: intent.pullRequest }
      : { on: 'issue', id: thread.issue };
  const places = own.length === 0 ? [whole] : own;
  const others = triggers.filter((one) => !places.some((place) => isSamePlace(place, one.in)));
  const isTriedAgain = item.isAlone && item.ask === 'retry';
  return [
    ...others.map((one) =>
      isTriedAgain && one.result === 'bad' ? { ...one, result: undefined } : one,
    ),
    ...places.map((place) => ({
      in: place,
      admittedAt: item.admittedAt,
      isForSubIssues: !isForModel,
      result: undefined,
    })),
  ];
}

/**
 * How a run ended is the result of what it read, and a failure that of all that no other run starts for. What failed is good
 * after all if a later run, which nobody asked for in words, ends well. A stop is neither good nor bad.
 */
export function settled(
  requests: Requests,
  session: Session,
  { end }: EntryOf<'run_ended'>,
): Requests['triggers'] {
  const { triggers, unread, open } = requests;
  const { run, work, thread } = session;
  const aside = answeredAside(requests, session, end);
  if (end.kind === 'asked' || end.kind === 'stopped')
    return triggers.map((trigger) =>
      aside.some((one) => isSamePlace(one.in, trigger.in))
        ? { ...trigger, result: 'unchanged' }
        : trigger,
    );
  const isGood = end.kind === 'answered' || (end.kind === 'finished' && !isUnfinished(run));
  const isDone = end.kind === 'finished' || end.kind === 'answered';
  const isOnSubIssues = thread.subIssues?.isOver === false;
  const isReached = (trigger: Trigger): boolean => {
    const item = unread.find(({ admittedAt }) => admittedAt === trigger.admittedAt);
    return item === undefined || (!isDone && (!hasRejectedMerge(end) || wantsMerge(item)));
  };
  const goodOf = ({ in: place }: Trigger): Trigger['result'] => {
    const request = open.find((one) => one.in.on !== 'issue' && isSamePlace(one.in, place));
    const isUnchanged =
      end.kind === 'finished' &&
      request?.commitsBefore === work.commits.length &&
      !request.isAnswered;
    return isUnchanged ? 'unchanged' : 'good';
  };
  return triggers.map((trigger, at) => {
    if (trigger.isForSubIssues && isOnSubIssues) return trigger;
    if (trigger.result === undefined)
      return isReached(trigger)
        ? { ...trigger, result: isGood ? goodOf(trigger) : 'bad' }
        : trigger;
    const isLast = at === triggers.length - 1;
    return isLast && isGood ? { ...trigger, result: 'good' } : trigger;
  });
}

/**
 * The work on the sub-issues is good once each was worked on, and failed once one did, until then. It is neither if none failed and
 * people closed one before its work was done.
 */
export function subIssuesRead(
  requests: Requests,
  { steps, isOver }: EntryOf<'sub_issues_read'>,
): Requests {
  const isFailed = steps.some(({ stands }) => stands === 'failed');
  const isGood =
    isOver === true && steps.length > 0 && steps.every(({ stands }) => stands === 'done');
  if (!isFailed && !isGood) return requests;
  const result = isGood ? 'good' : 'bad';
  return {
    ...requests,
    triggers: requests.triggers.map((one) =>
      one.isForSubIssues && one.result !== 'good' ? { ...one, result } : one,
    ),
  };
}

/** With the last one, what the proposal was asked for with is there, without another run. What was requested since is not. */
export function subIssueOpened(
  requests: Requests,
  { proposal, isLast }: EntryOf<'sub_issue_opened'>,
): Requests {
  if (isLast !== true) return requests;
  const { triggers, unread } = requests;
  const isAnswered = ({ admittedAt, isForSubIssues }: Trigger): boolean =>
    admittedAt < proposal &&
    !isForSubIssues &&
    !unread.some((item) => item.admittedAt === admittedAt);
  return {
    ...requests,
    triggers: triggers.map((one) =>
      one.result === undefined && isAnswered(one) ? { ...one, result: 'good' } : one,
    ),
  };
}

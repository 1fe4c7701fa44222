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

export function triggersWith(
  { triggers }: Requests,
  { thread }: Session,
  { item, commands = [] }: AdmittedRequest,
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
    ...places.map((place) => ({ in: place, admittedAt: item.admittedAt, result: undefined })),
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
  const { run, work } = session;
  const aside = answeredAside(requests, session, end);
  if (end.kind === 'asked' || end.kind === 'stopped')
    return triggers.map((trigger) =>
      aside.some((one) => isSamePlace(one.in, trigger.in))
        ? { ...trigger, result: 'unchanged' }
        : trigger,
    );
  const isGood = end.kind === 'answered' || (end.kind === 'finished' && !isUnfinished(run));
  const isDone = end.kind === 'finished' || end.kind === 'answered';
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
    if (trigger.result === undefined)
      return isReached(trigger)
        ? { ...trigger, result: isGood ? goodOf(trigger) : 'bad' }
        : trigger;
    const isLast = at === triggers.length - 1;
    return isLast && isGood ? { ...trigger, result: 'good' } : trigger;
  });
}

/** What was asked for is there, without another run. */
export const allGood = ({ triggers }: Requests): Requests['triggers'] =>
  triggers.map((one) => ({ ...one, result: one.result ?? 'good' }));

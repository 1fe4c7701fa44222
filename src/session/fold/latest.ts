// What people decided last of each thing, by when they did it: what is older than that changes nothing, whenever it
// becomes known.
import type { AskedFor } from '../../contracts/intent.ts';
import { isBefore, type Moment } from '../moment.ts';
import type { Latest } from '../parts/session-latest.ts';
import type { StateNews, Thread } from '../parts/session-thread.ts';
import { isAnswer } from '../requested-work.ts';
import { startsWork } from '../said/asks.ts';
import type { Admitted, Session } from '../session.ts';
import { isClosed, isUnderWay, stateOf } from '../state.ts';
import { stoppedBy } from '../texts/run-ends.ts';

export const NOTHING_DECIDED: Latest = {
  stop: undefined,
  go: undefined,
  pause: undefined,
  resume: undefined,
};

type Dated = { readonly when: Moment };

const newer = <One extends Dated>(before: One | undefined, after: One | undefined) =>
  before === undefined || (after !== undefined && isBefore(before.when, after.when))
    ? after
    : before;

export const withDecisions = (latest: Latest, decided: Partial<Latest>): Latest => ({
  stop: newer(latest.stop, decided.stop),
  go: newer(latest.go, decided.go),
  pause: newer(latest.pause, decided.pause),
  resume: newer(latest.resume, decided.resume),
});

/** Whether something newer decided the same. */
const isOvertaken = (when: Moment, by: Dated | undefined): boolean =>
  by !== undefined && isBefore(when, by.when);

/** Whether a stop still counts: nobody has asked for work since, and there was something to stop. */
export const mayStop = ({ requests, thread }: Session, when: Moment): boolean =>
  !isOvertaken(when, requests.latest.go) && !wasClosedAt(thread, when);

/** Whether a pause still counts: nobody has ended it since, and there was something to pause. */
export const mayPause = ({ requests, thread }: Session, when: Moment): boolean =>
  !isOvertaken(when, requests.latest.resume) && !wasClosedAt(thread, when);

/** The stop that was made after what is asked for here, if nobody asked for work after that. */
export function stopSince({ requests }: Session, when: Moment): Latest['stop'] {
  const { stop, go } = requests.latest;
  return stop !== undefined && isOvertaken(when, stop) && !isOvertaken(stop.when, go)
    ? stop
    : undefined;
}

/** The pause that was made after what is asked for here, if nobody ended it after that. */
export function pauseSince({ requests }: Session, when: Moment): Latest['pause'] {
  const { pause, resume } = requests.latest;
  return pause !== undefined && isOvertaken(when, pause) && !isOvertaken(pause.when, resume)
    ? pause
    : undefined;
}

/** A stop ends the pauses before it, even if someone asked for work since. */
export function unpausedBefore(
  { requests, waiting }: Session,
  { when }: Admitted,
): { readonly pausedBy: null } | undefined {
  const { pause } = requests.latest;
  const isPaused = waiting.pausedBy !== undefined && pause !== undefined;
  return isPaused && isBefore(pause.when, when) ? { pausedBy: null } : undefined;
}

/** The issue or the pull request was closed then, and is open again. */
function wasClosedAt({ issueNews, pullRequestNews }: Thread, { at, isOurs }: Moment): boolean {
  const was = ({ closedAt, openAt }: StateNews): boolean =>
    closedAt !== '' && closedAt < at && at < openAt;
  return isOurs === undefined && (was(issueNews) || was(pullRequestNews));
}

/**
 * Whether news of a state is older than what is known. Within one second, closing and reopening take turns: if the one
 * that came first told what was known already, the other was done before it.
 */
export function isStale(
  { closedAt, openAt, isRepeated }: StateNews,
  isClosing: boolean,
  at: string | undefined = '',
): boolean {
  const opposite = isClosing ? openAt : closedAt;
  return at !== '' && (at < opposite || (at === opposite && isRepeated));
}

/** `isNew`: it was not so before. */
export function withNews(
  news: StateNews,
  isClosing: boolean,
  isNew: boolean,
  at: string | undefined = '',
): StateNews {
  const newest = news.closedAt < news.openAt ? news.openAt : news.closedAt;
  const isRepeated = at < newest ? news.isRepeated : !isNew;
  return isClosing
    ? { ...news, closedAt: later(news.closedAt, at), isRepeated }
    : { ...news, openAt: later(news.openAt, at), isRepeated };
}

const later = (one: string, other: string): string => (one < other ? other : one);

const ASKS_TO_GO: ReadonlySet<AskedFor> = new Set(['approve', 'resume']);

/** What people decided with this. What it is was found out before the parts of the session change. */
export function decisionsIn(
  session: Session,
  item: Admitted,
  outcome: {
    readonly work?: 'joins' | 'begins';
    readonly fix?: true;
    readonly stop?: { readonly reason: string };
  },
  ask: AskedFor | undefined,
): Partial<Latest> {
  const { when, sender } = item;
  if (outcome.stop !== undefined) return { stop: { when, reason: outcome.stop.reason } };
  if (ask === 'stop') return { stop: { when, reason: stoppedBy(sender) } };
  if (ask === 'pause') return { pause: { when, by: sender.login } };
  const isAnswering = item.approves !== undefined || (ask === undefined && answers(session, item));
  const asks = ask !== undefined && (startsWork(ask) || ASKS_TO_GO.has(ask));
  const goes = outcome.work !== undefined || outcome.fix === true || asks || isAnswering;
  const ends = ask === 'resume' || ask === 'retry' || ask === 'new';
  const isBegun = outcome.work === 'begins' && !isUnderWay(stateOf(session));
  return {
    ...(goes ? { go: { when } } : {}),
    ...(ends || isBegun || isAnswering ? { resume: { when } } : {}),
  };
}

/**
 * Whether it answers a question or a plan. Authors of issues may be people who may answer, and not ask for work: they
 * do not decide against a stop.
 */
const answers = (session: Session, item: Admitted): boolean =>
  item.intent.kind === 'comment' &&
  session.waiting.pausedBy === undefined &&
  isAnswer(session, item) &&
  !isClosed(session) &&
  (item.intent.byAuthor !== true ||
    session.requests.requesters.some(({ person }) => person.id === item.sender.id));

// What people decided last of each thing, by when they did it: what is older than that changes nothing, whenever it
// becomes known.
import type { AskedFor, Intent } from '../../contracts/intent.ts';
import { isBefore, type Moment, type Latest } from '../moment.ts';
import { pullRequestState, type StateNews, type Thread } from '../parts/session-thread.ts';
import { isAnswer } from '../requested-work.ts';
import { startsWork } from '../said/asks.ts';
import type { AdmittedIntent, Session } from '../session.ts';
import { isClosed, isUnderWay, stateOf } from '../state.ts';
import { stoppedBy } from '../texts/run-ends.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

export const NOTHING_DECIDED: Latest = {
  stop: undefined,
  goes: [],
  pause: undefined,
  resume: undefined,
};

type DatedDecision = { readonly when: Moment };

const newer = <One extends DatedDecision>(before: One | undefined, after: One | undefined) =>
  before === undefined || (after !== undefined && isBefore(before.when, after.when))
    ? after
    : before;

/** More than people do before anything of it becomes known. */
const MOST_GOES = 20;

export const withDecisions = (latest: Latest, decided: Partial<Latest>): Latest => ({
  stop: newer(latest.stop, decided.stop),
  goes: (decided.goes ?? []).reduce(withGo, latest.goes),
  pause: newer(latest.pause, decided.pause),
  resume: newer(latest.resume, decided.resume),
});

function withGo(goes: readonly Moment[], when: Moment): readonly Moment[] {
  const older = goes.filter((one) => isBefore(one, when));
  return [...older, when, ...goes.filter((one) => !older.includes(one))].slice(-MOST_GOES);
}

/** Whether something newer decided the same. */
const isOvertaken = (when: Moment, by: DatedDecision | undefined): boolean =>
  by !== undefined && isBefore(when, by.when);

/** Whether someone asked for work after that, and before `until`. */
const goesSince = ({ goes }: Latest, when: Moment, until?: Moment): boolean =>
  goes.some((one) => isBefore(when, one) && (until === undefined || isBefore(one, until)));

/** Whether a stop still counts: nobody has asked for work since, and there was something to stop. */
export const mayStop = ({ requests, thread }: Session, when: Moment): boolean =>
  !goesSince(requests.latest, when) && !wasClosedAt(thread, when);

/** Whether a pause still counts: nobody has ended it since, and there was something to pause. */
export function mayPause({ requests: { latest }, thread }: Session, when: Moment): boolean {
  const { stop, resume } = latest;
  const isEnded = isOvertaken(when, resume) || isOvertaken(when, stop);
  const [first] = latest.goes;
  // Nobody had asked for work yet.
  const isBeforeWork = first !== undefined && isBefore(when, first);
  const hadNothing = isBeforeWork || wasStoppedAt(latest, when);
  return !isEnded && !hadNothing && !wasClosedAt(thread, when);
}

/** It was stopped then, and someone asked for work later. */
const wasStoppedAt = (latest: Latest, when: Moment, { stop } = latest): boolean =>
  stop !== undefined &&
  isBefore(stop.when, when) &&
  !goesSince(latest, stop.when, when) &&
  goesSince(latest, when);

/** The stop that was made after what is asked for here, if nobody asked for work after that. */
export function stopSince({ requests }: Session, when: Moment): Latest['stop'] {
  const { stop } = requests.latest;
  return stop !== undefined && isOvertaken(when, stop) && !goesSince(requests.latest, stop.when)
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

/** A stop ends the pauses before it, and leaves nothing to pause, even if someone asked for work later. */
export function unpausedBefore(
  { requests, waiting, thread }: Session,
  { when }: AdmittedIntent,
): { readonly pausedBy: null } | undefined {
  const { latest } = requests;
  const { pause } = latest;
  if (waiting.pausedBy === undefined || pause === undefined || wasClosedAt(thread, when))
    return undefined;
  return goesSince(latest, when, pause.when) ? undefined : { pausedBy: null };
}

/** Whether the issue or the pull request was closed then, and is open again. */
export function wasClosedAt(
  { issueNews, pullRequestNews }: Thread,
  { at, isOurs }: Moment,
): boolean {
  const was = ({ closedAt, openAt }: StateNews): boolean =>
    closedAt !== '' && closedAt < at && at < openAt;
  return isOurs === undefined && (was(issueNews) || was(pullRequestNews));
}

/** GitHub may tell of a comment after it has told of the closing that followed it. Its times are whole seconds. */
export function isBeforeClosing(thread: Thread, intent: Intent): boolean {
  if (intent.kind !== 'comment' && intent.kind !== 'review') return false;
  if (intent.kind === 'comment' && intent.thread?.isOpen === false) return false;
  const { at = '' } = intent;
  const isPullClosed = (pullRequestState(thread) ?? 'open') !== 'open';
  return (
    at !== '' &&
    ((thread.issueClosed && at <= thread.issueNews.closedAt) ||
      (isPullClosed && at <= thread.pullRequestNews.closedAt))
  );
}

/** It was said while the issue was closed or before that, and the issue was reopened since. */
export function isBeforeReopening({ issueNews }: Thread, intent: Intent): boolean {
  if (intent.kind !== 'comment' || intent.at === undefined) return false;
  const isSince = intent.on === 'issue' && intent.onOpen === true && intent.at > issueNews.closedAt;
  return intent.at < issueNews.openAt && !isSince;
}

/**
 * Whether news of a state is older than what is known. Within one second, closing and reopening take turns: if the one
 * that came first told what was known already, the other was done before it.
 */
export function isStale(
  { closedAt, openAt, seenOpenAt, isRepeated }: StateNews,
  isClosing: boolean,
  at: string | undefined = '',
): boolean {
  if (at === '') return false;
  const opposite = isClosing ? openAt : closedAt;
  return at < opposite || (at === opposite && isRepeated) || (isClosing && at < seenOpenAt);
}

/** `isNew`: it was not so before. */
export function withNews(
  news: StateNews,
  isClosing: boolean,
  isNew: boolean,
  at: string | undefined = '',
): StateNews {
  const { closedAt, openAt } = news;
  const isRepeated = at < later(closedAt, openAt) ? news.isRepeated : !isNew;
  if (isClosing) return { ...news, closedAt: later(closedAt, at), isRepeated };
  const isFirst = openAt <= closedAt;
  return withOpen({ ...news, openAt: isFirst ? later(openAt, at) : openAt, isRepeated }, at);
}

/** It was closed then, as becomes known only now that it is open again. */
export function withClosedBefore(news: StateNews, at: string): StateNews {
  const { closedAt, openAt, seenOpenAt } = news;
  const opened = at < openAt ? openAt : seenOpenAt;
  return closedAt < at && at < opened ? { ...news, closedAt: at, openAt: opened } : news;
}

/** It was open then, for the first time after the closing if nothing earlier is known. */
export function withOpen(news: StateNews, at: string | undefined = ''): StateNews {
  const { closedAt, openAt } = news;
  const isEarlier = closedAt < at && at < openAt;
  return withSeenOpen(isEarlier ? { ...news, openAt: at } : news, at);
}

export const withSeenOpen = (news: StateNews, at: string | undefined = ''): StateNews =>
  news.seenOpenAt < at ? { ...news, seenOpenAt: at } : news;

const later = (one: string, other: string): string => (one < other ? other : one);

const ASKS_TO_GO: ReadonlySet<AskedFor> = new Set(['approve', 'resume']);

/** What people decided with this. What it is was found out before the parts of the session change. */
export function decisionsIn(
  session: Session,
  item: AdmittedIntent,
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
  return withoutUndefined({
    goes: goes ? [when] : undefined,
    resume: ends || isBegun || isAnswering ? { when } : undefined,
  });
}

/**
 * Whether it answers a question or a plan. Authors of issues may be people who may answer, and not ask for work: they
 * do not decide against a stop.
 */
const answers = (session: Session, item: AdmittedIntent): boolean =>
  item.intent.kind === 'comment' &&
  session.waiting.pausedBy === undefined &&
  isAnswer(session, item) &&
  !isClosed(session) &&
  (item.intent.byAuthor !== true ||
    session.requests.requesters.some(({ person }) => person.id === item.sender.id));

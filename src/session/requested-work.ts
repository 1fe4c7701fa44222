// Whether there is something that a run should be started for.
import { isBesideSplit, openPullRequestNumber, readable } from './merging.ts';
import { isBefore, type Moment } from './moment.ts';
import type { Reviews } from './parts/session-reviews.ts';
import type { Person, ReviewVerdict } from '../contracts/intent.ts';
import { isAskedForAll, isReviewWanted } from './said/asks.ts';
import type { RunEnd } from '../contracts/entries.ts';
import type { AdmittedIntent, RunInfo, Session, ReceivedIntent } from './session.ts';
import type { AsksNothing, CommentThread, ReviewWork } from '../contracts/shown-text.ts';
import type { WithThread } from './parts/session-thread.ts';

/** Whether anything that the model has not read is still to be worked on. */
export const hasUnreadWork = (session: Session): boolean =>
  session.requests.unread.some((item) => requestsWork(session, item));

/** By a person or a bot, or by a question that was not answered in time. */
export const hasWorkRequest = (session: Session): boolean =>
  (session.waiting.question?.expired === 'defaults' && session.run?.end?.kind === 'asked') ||
  unhandled(session).some((item) => requestsWork(session, item));

/** Whether people said something during a run for which another one would start, unless this one reads it. */
export const hasWordsForRun = (session: Session): boolean =>
  readable(session).some((item) => {
    const { intent, sender, since, needsMention } = item;
    if (sender.bot === true) return false;
    const isFollowUpLater =
      intent.kind === 'comment' &&
      session.thread.adopted === undefined &&
      !needsMention &&
      since.reopened !== true;
    return isFollowUpLater || requestsWork(session, item);
  });

/** What authors who may not ask have said until the last of these: it is read with that, and never for its own sake. */
export function backgroundUntil(
  { background }: Session['requests'],
  items: readonly AdmittedIntent[],
): Session['requests']['background'] {
  const last = items.findLast(({ intent }) => intent.kind !== 'conflict');
  return last === undefined ? [] : background.filter(({ seq }) => seq < last.admittedAt);
}

/** What of the pull request of someone else the run that begins now only reviews, if that is all it is for. */
export function reviewToBegin(session: Session): RunInfo['reviews'] {
  const wanted = unhandled(session).filter((item) => requestsWork(session, item));
  const { reviews: before } = session.run ?? {};
  const isReview = ({ intent, ask }: AdmittedIntent): boolean =>
    isReviewWanted(intent) || (ask === 'retry' && before !== undefined);
  if (wanted.length === 0 || !wanted.every(isReview)) return undefined;
  const isPush = ({ intent }: AdmittedIntent): boolean =>
    isReviewWanted(intent) ? !isAskedForAll(intent) : before === 'news';
  return wanted.every(isPush) ? 'news' : 'all';
}

/** Whether the run that begins now proposes sub-issues: someone asks for that, or wants other ones than were proposed. */
export function isSplitToBegin(session: Session): boolean {
  const wanted = unhandled(session).filter((item) => requestsWork(session, item));
  const { run, waiting } = session;
  if (wanted.some(({ ask }) => ask === 'split')) return true;
  const isProposed = waiting.proposal?.of === 'sub_issues';
  const isAbout = (item: AdmittedIntent): boolean =>
    (isProposed && isSaid(item) && !isBesideSplit(session, item)) ||
    (isSplitBrokenOff(run) && item.ask === 'retry');
  return wanted.length > 0 && wanted.every(isAbout);
}

/**
 * When the sub-issues were proposed that the run that begins now replaces, if it does. A run that was broken off, or proposed others,
 * leaves that to the next one.
 */
export function proposalToReplace(session: Session): Moment | undefined {
  const { run, waiting } = session;
  if (!isSplitToBegin(session)) return undefined;
  const proposed = waiting.proposal?.of === 'sub_issues' ? waiting.proposal.when : undefined;
  const isNew = unhandled(session).some(({ ask }) => ask === 'split');
  const isReplaced = proposed !== undefined || (isSplitBrokenOff(run) && !isNew);
  return isReplaced ? (run?.replacesProposalOf ?? proposed) : undefined;
}

const isSplitBrokenOff = (run: RunInfo | undefined): boolean =>
  run?.splits === true && run.end !== undefined && BROKEN_OFF.has(run.end.kind);

const isSaid = ({ intent }: AdmittedIntent): boolean =>
  intent.kind === 'comment' || intent.kind === 'edited';

/** Work that was requested while sub-issues were proposed begins once people have said what becomes of these. */
const waitsForSplit = (session: Session, item: AdmittedIntent): boolean =>
  (session.waiting.proposal?.of === 'sub_issues' ||
    session.waiting.openingSubIssues !== undefined) &&
  item.ask === 'work' &&
  isBesideSplit(session, item);

const BROKEN_OFF: ReadonlySet<RunEnd['kind']> = new Set(['failed', 'limit', 'stopped']);

/** Reviews that are not worked on, because too many came one after the other. */
export const hasReviewBeyondLimit = (session: Session): boolean =>
  isRoundLimitReached(session.reviews) &&
  unhandled(session).some((item) => isReviewToWorkOn(session, item));

/**
 * What no run has worked on yet. A run that failed had its chance with everything that was admitted
 * before its end, whether the model read it or not: only something new starts another. A run that was
 * stopped had it until then: what is requested while it is still ending is new.
 */
function unhandled(session: Session): readonly AdmittedIntent[] {
  const { requests, run } = session;
  const end = run?.end?.kind;
  if (end === 'asked')
    return requests.unread.filter(
      (item) => item.since.doubted !== true && !waitsForSplit(session, item),
    );
  if (end === undefined || end === 'finished' || end === 'answered') return requests.unread;
  return end === 'stopped' && run?.interruptedAt !== undefined
    ? requests.unread.filter(({ since }) => since.stopped !== true)
    : requests.unread.filter(({ since }) => since.missedByRun !== true);
}

export function requestsWork(session: Session, item: AdmittedIntent): boolean {
  const { intent, ask, since } = item;
  switch (intent.kind) {
    case 'start':
      return item.gatherUntil === undefined;
    case 'comment':
      if (ask === 'resolve') return openPullRequestNumber(session) !== undefined;
      if (ask === 'work' || ask === 'retry' || ask === 'new' || ask === 'split') return true;
      return since.reopened !== true && (isAnswer(session, item) || isFollowUp(session, item));
    case 'edited':
      if (ask === 'resolve') return openPullRequestNumber(session) !== undefined;
      return ask === 'work' || ask === 'retry' || ask === 'new' || ask === 'split';
    case 'check_action':
    case 'operator_command':
      return ask === 'resolve' ? openPullRequestNumber(session) !== undefined : ask === 'retry';
    case 'thumbs_up':
      return session.waiting.proposal !== undefined;
    case 'review':
      if (ask === 'resolve') return openPullRequestNumber(session) !== undefined;
      if (ask === 'retry' || ask === 'new') return true;
      return isReviewToWorkOn(session, item) && !isRoundLimitReached(session.reviews);
    case 'conflict':
      return openPullRequestNumber(session) === intent.pullRequest;
    case 'pull_request_closed':
    case 'pull_request_reopened':
    case 'issue_closed':
    case 'issue_reopened':
    case 'issue_gone':
    case 'unlabeled':
    case 'unassigned':
    case 'untyped':
    case 'review_thread':
    case 'fix_approved':
    case 'checks_changed':
    case 'dequeued':
    case 'marked_ready':
    case 'deleted':
      return false;
    default:
      return intent satisfies never;
  }
}

/** One that asks for work by naming the App does so on any pull request and with any verdict. */
const isReviewToWorkOn = (session: Session, item: AdmittedIntent): boolean =>
  item.gatherUntil === undefined &&
  reviewWork(session, item) === 'work' &&
  (item.ask === 'work' || session.thread.pullRequest?.state === 'open');

/** An answer to a question or a plan: a comment from before it does not count, nor one to someone else. */
export const isAnswer = (
  { waiting: { question, proposal } }: Session,
  { when, needsMention }: AdmittedIntent,
): boolean =>
  !needsMention &&
  ((question !== undefined && isBefore(question.when, when)) ||
    (proposal !== undefined && isBefore(proposal.when, when)));

/** Whether our questions are for another person. */
export const isForAnother = ({ requests: { requester } }: Session, { id }: Person): boolean =>
  requester !== undefined && requester.id !== id;

/**
 * The question that stays open after what the model reads now: others only asked something themselves, of us or of each other, or
 * said what starts no run. Not if work continues because nobody answered in time.
 */
export function questionLeftOpen(
  session: Session,
  upTo = Infinity,
): Session['waiting']['question'] {
  const { question } = session.waiting;
  const items = readable(session).filter(({ admittedAt }) => admittedAt <= upTo);
  const isLeft = items.every((item) => {
    // Its words may need a mention, its lines are worked on.
    if (reviewWork(session, item) === 'work') return false;
    const isAside = item.ask === 'work' && item.isQuestion && isForAnother(session, item.sender);
    return isAside || item.needsMention || !requestsWork(session, item);
  });
  return isLeft && items.length > 0 && question?.expired !== 'defaults' ? question : undefined;
}

/** Whether a run that finishes now only answered others, while a question stays open. */
export const hasOnlyAnswered = ({ run, waiting }: Session): boolean =>
  waiting.question !== undefined && run?.finish?.outcome === 'nothing_to_do';

/** Whose answer is still waited for after what the model reads now. */
export const loginStillAsked = (session: Session): string | undefined =>
  questionLeftOpen(session) && session.requests.requester?.login;

/** Every comment after a run without tools; after a finished run, those by people. Not on someone else's pull request. */
function isFollowUp(
  { run, thread }: Session,
  { since, sender, needsMention }: AdmittedIntent,
): boolean {
  if (thread.adopted !== undefined || needsMention) return false;
  const end = run?.end?.kind;
  if (end === 'answered') return true;
  return end === 'finished' && since.runEnded === true && sender.bot !== true;
}

// What a person's remark in a review is. Whatever depends on that asks here: its words are read once, when it is admitted, and
// journaled (`app/admission/line-comments.ts`).

type Review = Pick<AdmittedIntent, 'intent' | 'ask' | 'asks' | 'remarks' | 'lineComments'>;

/** Of a review, or of one of its comments on lines. On someone else's pull request, what does not mention us is for others. */
export function reviewWork(
  { thread: { adopted } }: WithThread,
  { intent, ask, asks, remarks, lineComments }: Review,
  comment?: Pick<CommentThread, 'comment' | 'asksNothing'>,
): ReviewWork {
  if (comment !== undefined) {
    const isAsked = asks.some((one) => one.in.on === 'review' || one.in.id === comment.comment);
    if (adopted !== undefined && !isAsked) return 'nothing';
    return comment.asksNothing === 'for_others' ? 'nothing' : (comment.asksNothing ?? 'work');
  }
  if (intent.kind !== 'review') return 'nothing';
  if (ask === 'work') return 'work';
  if (adopted !== undefined) return 'nothing';
  if (remarks ?? intent.verdict !== 'approved') return 'work';
  return lineComments.some(({ thread }) => thread?.asksNothing === 'praise') ? 'praise' : 'nothing';
}

/** What is read of a review on our own pull request. */
export interface ReadReview {
  readonly verdict: ReviewVerdict | undefined;
  /** It mentions the App. */
  readonly isAsked: boolean;
  /** Some of its comments on lines are work. */
  readonly hasLines: boolean;
  readonly words: {
    readonly isQuestion: boolean;
    readonly asksNothing: AsksNothing | undefined;
    readonly isEmpty: boolean;
  };
  /** Of words alone, only a question is work. */
  readonly needsQuestion: boolean;
  readonly mergesItself: boolean;
}

/**
 * Whether there is something to work on, if the verdict does not say so. Whoever approves with remarks on lines expects them to
 * be settled before the merge; its words need a mention, as in the conversation. If GitHub merges by itself, a change would be
 * merged that nobody has seen.
 */
export function remarksIn(read: ReadReview): boolean | undefined {
  const { verdict, isAsked, hasLines, words, needsQuestion, mergesItself } = read;
  if (verdict === 'approved') return hasLines && !mergesItself ? true : undefined;
  if (verdict !== 'commented' || hasLines || isAsked) return undefined;
  const asks = !words.isEmpty && words.asksNothing === undefined;
  if (needsQuestion) return words.isQuestion && asks;
  return asks ? undefined : false;
}

/** A person has to say whether this leads anywhere. */
export const isRoundLimitReached = ({ sinceAsked, limit }: Reviews): boolean =>
  sinceAsked.runs >= limit;

/** The title of the issue that a request came with. */
export function titleOf({ intent }: Pick<ReceivedIntent, 'intent'>): string | undefined {
  if (intent.kind === 'start') return intent.title;
  const isSaid = intent.kind === 'comment' || intent.kind === 'edited';
  return isSaid && intent.on === 'issue' ? intent.thread?.title : undefined;
}

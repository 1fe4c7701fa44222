// The issue and its pull request, or the pull request of someone else.
import type { Effect } from '../../contracts/effect.ts';
import type { Intent } from '../../contracts/intent.ts';
import type { EntryOf } from '../entry.ts';
import type { Session } from '../session.ts';
import {
  inState,
  isOnOther,
  NO_NEWS,
  pullRequestState,
  withAdopted,
  type SubIssueWork,
  type Thread,
} from '../parts/session-thread.ts';
import { maySayYes } from '../said/asks.ts';
import { titleOf } from '../requested-work.ts';
import { canChooseBase } from '../merging.ts';
import { withClosedBefore, withNews, withOpen } from './latest.ts';
import { beginsAnew } from './outcome.ts';
import type { EntryOutcome } from './happened.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

export const newThread = (entry: EntryOf<'opened'>): Thread => ({
  installation: entry.installation,
  repository: entry.repository,
  issue: entry.issue,
  title: '',
  label: '',
  assignee: undefined,
  type: undefined,
  openedAt: entry.at,
  issueText: undefined,
  previousIssue: undefined,
  parentIssue: undefined,
  subIssues: undefined,
  nextIssueStarted: false,
  issueClosed: false,
  issueNews: NO_NEWS,
  pullRequestNews: NO_NEWS,
  closedAt: '',
  pullRequest: undefined,
  adopted: undefined,
  folder: entry.folder,
  byHand: entry.byHand,
  dependsOn: [],
  base: undefined,
  notBased: undefined,
  closedPullRequests: 0,
});

export const THREAD: Table<Thread> = {
  ...MOSTLY_UNCHANGED,
  received: (thread, { installation, repository, at, intent }, { outcome }) =>
    intent.kind === 'marked_ready'
      ? withoutStep({ ...thread, installation, repository }, intent.pullRequest)
      : seenOpen(happened({ ...thread, installation, repository }, at, outcome), intent),
  reinstalled: (thread, { installation }) => ({ ...thread, installation }),
  admitted: (thread, entry, { session, outcome }) =>
    answered(
      withAdopted(
        named(
          outcome.work === 'begins' ? begun(thread, session, outcome, entry) : thread,
          entry,
          session,
          outcome,
        ),
        outcome.request === undefined ? undefined : entry.adopts,
      ),
      entry,
      session,
      outcome,
    ),
  call_finished: (thread, { effects }) => effects.reduce(affected, thread),
  work_saved: (thread, { effects }) => effects.reduce(affected, thread),
  base_chosen: (thread, { found }) => ({
    ...thread,
    dependsOn: [],
    base: found.kind === 'based' ? { ...found, state: 'open' } : undefined,
    notBased: found.kind === 'based' ? undefined : found,
  }),
  base_changed: (thread, { state, baseBranch, next }) =>
    next === undefined
      ? { ...thread, base: thread.base && { ...thread.base, state, baseBranch } }
      : { ...thread, base: { ...next, state: 'open', baseBranch } },
  sub_issues_read: (thread, { steps, started, isOver = false, onTop = false }) => ({
    ...thread,
    subIssues: {
      requestedAt: thread.subIssues?.requestedAt ?? '',
      steps,
      started: [...(thread.subIssues?.started ?? []), ...(started === undefined ? [] : [started])],
      isOver,
      onTop,
    },
  }),
  next_issue_started: (thread, { issue }) => ({ ...thread, nextIssueStarted: issue !== null }),
  ...noChange(
    'run_started',
    'run_prepared',
    'run_resumed',
    'run_deferred',
    'run_paused',
    'input_read',
    'reply',
    'call_started',
    'compacted',
    'run_ended',
  ),
};

function happened(thread: Thread, at: string, { event, closedBefore }: EntryOutcome): Thread {
  const { pullRequest, closedPullRequests, issueClosed, issueNews, pullRequestNews } = thread;
  const isOpen = pullRequestState(thread) === 'open';
  switch (event?.kind) {
    case undefined:
      return closedBefore === undefined
        ? thread
        : { ...thread, issueNews: withClosedBefore(issueNews, closedBefore) };
    case 'issue_closed':
      return {
        ...thread,
        issueClosed: true,
        issueNews: withNews(issueNews, true, !issueClosed, event.at),
        closedAt: at,
      };
    case 'issue_reopened':
      return {
        ...thread,
        issueClosed: false,
        issueNews: withNews(issueNews, false, issueClosed, event.at),
      };
    case 'pull_request_closed':
      return {
        ...inState(thread, event.merged ? 'merged' : 'closed'),
        closedAt: at,
        pullRequestNews: withNews(pullRequestNews, true, isOpen, event.at),
        closedPullRequests: closedPullRequests + (isOpen && pullRequest !== undefined ? 1 : 0),
      };
    case 'pull_request_reopened':
      return {
        ...inState(thread, 'open'),
        pullRequestNews: withNews(pullRequestNews, false, !isOpen, event.at),
        closedPullRequests: closedPullRequests - (isOpen || pullRequest === undefined ? 0 : 1),
      };
    default:
      return event satisfies never;
  }
}

/** Whoever writes where it is open tells that it is. */
function seenOpen(thread: Thread, intent: Intent): Thread {
  if ((intent.kind !== 'comment' && intent.kind !== 'review') || intent.onOpen !== true)
    return thread;
  if (intent.kind === 'comment' && intent.on === 'issue')
    return { ...thread, issueNews: withOpen(thread.issueNews, intent.at) };
  return isOnOther(thread, intent)
    ? thread
    : { ...thread, pullRequestNews: withOpen(thread.pullRequestNews, intent.at) };
}

/** What the work depends on counts only while it can still begin there. */
const named = (
  thread: Thread,
  { dependsOn }: EntryOf<'admitted'>,
  session: Session,
  { work }: EntryOutcome,
): Thread =>
  dependsOn === undefined || work === undefined || !canChooseBase(session)
    ? thread
    : { ...thread, dependsOn };

/** Someone marked it as ready for review. */
function withoutStep(thread: Thread, number: number): Thread {
  const { pullRequest } = thread;
  if (pullRequest?.number !== number) return thread;
  const left = pullRequest.left.filter(({ step }) => step !== 'ready_for_review');
  return { ...thread, pullRequest: { ...pullRequest, left } };
}

/** Words after the question whether we may push, other than commands, are its answer. What is said after a yes is not. */
function answered(
  thread: Thread,
  { ask, allowsPush }: EntryOf<'admitted'>,
  { waiting: { question } }: Session,
  { request }: EntryOutcome,
): Thread {
  const isAnswer =
    question?.about === 'push' &&
    request !== undefined &&
    maySayYes(request.item.intent, ask !== undefined) &&
    request.item.seq > question.seq &&
    (allowsPush === true || ask === undefined || ask.for === 'work');
  if (thread.adopted === undefined || !isAnswer) return thread;
  const isAllowed = allowsPush === true || thread.adopted.pushing === 'allowed';
  const allowed = isAllowed ? 'allowed' : 'not_allowed';
  return { ...thread, adopted: { ...thread.adopted, pushing: allowed } };
}

function begun(
  thread: Thread,
  session: Session,
  outcome: EntryOutcome,
  entry: EntryOf<'admitted'>,
): Thread {
  const item = outcome.request?.item;
  if (item === undefined) return thread;
  const { intent, since, issueText, when } = item;
  const ofStart =
    intent.kind === 'start' && intent.review !== 'pushed'
      ? {
          label: intent.label,
          assignee: intent.assignee,
          type: intent.type,
          previousIssue: intent.afterIssue,
          parentIssue: intent.subIssueOf,
          subIssues: entry.subIssues && {
            requestedAt: intent.requestedAt ?? when.at,
            steps: [],
            started: thread.subIssues?.started ?? [],
            isOver: false,
            onTop: false,
          },
        }
      : {};
  return {
    ...thread,
    ...withoutUndefined({
      title: titleOf(item),
      // The model reads nothing of an issue whose sub-issues are worked on.
      issueText: entry.subIssues === true ? undefined : issueText,
    }),
    ...ofStart,
    ...(intent.kind !== 'start' && thread.subIssues && outcome.request?.isForModel === false
      ? { subIssues: continued(thread.subIssues, when.at) }
      : {}),
    // It stays closed only if the request came before the closing.
    issueClosed: since.closed === true ? thread.issueClosed : false,
    // Set to undefined, not left out: the earlier one is another conversation's.
    ...(beginsAnew(session, outcome) ? { pullRequest: undefined } : {}),
  };
}

function affected(thread: Thread, effect: Effect): Thread {
  const { pullRequest } = thread;
  if (effect.type === 'pull_request') {
    const { number, url, title, description } = effect;
    const opened = {
      number,
      url,
      title,
      description,
      reviewers: [],
      left: [],
      state: 'open',
    } as const;
    return { ...thread, pullRequest: opened, pullRequestNews: NO_NEWS };
  }
  if (effect.type === 'left_to_people' && pullRequest?.number === effect.pullRequest)
    return { ...thread, pullRequest: { ...pullRequest, left: effect.steps } };
  if (effect.type !== 'review_requested' || pullRequest?.number !== effect.pullRequest)
    return thread;
  const reviewers = [...new Set([...pullRequest.reviewers, ...effect.reviewers])];
  return { ...thread, pullRequest: { ...pullRequest, reviewers } };
}

/** Someone who read the sub-issues as they are now has them continued. One that holds up the rest all the same is told again. */
const continued = (subIssues: SubIssueWork, requestedAt: string): SubIssueWork => ({
  ...subIssues,
  requestedAt,
  steps: subIssues.steps.map((step) =>
    step.stands === 'changed' ? { ...step, stands: 'to_do' } : step,
  ),
});

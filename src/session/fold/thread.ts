// The issue and its pull request.
import type { Effect } from '../../contracts/effect.ts';
import type { EntryOf } from '../entry.ts';
import type { PullRequest, Session, Thread } from '../session.ts';
import { beginsAnew, titleOf, type Outcome } from './outcome.ts';
import { noChange, type Table } from './table.ts';

export const newThread = (entry: EntryOf<'opened'>): Thread => ({
  installation: entry.installation,
  repository: entry.repository,
  issue: entry.issue,
  title: '',
  label: '',
  openedAt: entry.at,
  issueText: undefined,
  previousIssue: undefined,
  nextIssueStarted: false,
  issueClosed: false,
  issueStateAt: '',
  closedAt: '',
  pullRequest: undefined,
  closedPullRequests: 0,
});

export const THREAD: Table<Thread> = {
  received: (thread, { installation, repository, at }, { outcome }) =>
    happened({ ...thread, installation, repository }, at, outcome),
  admitted: (thread, _entry, { session, outcome }) =>
    outcome.work === 'begins' ? begun(thread, session, outcome) : thread,
  call_finished: (thread, { effects }) => effects.reduce(affected, thread),
  work_saved: (thread, { effects }) => effects.reduce(affected, thread),
  next_issue_started: (thread, { issue }) => ({ ...thread, nextIssueStarted: issue !== null }),
  ...noChange('opened', 'rejected', 'published', 'publishing_blocked'),
  ...noChange('service_paused', 'service_resumed', 'question_expired', 'approval_withdrawn'),
  ...noChange('run_started', 'run_prepared', 'run_resumed', 'run_deferred', 'run_paused'),
  ...noChange('input_read', 'notice', 'reply', 'call_started', 'call_output'),
  ...noChange('protocol_changed', 'images_dropped', 'compacted', 'run_ended', 'memory_answered'),
};

function happened(thread: Thread, at: string, { event }: Outcome): Thread {
  const { pullRequest, closedPullRequests } = thread;
  switch (event?.kind) {
    case undefined:
      return thread;
    case 'issue_closed':
      return { ...thread, issueClosed: true, issueStateAt: event.at, closedAt: at };
    case 'issue_reopened':
      return { ...thread, issueClosed: false, issueStateAt: event.at };
    case 'pull_request_closed':
      return {
        ...thread,
        pullRequest: inState(pullRequest, event.merged ? 'merged' : 'closed'),
        closedAt: at,
        closedPullRequests: closedPullRequests + (pullRequest?.state === 'open' ? 1 : 0),
      };
    case 'pull_request_reopened':
      return {
        ...thread,
        pullRequest: inState(pullRequest, 'open'),
        closedPullRequests: closedPullRequests - 1,
      };
    default:
      return event satisfies never;
  }
}

const inState = (
  pullRequest: PullRequest | undefined,
  state: PullRequest['state'],
): PullRequest | undefined => pullRequest && { ...pullRequest, state };

function begun(thread: Thread, session: Session, outcome: Outcome): Thread {
  const item = outcome.request?.item;
  if (item === undefined) return thread;
  const { intent, since, issueText } = item;
  const title = titleOf(item);
  return {
    ...thread,
    ...(title === undefined ? {} : { title }),
    ...(issueText === undefined ? {} : { issueText }),
    ...(intent.kind === 'start' ? { label: intent.label, previousIssue: intent.afterIssue } : {}),
    ...(since.closed === true ? {} : { issueClosed: false }),
    ...(beginsAnew(session, outcome) ? { pullRequest: undefined } : {}),
  };
}

function affected(thread: Thread, effect: Effect): Thread {
  const { pullRequest } = thread;
  if (effect.type === 'pull_request') {
    const { number, url, title, description } = effect;
    const opened = { number, url, title, description, reviewers: [], state: 'open' } as const;
    return { ...thread, pullRequest: opened };
  }
  if (effect.type !== 'review_requested' || pullRequest?.number !== effect.pullRequest)
    return thread;
  const reviewers = [...new Set([...pullRequest.reviewers, ...effect.reviewers])];
  return { ...thread, pullRequest: { ...pullRequest, reviewers } };
}

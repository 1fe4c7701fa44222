// What came in: what asks for something waits for a verdict, what happened is a fact.
import type { EntryOf } from '../entries/entry.ts';
import type { Intent } from '../entries/intent.ts';
import type { Session } from '../session.ts';
import { stopped } from './asks.ts';
import { runStopped } from './run.ts';

export const received = (session: Session, entry: EntryOf<'received'>): Partial<Session> => ({
  installation: entry.installation,
  repository: entry.repository,
  unpublished: undefined,
  ...happened(session, entry),
});

/** What happened to the issue or its pull request is a fact and needs nobody's permission. */
function happened(session: Session, entry: EntryOf<'received'>): Partial<Session> {
  const { seq, sender, intent } = entry;
  switch (intent.kind) {
    case 'issue_closed':
    case 'issue_reopened':
      return closedOrReopened(session, seq, intent);
    case 'issue_gone':
      return stopped(session, entry, goneWords(sender.login, intent.to));
    case 'pull_request_closed':
      return pullRequestClosed(session, seq, intent);
    case 'pull_request_reopened':
      return pullRequestReopened(session, intent);
    case 'start':
    case 'unlabeled':
    case 'comment':
    case 'review':
    case 'thumbs_up':
      return { unjudged: [...session.unjudged, { seq, sender, intent }] };
    default:
      return intent satisfies never;
  }
}

const goneWords = (login: string, to: string | undefined): string =>
  to === undefined
    ? `${login} deleted the issue: the work on it ends here.`
    : `${login} moved the issue to ${to}: the work on it ends here. Ask for it there.`;

type IntentOf<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>;

/** GitHub may tell of a reopening first: then its closing is no news. What was paused is not any more. */
function closedOrReopened(
  session: Session,
  seq: number,
  { kind, at = '' }: IntentOf<'issue_closed' | 'issue_reopened'>,
): Partial<Session> {
  if (at < session.closedOrNotAt) return {};
  if (kind === 'issue_reopened') return reopened(session, seq, at);
  const closed = { issueClosed: true, closedOrNotAt: at, closedAt: seq, pausedBy: undefined };
  return { ...closed, ...runStopped(session, seq) };
}

/** What was said until then, and a run that the closing was to end, begin nothing by that. */
function reopened(session: Session, seq: number, at: string): Partial<Session> {
  const { run, issueClosed } = session;
  const isEnding = issueClosed && run?.stopSeq !== undefined && run.end === undefined;
  const words = 'The issue was closed.';
  return {
    issueClosed: false,
    closedOrNotAt: at,
    ...(issueClosed ? { reopenedAt: seq } : {}),
    ...(isEnding ? { stop: { seq: run.stopSeq, words } } : {}),
  };
}

function pullRequestClosed(
  session: Session,
  seq: number,
  intent: IntentOf<'pull_request_closed'>,
): Partial<Session> {
  const { pullRequest, closedPullRequests } = session;
  if (pullRequest?.number !== intent.pullRequest || pullRequest.state === 'merged') return {};
  return {
    pullRequest: { ...pullRequest, state: intent.merged ? 'merged' : 'closed' },
    closedAt: seq,
    closedPullRequests: closedPullRequests + (pullRequest.state === 'open' ? 1 : 0),
    head: undefined,
    changesAfter: seq,
    pausedBy: undefined,
    ...runStopped(session, seq),
  };
}

function pullRequestReopened(
  { pullRequest, closedPullRequests }: Session,
  intent: IntentOf<'pull_request_reopened'>,
): Partial<Session> {
  if (pullRequest?.number !== intent.pullRequest || pullRequest.state !== 'closed') return {};
  return {
    pullRequest: { ...pullRequest, state: 'open' },
    closedPullRequests: closedPullRequests - 1,
  };
}

// What happened to the issue or the pull request, as GitHub tells of it, in whatever order.
import type { Intent } from '../../contracts/intent.ts';
import type { EntryOf } from '../entry.ts';
import { momentOf, type Moment, type Latest } from '../moment.ts';
import { inState, isOnOther, pullRequestState } from '../parts/session-thread.ts';
import type { AdmittedIntent, PersonsCommand, Session } from '../session.ts';
import { isRunning, isUnderWay, stateOf } from '../state.ts';
import { ISSUE_CLOSED, issueGone } from '../texts/run-ends.ts';
import { stopped, type CommandOutcome } from './command-outcome.ts';
import { factOf } from './items.ts';
import { isStale, mayStop, pauseSince, stopSince } from './latest.ts';

/** What a `received` or `admitted` entry does. */
export interface EntryOutcome extends CommandOutcome {
  /** Something happened to the issue or the pull request; `undefined` if it is no news. */
  readonly event?: HappenedIntent;
  /** When the issue was closed, as becomes known only now that it is open again. */
  readonly closedBefore?: string;
  readonly request?: AdmittedRequest;
  /** Something to work on that nobody had to ask for. */
  readonly found?: AdmittedIntent;
  /** What people decided with it, whether or not there was something to do. */
  readonly decides?: Partial<Latest>;
}

export interface AdmittedRequest {
  readonly item: AdmittedIntent;
  /** The model reads it. */
  readonly isForModel: boolean;
  /** What of it counts as a command, not as a request for work. */
  readonly commands?: readonly PersonsCommand[];
}

type Kind = 'issue_closed' | 'issue_reopened' | 'pull_request_closed' | 'pull_request_reopened';
type HappenedIntent = Extract<Intent, { kind: Kind }>;
type OfPull = Extract<Intent, { kind: 'pull_request_closed' | 'pull_request_reopened' }>;
type SpokenIntent = Extract<Intent, { kind: 'comment' | 'review' }>;

const NOTHING: EntryOutcome = {};

/** What happened to the issue or its pull request is a fact and needs no permission. */
export function received(session: Session, entry: EntryOf<'received'>): EntryOutcome {
  const { sender, intent } = entry;
  const when = momentOf(entry);
  switch (intent.kind) {
    case 'issue_closed':
      return isStale(session.thread.issueNews, true, intent.at)
        ? closedBefore(session, intent.at, when)
        : closed(intent, when);
    case 'issue_reopened':
      return isStale(session.thread.issueNews, false, intent.at)
        ? NOTHING
        : reopened(session, intent, when);
    case 'issue_gone':
      return stopped(when, issueGone(sender.login, intent.movedTo));
    case 'pull_request_closed':
      return isNewOfPull(session, intent) ? closed(intent, when) : NOTHING;
    case 'pull_request_reopened':
      return isNewOfPull(session, intent) ? reopenedPull(session, intent, when) : NOTHING;
    case 'conflict':
      return { found: factOf(entry) };
    case 'comment':
    case 'review':
      return opened(session, intent, when);
    case 'start':
    case 'unlabeled':
    case 'unassigned':
    case 'untyped':
    case 'review_thread':
    case 'thumbs_up':
    case 'fix_approved':
    case 'check_action':
    case 'operator_command':
    case 'checks_changed':
    case 'dequeued':
    case 'marked_ready':
    case 'edited':
    case 'deleted':
      return NOTHING;
    default:
      return intent satisfies never;
  }
}

const closed = (event: HappenedIntent, when: Moment): EntryOutcome => ({
  event,
  interruptsAt: when,
  pausedBy: null,
  decides: { resume: { when } },
});

/**
 * It was reopened since: what was asked for before it starts nothing, and only a run from before it ends, unless someone asked for
 * work after that, and a pause from before it.
 */
function closedBefore(session: Session, at: string | undefined, when: Moment): EntryOutcome {
  const isPaused = session.waiting.pausedBy !== undefined;
  const isNews = at !== undefined && at > session.thread.issueNews.closedAt;
  const ends = {
    ...(isNews ? { closedBefore: at } : {}),
    ...(isPaused ? { pausedBy: pauseSince(session, when)?.by ?? null } : {}),
    decides: { resume: { when } },
  };
  return isRunning(session) && mayStop(session, when)
    ? { ...ends, stop: { reason: ISSUE_CLOSED }, interruptsAt: when }
    : ends;
}

/** A pause from before the closing is over; a pause or stop from after the reopening may have become known first. */
function afterReopening(session: Session, when: Moment): EntryOutcome {
  const decides = { resume: { when } };
  if (!isUnderWay(stateOf(session))) return { pausedBy: null, decides };
  const stop = stopSince(session, when);
  if (stop !== undefined) return { ...stopped(stop.when, stop.reason), decides };
  return { pausedBy: pauseSince(session, when)?.by ?? null, decides };
}

function reopenedPull(session: Session, event: OfPull, when: Moment): EntryOutcome {
  const { thread } = session;
  const open = { ...thread, ...inState(thread, 'open') };
  return { event, ...afterReopening({ ...session, thread: open }, when) };
}

/** What is merged stays merged. */
function isNewOfPull({ thread }: Session, intent: OfPull): boolean {
  const isClosing = intent.kind === 'pull_request_closed';
  if ((thread.adopted ?? thread.pullRequest)?.number !== intent.pullRequest) return false;
  if (pullRequestState(thread) === 'merged') return false;
  if (isClosing && intent.merged) return true;
  return !isStale(thread.pullRequestNews, isClosing, intent.at);
}

/** Whoever writes where it is open tells that it was reopened, if that is not known. */
function opened(session: Session, intent: SpokenIntent, when: Moment): EntryOutcome {
  const { thread } = session;
  const { at } = intent;
  if (intent.onOpen !== true || at === undefined) return NOTHING;
  if (intent.kind === 'comment' && intent.on === 'issue') {
    const isNews = thread.issueClosed && at > thread.issueNews.closedAt;
    return isNews ? reopened(session, { kind: 'issue_reopened', at }, when) : NOTHING;
  }
  const pullRequest = (thread.adopted ?? thread.pullRequest)?.number;
  const isNews = pullRequestState(thread) === 'closed' && at > thread.pullRequestNews.closedAt;
  return pullRequest !== undefined && !isOnOther(thread, intent) && isNews
    ? reopenedPull(session, { kind: 'pull_request_reopened', pullRequest, at }, when)
    : NOTHING;
}

/** A run that the closing was to end still ends: the reopening itself starts nothing. */
function reopened(session: Session, event: HappenedIntent, when: Moment): EntryOutcome {
  const { thread, run } = session;
  const isEnding = thread.issueClosed && run?.interruptedAt !== undefined && run.end === undefined;
  const after = { ...session, thread: { ...thread, issueClosed: false } };
  const happened = { event, ...afterReopening(after, when) };
  return isEnding ? { ...happened, stop: { reason: ISSUE_CLOSED } } : happened;
}

// What a request or an event on GitHub does depends on the state of the session when it arrives. That
// is decided here, once, before the parts of the session change; their tables only apply the outcome.
import type { Entry, EntryOf } from '../entry.ts';
import type { AskedFor, CheckAction, Intent, OperatorCommand } from '../../contracts/intent.ts';
import { momentOf, type Moment } from '../moment.ts';
import type { Admitted, CommandRequest, Latest, Received, Session } from '../session.ts';
import { adopted, inState, pullRequestState } from '../parts/session-thread.ts';
import { isRunning, isUnderWay, stateOf } from '../state.ts';
import {
  applyCommand,
  stopped,
  useOf,
  workRequested,
  type CommandOutcome,
} from './command-outcome.ts';
import { factOf, itemOf } from './items.ts';
import { isFixApproved } from '../checks/due.ts';
import { hasRejectedMerge, isMergeLeft, openPullRequest } from '../merging.ts';
import { isWithdrawal } from '../said/asks.ts';
import { decisionsIn, isStale, mayStop, pauseSince, unpausedBefore } from './latest.ts';
import { ISSUE_CLOSED, issueGone, unassignedBy, unlabelledBy } from '../texts/run-ends.ts';

/** What a `received` or `admitted` entry does. */
export interface Outcome extends CommandOutcome {
  /** Something happened to the issue or the pull request; `undefined` if it is no news. */
  readonly event?: Happened;
  readonly request?: AdmittedRequest;
  /** Something to work on that nobody had to ask for. */
  readonly found?: Admitted;
  /** What people decided with it, whether or not there was something to do. */
  readonly decides?: Partial<Latest>;
}

export interface AdmittedRequest {
  readonly item: Admitted;
  /** The model reads it. */
  readonly isForModel: boolean;
  /** What of it counts as a command, not as a request for work. */
  readonly commands?: readonly CommandRequest[];
}

type Kind = 'issue_closed' | 'issue_reopened' | 'pull_request_closed' | 'pull_request_reopened';
type Withdrawal = Extract<Intent, { kind: 'unlabeled' | 'unassigned' }>;
type Happened = Extract<Intent, { kind: Kind }>;
type OfPull = Extract<Intent, { kind: 'pull_request_closed' | 'pull_request_reopened' }>;
type Said = Extract<Intent, { kind: 'comment' | 'review' }>;

const NOTHING: Outcome = {};

export function outcomeOf(session: Session, entry: Entry): Outcome {
  if (entry.type === 'received') return received(session, entry);
  return entry.type === 'admitted' ? admitted(session, entry) : NOTHING;
}

/** What happened to the issue or its pull request is a fact and needs no permission. */
function received(session: Session, entry: EntryOf<'received'>): Outcome {
  const { sender, intent } = entry;
  const when = momentOf(entry);
  switch (intent.kind) {
    case 'issue_closed':
      return isStale(session.thread.issueNews, true, intent.at)
        ? closedBefore(session, when)
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
    case 'review_thread':
    case 'thumbs_up':
    case 'fix_approved':
    case 'check_action':
    case 'operator_command':
    case 'checks_changed':
    case 'dequeued':
    case 'edited':
    case 'deleted':
      return NOTHING;
    default:
      return intent satisfies never;
  }
}

const closed = (event: Happened, when: Moment): Outcome => ({
  event,
  interruptsAt: when,
  pausedBy: null,
  decides: { resume: { when } },
});

/** It was reopened since: only a run from before it ends, unless someone asked for work after that. */
const closedBefore = (session: Session, when: Moment): Outcome =>
  isRunning(session) && mayStop(session, when)
    ? { stop: { reason: ISSUE_CLOSED }, interruptsAt: when }
    : NOTHING;

/** A pause from before the closing is over; one from after the reopening may have become known first. */
function afterReopening(session: Session, when: Moment): Pick<Outcome, 'pausedBy' | 'decides'> {
  const pause = isUnderWay(stateOf(session)) ? pauseSince(session, when) : undefined;
  return { pausedBy: pause?.by ?? null, decides: { resume: { when } } };
}

function reopenedPull(session: Session, event: OfPull, when: Moment): Outcome {
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
function opened(session: Session, intent: Said, when: Moment): Outcome {
  const { thread } = session;
  const { at } = intent;
  if (intent.onOpen !== true || at === undefined) return NOTHING;
  if (intent.kind === 'comment' && intent.on === 'issue') {
    const isNews = thread.issueClosed && at > thread.issueNews.closedAt;
    return isNews ? reopened(session, { kind: 'issue_reopened', at }, when) : NOTHING;
  }
  const pullRequest = (thread.adopted ?? thread.pullRequest)?.number;
  const isOther = intent.kind === 'review' && intent.pullRequest !== pullRequest;
  const isNews = pullRequestState(thread) === 'closed' && at > thread.pullRequestNews.closedAt;
  return pullRequest !== undefined && !isOther && isNews
    ? reopenedPull(session, { kind: 'pull_request_reopened', pullRequest, at }, when)
    : NOTHING;
}

/** A run that the closing was to end still ends: the reopening itself starts nothing. */
function reopened(session: Session, event: Happened, when: Moment): Outcome {
  const { thread, run } = session;
  const isEnding = thread.issueClosed && run?.stopRequested === true && run.end === undefined;
  const after = { ...session, thread: { ...thread, issueClosed: false } };
  const happened = { event, ...afterReopening(after, when) };
  return isEnding ? { ...happened, stop: { reason: ISSUE_CLOSED } } : happened;
}

function admitted(session: Session, entry: EntryOf<'admitted'>): Outcome {
  const found = session.requests.awaitingAdmission.find(({ seq }) => seq === entry.received);
  if (found === undefined) return NOTHING;
  const item = itemOf(session, entry, found);
  const outcome = outcomeOfItem(session, entry, found, item);
  const decides = outcome.decides ?? decisionsIn(session, item, outcome, askedFor(found, entry));
  return { ...outcome, decides };
}

const askedFor = ({ intent }: Received, { ask }: EntryOf<'admitted'>): AskedFor | undefined => {
  if (intent.kind === 'operator_command') return intent.command;
  if (intent.kind !== 'check_action') return ask?.for;
  return intent.action === 'rerun' ? undefined : intent.action;
};

function outcomeOfItem(
  session: Session,
  entry: EntryOf<'admitted'>,
  found: Received,
  item: Admitted,
): Outcome {
  if (isWithdrawal(found.intent)) return withdrawn(session, item, found.intent);
  const unread = { item, isForModel: false };
  if (found.intent.kind === 'edited') return { request: unread };
  if (found.intent.kind === 'fix_approved')
    return { request: unread, ...(isFixApproved(session, found.intent.checks) && { fix: true }) };
  const before = withAdmitted(session, found, entry);
  if (found.intent.kind === 'check_action') return used(before, item, found.intent.action);
  if (found.intent.kind === 'operator_command') return ordered(before, item, found.intent.command);
  if (found.intent.kind === 'start') return { request: { item, isForModel: true }, work: 'begins' };
  return entry.ask !== undefined
    ? asked(before, { ...item, ask: entry.ask.for }, entry)
    : { request: { item, isForModel: true } };
}

/** The session in which an admitted request counts: bots that answer each other are counted. */
function withAdmitted(session: Session, found: Received, { adopts }: EntryOf<'admitted'>): Session {
  const { requests } = session;
  const awaitingAdmission = requests.awaitingAdmission.filter((other) => other !== found);
  const botOnlyRuns = found.sender.bot === true ? requests.botOnlyRuns : 0;
  const thread = adopted(session.thread, adopts);
  return { ...session, thread, requests: { ...requests, awaitingAdmission, botOnlyRuns } };
}

/** The label or assignment that started the work is gone, or the label that could have if a comment did. */
function withdrawn(session: Session, item: Admitted, intent: Withdrawal): Outcome {
  const { thread } = session;
  const { when, sender } = item;
  const request = { item, isForModel: false };
  const isOther =
    intent.kind === 'unassigned'
      ? intent.assignee !== thread.assignee
      : ![intent.label, ''].includes(thread.label);
  if (isOther) return { request, decides: {} };
  const words =
    intent.kind === 'unassigned'
      ? unassignedBy(sender.login, intent.assignee)
      : unlabelledBy(sender.login, intent.label);
  const decides = { stop: { when, reason: words } };
  if (!isUnderWay(stateOf(session))) return { request, decides };
  return mayStop(session, when)
    ? { request, decides, ...stopped(when, words) }
    : { request, decides, ...unpausedBefore(session, item) };
}

/** A request for a fix is one for work if no check is known to fail. */
const READ_AS: ReadonlyMap<AskedFor, AskedFor> = new Map([
  ['work', 'work'],
  ['base', 'work'],
  ['fix', 'work'],
  ['resolve', 'resolve'],
]);

/** To retry while a merge is left to people is to merge again, unless the last run left something else undone. */
const retried = (session: Session, ask: AskedFor): AskedFor => {
  const { end } = session.run ?? {};
  const isDone = end?.kind === 'finished' || end?.kind === 'answered';
  const isLeft = hasRejectedMerge(end) || (isDone && isMergeLeft(session));
  return ask === 'retry' && isLeft && openPullRequest(session) !== undefined ? 'resolve' : ask;
};

/** A button of our check run does what its command does, if there is something to do. */
function used(session: Session, pressed: Admitted, action: CheckAction): Outcome {
  const { ask, ...outcome } = useOf(session, pressed, action);
  const isForModel = outcome.work !== undefined;
  const item: Admitted = { ...pressed, ask: ask && retried(session, ask), isAlone: true };
  return { ...outcome, request: { item, isForModel } };
}

/** A command of the operator does what that of a comment does. */
function ordered(session: Session, item: Admitted, command: OperatorCommand): Outcome {
  const outcome = applyCommand(session, item, command);
  const isForModel = outcome?.work !== undefined;
  const ask = retried(session, command);
  return { ...outcome, request: { item: { ...item, ask, isAlone: true }, isForModel } };
}

/** A comment or review that asks for something: carried out if there is something to do, else only answered. */
function asked(session: Session, item: Admitted, entry: EntryOf<'admitted'>): Outcome {
  const { ask = 'unclear' } = item;
  const isYes = item.approves !== undefined || entry.allowsPush === true;
  const outcome = isYes ? workRequested(session) : applyCommand(session, item, ask);
  if (outcome?.work !== undefined) {
    const forModel: Admitted =
      outcome.afresh === true
        ? { ...item, ask, issueText: item.issueText ?? session.thread.issueText }
        : { ...item, ask: READ_AS.get(retried(session, ask)) ?? 'retry' };
    const request = { item: forModel, isForModel: true, commands: others(item, ask) };
    return { ...outcome, request };
  }
  const applied = outcome !== undefined;
  const own = item.asks
    .filter((one) => one.for === ask)
    .map((one) => ({ received: item.seq, in: one.in, command: ask, applied }));
  const commands = [...own, ...others(item, ask)];
  const forModel: Admitted = { ...item, ask: undefined, issueText: undefined };
  return { ...outcome, request: { item: forModel, isForModel: !item.isAlone, commands } };
}

/** Of several commands in a review, one is carried out: these are not. */
const others = ({ seq: received, asks }: Admitted, carriedOut: AskedFor): CommandRequest[] =>
  asks
    .filter((ask) => ask.for !== carriedOut && ask.for !== 'work')
    .map((ask) => ({ received, in: ask.in, command: ask.for, applied: false }));

/**
 * Work begins on what is there now, unless that was closed after it was requested: it stays closed
 * then. A pull request that is merged or closed is followed by a new one.
 */
export function beginsAnew({ thread }: Session, { work, request }: Outcome): boolean {
  const isClosedSince = request?.item.since.closed === true;
  const { pullRequest } = thread;
  return (
    work === 'begins' && !isClosedSince && pullRequest !== undefined && pullRequest.state !== 'open'
  );
}

// What a request or an event on GitHub does depends on the state of the session when it arrives. That
// is decided here, once, before the parts of the session change; their tables only apply the outcome.
import type { Entry, EntryOf } from '../entry.ts';
import type { AskedFor, CheckAction, Intent, OperatorCommand } from '../../contracts/intent.ts';
import type { AdmittedIntent, PersonsCommand, ReceivedIntent, Session } from '../session.ts';
import { withAdopted } from '../parts/session-thread.ts';
import { isSameLabel, isSameType } from '../github-names.ts';
import { isUnderWay, stateOf } from '../state.ts';
import {
  applyCommand,
  stopped,
  useOf,
  workRequested,
  type CommandOutcome,
} from './command-outcome.ts';
import { received, type EntryOutcome } from './happened.ts';
import { admittedItem } from './items.ts';
import { isFixApproved } from '../checks/due.ts';
import { hasRejectedMerge, isMergeLeft, openPullRequestNumber } from '../merging.ts';
import { isWithdrawal } from '../said/asks.ts';
import { decisionsIn, mayStop, unpausedBefore } from './latest.ts';
import { withdrawnBy } from '../texts/run-ends.ts';

type Withdrawal = Extract<Intent, { kind: 'unlabeled' | 'unassigned' | 'untyped' }>;

const NOTHING: EntryOutcome = {};

export function outcomeOfEntry(session: Session, entry: Entry): EntryOutcome {
  if (entry.type === 'received') return received(session, entry);
  return entry.type === 'admitted' ? admitted(session, entry) : NOTHING;
}

function admitted(session: Session, entry: EntryOf<'admitted'>): EntryOutcome {
  const found = session.requests.awaitingAdmission.find(({ seq }) => seq === entry.received);
  if (found === undefined) return NOTHING;
  const item = admittedItem(session, entry, found);
  const outcome = outcomeOfItem(session, entry, found, item);
  const decides = outcome.decides ?? decisionsIn(session, item, outcome, askedFor(found, entry));
  return { ...outcome, decides };
}

const askedFor = (
  { intent }: ReceivedIntent,
  { ask }: EntryOf<'admitted'>,
): AskedFor | undefined => {
  if (intent.kind === 'operator_command') return intent.command;
  if (intent.kind !== 'check_action') return ask?.for;
  return intent.action === 'rerun' ? undefined : intent.action;
};

function outcomeOfItem(
  session: Session,
  entry: EntryOf<'admitted'>,
  found: ReceivedIntent,
  item: AdmittedIntent,
): EntryOutcome {
  if (isWithdrawal(found.intent)) return withdrawn(session, item, found.intent);
  const unread = { item, isForModel: false };
  if (found.intent.kind === 'edited' && entry.ask === undefined) return { request: unread };
  // No model has to read it: they are opened as they are.
  if (item.approves === 'sub_issues')
    return { request: { ...unread, commands: approvals(item) }, endsWaiting: true };
  if (found.intent.kind === 'fix_approved')
    return { request: unread, ...(isFixApproved(session, found.intent.checks) && { fix: true }) };
  const before = withAdmitted(session, found, entry);
  if (found.intent.kind === 'check_action') return used(before, item, found.intent.action);
  if (found.intent.kind === 'operator_command') return ordered(before, item, found.intent.command);
  if (found.intent.kind === 'start')
    return {
      request: { item: { ...item, ask: undefined }, isForModel: entry.subIssues !== true },
      work: 'begins',
    };
  return entry.ask !== undefined
    ? asked(before, { ...item, ask: entry.ask.for }, entry)
    : { request: { item, isForModel: true } };
}

const approvals = ({ seq: received, asks }: AdmittedIntent): PersonsCommand[] =>
  asks
    .filter((ask) => ask.for === 'approve')
    .map((ask) => ({ received, in: ask.in, command: ask.for, applied: true }));

/** The session in which an admitted request counts: bots that answer each other are counted. */
function withAdmitted(
  session: Session,
  found: ReceivedIntent,
  { adopts }: EntryOf<'admitted'>,
): Session {
  const { requests } = session;
  const awaitingAdmission = requests.awaitingAdmission.filter((other) => other !== found);
  const botOnlyRuns = found.sender.bot === true ? requests.botOnlyRuns : 0;
  const thread = withAdopted(session.thread, adopts);
  return { ...session, thread, requests: { ...requests, awaitingAdmission, botOnlyRuns } };
}

/** The label, type or assignment that started the work is gone, or the label that could have if a comment did. */
function withdrawn(session: Session, item: AdmittedIntent, intent: Withdrawal): EntryOutcome {
  const { thread } = session;
  const { when, sender } = item;
  const request = { item, isForModel: false };
  if (isOfOther(thread, intent)) return { request, decides: {} };
  const words = withdrawnBy(sender.login, intent);
  const decides = { stop: { when, reason: words } };
  if (!isUnderWay(stateOf(session))) return { request, decides };
  return mayStop(session, when)
    ? { request, decides, ...stopped(when, words) }
    : { request, decides, ...unpausedBefore(session, item) };
}

function isOfOther(thread: Session['thread'], intent: Withdrawal): boolean {
  if (intent.kind === 'unassigned') return intent.assignee !== thread.assignee;
  if (intent.kind === 'untyped') return !isSameType(intent.type, thread.type);
  return thread.label !== '' && !isSameLabel(intent.label, thread.label);
}

/** A request for a fix is one for work if no check is known to fail. */
const READ_AS: ReadonlyMap<AskedFor, AskedFor> = new Map([
  ['work', 'work'],
  ['base', 'work'],
  ['fix', 'work'],
  ['resolve', 'resolve'],
  ['split', 'split'],
]);

/** To retry while a merge is left to people is to merge again, unless the last run left something else undone. */
const retried = (session: Session, ask: AskedFor): AskedFor => {
  const { end } = session.run ?? {};
  const isDone = end?.kind === 'finished' || end?.kind === 'answered';
  const isLeft = hasRejectedMerge(end) || (isDone && isMergeLeft(session));
  return ask === 'retry' && isLeft && openPullRequestNumber(session) !== undefined
    ? 'resolve'
    : ask;
};

/** A button of our check run does what its command does, if there is something to do. */
function used(session: Session, pressed: AdmittedIntent, action: CheckAction): EntryOutcome {
  const { ask, ...outcome } = useOf(session, pressed, action);
  const isForModel = outcome.work !== undefined;
  const item: AdmittedIntent = { ...pressed, ask: ask && retried(session, ask), isAlone: true };
  return { ...outcome, request: { item, isForModel } };
}

/** A command of the operator does what that of a comment does. */
function ordered(session: Session, item: AdmittedIntent, command: OperatorCommand): EntryOutcome {
  const outcome = applyCommand(session, item, command);
  if (continuesSubIssues(session, outcome, command))
    return {
      ...outcome,
      work: 'begins',
      request: { item: { ...item, isAlone: true }, isForModel: false },
    };
  const isForModel = outcome?.work !== undefined;
  const ask = retried(session, command);
  return { ...outcome, request: { item: { ...item, ask, isAlone: true }, isForModel } };
}

/** A comment or review that asks for something: carried out if there is something to do, else only answered. */
function asked(session: Session, item: AdmittedIntent, entry: EntryOf<'admitted'>): EntryOutcome {
  const { ask = 'unclear' } = item;
  const isYes = item.approves !== undefined || entry.allowsPush === true;
  const outcome = isYes ? workRequested(session) : applyCommand(session, item, ask);
  const { thread } = session;
  if (continuesSubIssues(session, outcome, ask))
    return { ...outcome, work: 'begins', request: { item, isForModel: false } };
  if (outcome?.work !== undefined) {
    const forModel: AdmittedIntent =
      outcome.afresh === true
        ? { ...item, ask, issueText: item.issueText ?? thread.issueText }
        : { ...item, ask: READ_AS.get(retried(session, ask)) ?? 'retry' };
    const request = { item: forModel, isForModel: true, commands: others(item, ask) };
    return { ...outcome, request };
  }
  const applied = outcome !== undefined;
  const own = item.asks
    .filter((one) => one.for === ask)
    .map((one) => ({ received: item.seq, in: one.in, command: ask, applied, meant: one.meant }));
  const commands = [...own, ...others(item, ask)];
  const forModel: AdmittedIntent = { ...item, ask: undefined, issueText: undefined };
  return { ...outcome, request: { item: forModel, isForModel: !item.isAlone, commands } };
}

/** These continue with the sub-issues, if these are worked on. */
const CONTINUES: ReadonlySet<AskedFor> = new Set(['retry', 'resume']);

/** What was asked of the issue itself is done, if anything was. */
function continuesSubIssues(
  session: Session,
  outcome: CommandOutcome | undefined,
  ask: AskedFor,
): boolean {
  const { thread, run } = session;
  if (outcome?.work === undefined || !CONTINUES.has(ask)) return false;
  if (thread.subIssues?.isOver !== false || openPullRequestNumber(session) !== undefined)
    return false;
  const kind = run?.end?.kind;
  return run === undefined || run.splits || kind === 'finished' || kind === 'answered';
}

/** Of several commands in a review, one is carried out: these are not. */
const others = ({ seq: received, asks }: AdmittedIntent, carriedOut: AskedFor): PersonsCommand[] =>
  asks
    .filter((ask) => ask.for !== carriedOut && ask.for !== 'work')
    .map((ask) => ({ received, in: ask.in, command: ask.for, applied: false }));

/**
 * Work begins on what is there now, unless that was closed after it was requested: it stays closed
 * then. A pull request that is merged or closed is followed by a new one.
 */
export function beginsAnew({ thread }: Session, { work, request }: EntryOutcome): boolean {
  const { pullRequest, pullRequestNews } = thread;
  if (work !== 'begins' || pullRequest === undefined || pullRequest.state === 'open') return false;
  const { when, since } = request?.item ?? {};
  return when?.isOurs === undefined && when !== undefined
    ? when.at > pullRequestNews.closedAt
    : since?.closed !== true;
}

// What people asked for: from the comment that came in to the result that its author sees.
import type { MergeAnswer } from '../../contracts/pull-request.ts';
import type { EntryOf } from '../entry.ts';
import type { AdmittedIntent, ReceivedIntent, Requests, Session, NewsSince } from '../session.ts';
import { isAnswered } from './command-outcome.ts';
import { isBeforeClosing, isBeforeReopening, NOTHING_DECIDED, withDecisions } from './latest.ts';
import type { EntryOutcome } from './happened.ts';
import { withEdit, withItem, withoutDeleted } from './items.ts';
import { hasRejectedMerge, readable, wantsMerge } from '../merging.ts';
import { backgroundUntil } from '../requested-work.ts';
import { isBefore, isSameSecond, momentOf, type Moment } from '../moment.ts';
import type { Intent } from '../../contracts/intent.ts';
import { isSamePlace, isWithdrawal } from '../said/asks.ts';
import { replied, withCall, withMerged, withoutDeletedRequest, withRead } from './replies.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';
import { isTalk } from '../state.ts';
import { isReviewOfOurs, settled, subIssueOpened, subIssuesRead, withTrigger } from './triggers.ts';

export const NO_REQUESTS: Requests = {
  requester: undefined,
  requesters: [],
  triggers: [],
  commands: [],
  latest: NOTHING_DECIDED,
  stop: undefined,
  botOnlyRuns: 0,
  afresh: false,
  awaitingAdmission: [],
  unread: [],
  background: [],
  talk: [],
  included: [],
  rejected: [],
  open: [],
  replies: [],
  readUpTo: 0,
};

export const REQUESTS: Table<Requests> = {
  ...MOSTLY_UNCHANGED,
  received: (requests, entry, { session, outcome }) =>
    decided(
      stopped(
        happened(awaiting(requests, entry, session), entry, session, outcome),
        session,
        outcome,
      ),
      outcome,
    ),
  admitted: (requests, entry, { session, outcome }) =>
    decided(stopped(admitted(requests, entry, session, outcome), session, outcome), outcome),
  rejected: (requests, entry) => rejected(requests, entry),
  memory_answered: (requests, { received, answer }) => ({
    ...requests,
    commands: requests.commands.map((command) =>
      command.received === received && command.applied
        ? { ...command, applied: isAnswered(answer) }
        : command,
    ),
  }),
  // A stop that ends auto-merge had something to do.
  merge_answered: (requests, { received, answer: { kind } }) => ({
    ...requests,
    commands: requests.commands.map((command) =>
      command.received === received
        ? {
            ...command,
            applied: MERGE_DONE.has(kind) || (command.command !== 'merge' && command.applied),
          }
        : command,
    ),
  }),
  comments_gathered: (requests, { upTo }) => ({
    ...requests,
    unread: requests.unread.map((item) =>
      item.admittedAt <= upTo ? { ...item, gatherUntil: undefined } : item,
    ),
  }),
  sub_issues_read: subIssuesRead,
  sub_issue_opened: subIssueOpened,
  duplicates_searched: (requests, { effects }) =>
    effects.length === 0 ? requests : mark(requests, { doubted: true }),
  push_questioned: (requests) => mark(requests, { doubted: true }),
  input_read: (requests, { upTo }, { session }) => ({
    ...requests,
    ...withRead(requests, session, upTo),
    readUpTo: upTo,
    background: withoutRead(requests, session, upTo),
    unread: unreadAfter(session, upTo),
  }),
  merge_ended: (requests, _entry, { session }) => ({
    ...requests,
    ...withMerged(requests, session),
    unread: afterMerge(requests.unread),
  }),
  call_finished: (requests, entry, { session }) => ({
    ...requests,
    ...withCall(requests, session, entry),
  }),
  run_started: (requests) => ({
    ...requests,
    afresh: false,
    botOnlyRuns: requests.botOnlyRuns + 1,
  }),
  run_ended: (requests, entry, { session }) =>
    markRunEnded(
      {
        ...requests,
        ...replied(requests, session, entry),
        triggers: settled(requests, session, entry),
      },
      entry,
    ),
  ...noChange(
    'run_prepared',
    'run_resumed',
    'run_deferred',
    'run_paused',
    'reply',
    'call_started',
    'compacted',
    'work_saved',
  ),
};

const MERGE_DONE: ReadonlySet<MergeAnswer['kind']> = new Set(['on', 'off', 'merged']);

/** Without what the model has read; the run leaves some of it to the next one. */
function unreadAfter(session: Session, upTo: number): readonly AdmittedIntent[] {
  const read = new Set(readable(session).filter(({ admittedAt }) => admittedAt <= upTo));
  return session.requests.unread.filter((item) => !read.has(item));
}

/** What only asked for the merge is done; the model reads the rest. */
const afterMerge = (unread: readonly AdmittedIntent[]): readonly AdmittedIntent[] =>
  unread
    .filter((item) => !wantsMerge(item) || !(item.isAlone || item.intent.kind === 'conflict'))
    .map((item): AdmittedIntent => (wantsMerge(item) ? { ...item, ask: 'work' } : item));

const decided = (requests: Requests, { decides }: EntryOutcome): Requests =>
  decides === undefined
    ? requests
    : { ...requests, latest: withDecisions(requests.latest, decides) };

function awaiting(requests: Requests, entry: EntryOf<'received'>, { thread }: Session): Requests {
  const { seq, sender, intent } = entry;
  switch (intent.kind) {
    case 'start':
    case 'unlabeled':
    case 'unassigned':
    case 'untyped':
    case 'comment':
    case 'review':
    case 'thumbs_up':
    case 'fix_approved':
    case 'check_action':
    case 'operator_command':
    case 'edited': {
      const since: NewsSince = {
        ...(isBeforeClosing(thread, intent) ? { closed: true } : {}),
        ...(isBeforeReopening(thread, intent) ? { reopened: true } : {}),
      };
      const item: ReceivedIntent = { seq, when: momentOf(entry), sender, intent, since };
      return { ...requests, awaitingAdmission: [...requests.awaitingAdmission, item] };
    }
    case 'deleted':
      return {
        ...requests,
        ...withoutDeleted(requests, intent.in),
        background: withoutPlace(requests.background, intent),
        open: withoutDeletedRequest(requests.open, intent.in),
      };
    case 'issue_closed':
    case 'issue_reopened':
    case 'issue_gone':
    case 'pull_request_closed':
    case 'pull_request_reopened':
    case 'conflict':
    case 'review_thread':
    case 'checks_changed':
    case 'dequeued':
    case 'marked_ready':
      return requests;
    default:
      return intent satisfies never;
  }
}

function happened(
  requests: Requests,
  entry: EntryOf<'received'>,
  { thread }: Session,
  { event, closedBefore, found }: EntryOutcome,
): Requests {
  if (found !== undefined) return { ...requests, unread: [...requests.unread, found] };
  if (closedBefore !== undefined)
    return mark(requests, { closed: true, reopened: true }, momentOf(entry));
  if (event?.kind === 'issue_closed' || event?.kind === 'pull_request_closed')
    return mark(requests, { closed: true }, momentOf(entry));
  return event?.kind === 'issue_reopened' && (thread.issueClosed || event.at !== '')
    ? mark(requests, { reopened: true }, momentOf(entry))
    : requests;
}

function admitted(
  requests: Requests,
  entry: EntryOf<'admitted'>,
  session: Session,
  { request, work, afresh }: EntryOutcome,
): Requests {
  if (request === undefined) return requests;
  const { item, isForModel, commands = [] } = request;
  const isCounted = !isWithdrawal(item.intent) && item.sender.bot !== true;
  return {
    ...requests,
    awaitingAdmission: requests.awaitingAdmission.filter(({ seq }) => seq !== item.seq),
    botOnlyRuns: isCounted ? 0 : requests.botOnlyRuns,
    commands: [...requests.commands, ...commands],
    ...withEdit(withItem(requests, item, isForModel), item, entry),
    background: withoutPlace(requests.background, item.intent),
    talk: isTalk(session, item) ? [...requests.talk, item.seq] : requests.talk,
    triggers:
      work === undefined && !isReviewOfOurs(session, request)
        ? requests.triggers
        : withTrigger(requests, session, request),
    ...(work === 'begins' ? begun(requests, item) : {}),
    ...(afresh === true ? { afresh } : {}),
  };
}

/**
 * Its questions and plans are for this person from now on; for the one before, if the operator asked. A stop after the
 * request stays.
 */
function begun(
  { requesters, stop, latest }: Requests,
  { sender, admittedAt, since, intent }: AdmittedIntent,
): Partial<Requests> {
  const after = since.stopped === true ? (stop ?? latest.stop) : undefined;
  const stays = { stop: after && { reason: after.reason } };
  // Nobody asks for a review of what was pushed: it is for who asked before.
  const isPush = intent.kind === 'start' && intent.review === 'pushed';
  if (sender.operator === true || isPush) return stays;
  return {
    ...stays,
    requester: sender,
    requesters: [...requesters, { since: admittedAt, person: sender }],
  };
}

/** What arrived before a stop, or during a run that now has to end, starts nothing. */
function stopped(requests: Requests, { run }: Session, outcome: EntryOutcome): Requests {
  const { stop, interruptsAt } = outcome;
  const isRunning = run !== undefined && run.end === undefined;
  const marked =
    interruptsAt !== undefined && (isRunning || stop !== undefined)
      ? mark(requests, { stopped: true }, interruptsAt)
      : requests;
  return stop === undefined ? marked : { ...marked, stop };
}

/** The first of two verdicts counts. */
function rejected(requests: Requests, entry: EntryOf<'rejected'>): Requests {
  const awaitingAdmission = requests.awaitingAdmission.filter(({ seq }) => seq !== entry.received);
  if (awaitingAdmission.length === requests.awaitingAdmission.length) return requests;
  const item = requests.awaitingAdmission.find(({ seq }) => seq === entry.received);
  const background = withBackground(requests, entry, item);
  return { ...requests, awaitingAdmission, background, rejected: [...requests.rejected, entry] };
}

/** With what was said. An edit leaves nothing of the words before it. */
function withBackground(
  { background }: Requests,
  { seq, background: shown }: EntryOf<'rejected'>,
  item: ReceivedIntent | undefined,
): Requests['background'] {
  const { intent, sender } = item ?? {};
  if (shown === undefined || sender === undefined) return withoutPlace(background, intent);
  if (intent?.kind === 'edited')
    return background.map((one) => {
      const { seq: since, in: place, author, on } = one;
      const isEdited = isSamePlace(place, intent.in);
      return isEdited ? { ...shown, seq: since, in: place, author, on } : one;
    });
  if (intent?.kind !== 'comment') return background;
  const place = { on: 'comment', id: intent.commentId } as const;
  return [...background, { ...shown, seq, in: place, author: sender.login, on: intent.on }];
}

/** Without what was edited or deleted. */
const withoutPlace = (
  background: Requests['background'],
  intent: Intent | undefined,
): Requests['background'] =>
  intent?.kind === 'edited' || intent?.kind === 'deleted'
    ? background.filter((one) => !isSamePlace(one.in, intent.in))
    : background;

/** What the model has read with the requests until then. */
function withoutRead(requests: Requests, session: Session, upTo: number): Requests['background'] {
  const items = readable(session).filter(({ admittedAt }) => admittedAt <= upTo);
  const read = backgroundUntil(requests, items);
  return requests.background.filter((one) => !read.includes(one));
}

function markRunEnded(requests: Requests, { end }: EntryOf<'run_ended'>): Requests {
  const { unread, ...rest } = mark(requests, { runEnded: true });
  // The run did not get to anything else.
  if (hasRejectedMerge(end)) return { ...rest, unread: afterMerge(unread) };
  return { ...rest, unread: unread.map((item) => since(item, { missedByRun: true })) };
}

// What has happened since a request was made, whichever became known first.

/** Notes on what was done before, and is not settled yet, that something has happened since. */
function mark(requests: Requests, what: NewsSince, when?: Moment): Requests {
  const note = <Item extends ReceivedIntent>(item: Item) => {
    if (when === undefined) return since(item, what);
    // Within one of GitHub's seconds, nobody knows what came first: what people said then counts after a reopening.
    const isUnsure = what.reopened === true && isSameSecond(item.when, when);
    return isBefore(item.when, when) && !isUnsure ? since(item, what) : item;
  };
  return {
    ...requests,
    awaitingAdmission: requests.awaitingAdmission.map(note),
    unread: requests.unread.map(note),
  };
}

const since = <Item extends ReceivedIntent>(item: Item, what: NewsSince): Item => {
  return { ...item, since: { ...item.since, ...what } };
};

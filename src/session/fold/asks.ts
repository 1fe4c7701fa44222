// What people's requests and commands change in a session.
import type { EntryOf } from '../entries/entry.ts';
import type { AskedFor } from '../entries/intent.ts';
import { runStopped } from './run.ts';
import { agreed, NOT_PLANNED, NOTHING_ASKED } from './waits.ts';
import type { Admitted, Received, Session, Trigger } from '../session.ts';
import { isClosed, stateOf, type State } from '../state.ts';

/** Of a session whose work begins. */
export const NOTHING_RUN: Pick<Session, 'commands' | 'tests'> = {
  commands: { count: 0, last: [] },
  tests: [],
};

/** Something is under way, or waits for somebody. */
const UNDER_WAY: ReadonlySet<State> = new Set([
  'queued',
  'working',
  'waiting(answer)',
  'waiting(approval)',
  'waiting(review)',
  'waiting(pause)',
  'waiting(person)',
]);

const isUnderWay = (session: Session): boolean => UNDER_WAY.has(stateOf(session));

/** Work goes on by itself, or will as soon as it is let. */
const BUSY: ReadonlySet<State> = new Set(['queued', 'working', 'waiting(pause)']);

export function admitted(session: Session, entry: EntryOf<'admitted'>): Partial<Session> {
  const found = session.unjudged.find(({ seq }) => seq === entry.received);
  if (found === undefined) return {};
  const { lineComments, ask, approves = false, earlier = [] } = entry;
  const rest = session.unjudged.filter((other) => other !== found);
  if (found.intent.kind === 'unlabeled') return { unjudged: rest, ...unlabeled(session, found) };
  const before = {
    ...session,
    unjudged: rest,
    runsWithoutPerson: found.sender.bot === true ? session.runsWithoutPerson : 0,
  };
  const item: Admitted = {
    ...found,
    admittedAt: entry.seq,
    lineComments,
    approves: approves && session.proposal !== undefined,
    earlier,
    ask: ask?.for,
    brief: undefined,
  };
  const { unjudged, runsWithoutPerson } = before;
  const changes =
    found.intent.kind === 'comment' && ask !== undefined
      ? asked(before, item, ask)
      : { unseen: [...before.unseen, item], ...started(before, item) };
  return { unjudged, runsWithoutPerson, ...changes, ...agreed(item) };
}

function started(session: Session, item: Admitted): Partial<Session> {
  const { intent } = item;
  if (intent.kind !== 'start') return {};
  const { title, body, label, after } = intent;
  return {
    ...workBegins(session, item),
    title,
    label,
    brief: { title, body },
    after,
    ...requestedBy(session, item),
  };
}

/** Whom its questions and plans are for from now on. */
const requestedBy = (
  { requesters }: Session,
  { sender: requester, admittedAt: since }: Admitted,
): Pick<Session, 'requester' | 'requesters'> => ({
  requester,
  requesters: [...requesters, { since, person: requester }],
});

/** A comment that asks for something: carried out where it can be, else only answered. */
function asked(
  session: Session,
  item: Admitted,
  ask: { readonly for: AskedFor; readonly alone: boolean },
): Partial<Session> {
  const { intent } = item;
  if (intent.kind !== 'comment') return {};
  const done = item.approves ? workAsked(session, item) : obeyed(session, item, ask.for);
  const order = { commentId: intent.commentId, for: ask.for, taken: done !== undefined };
  const isWork = done !== undefined && 'triggers' in done;
  const forModel: Admitted = { ...item, ask: isWork ? workOf(ask.for) : undefined };
  const seen = isWork || !ask.alone ? [{ ...forModel, ...briefOf(session, item, isWork) }] : [];
  return {
    ...(isWork ? {} : { orders: [...session.orders, order] }),
    unseen: [...session.unseen, ...seen],
    ...done,
  };
}

const workOf = (word: AskedFor): 'work' | 'retry' => (word === 'work' ? 'work' : 'retry');

/** `undefined`: there is nothing to do for it. */
function obeyed(session: Session, item: Admitted, word: AskedFor): Partial<Session> | undefined {
  switch (word) {
    case 'stop':
      return isUnderWay(session)
        ? stopped(session, item, `${item.sender.login} asked to stop.`)
        : undefined;
    case 'pause':
      return isUnderWay(session) && session.pausedBy === undefined
        ? { pausedBy: item.sender.login }
        : undefined;
    case 'approve':
      return undefined;
    case 'resume':
      if (session.pausedBy !== undefined) return { pausedBy: undefined };
      if (session.question?.expired === 'pause') return workAsked(session, item);
      return isUnderWay(session) ? undefined : workAsked(session, item);
    case 'retry':
      if (session.pausedBy !== undefined) return { pausedBy: undefined };
      return BUSY.has(stateOf(session)) ? undefined : workAsked(session, item);
    case 'work':
      return workAsked(session, item);
    case 'status':
    case 'cost':
      return session.requester === undefined ? undefined : {};
    case 'plan':
      return session.plan.length === 0 ? undefined : {};
    case 'help':
      return {};
    case 'unclear':
      return undefined;
    default:
      return word satisfies never;
  }
}

/** What waits for a run, or for a pause to end, does not begin after a stop. */
export const stopped = (
  session: Session,
  { seq }: Pick<Received, 'seq'>,
  words: string,
): Partial<Session> => ({
  stop: { seq, words },
  pausedBy: undefined,
  ...NOTHING_ASKED,
  ...runStopped(session, seq),
});

const isAsked = ({ question, proposal }: Session): boolean =>
  question !== undefined || proposal !== undefined;

const isOver = (session: Session): boolean => session.stop !== undefined || isClosed(session);

/** Joins the work that goes on, or begins it. */
function workAsked(session: Session, item: Admitted): Partial<Session> {
  const { intent } = item;
  const joins = BUSY.has(stateOf(session)) || (isAsked(session) && !isOver(session));
  if (joins && session.requester !== undefined) return { triggers: triggersWith(session, item) };
  const about = 'thread' in intent && intent.on === 'issue' ? intent.thread : undefined;
  return {
    ...workBegins(session, item),
    ...(about === undefined
      ? {}
      : { title: about.title, brief: { title: about.title, body: about.body } }),
    ...requestedBy(session, item),
  };
}

/** Work that was stopped or is over begins again; what was closed after it was asked for stays closed. */
function workBegins(session: Session, item: Admitted): Partial<Session> {
  const triggers = triggersWith(session, item);
  const stays = session.stop !== undefined && item.seq < session.stop.seq;
  const again = { triggers, ...(stays ? {} : { stop: undefined }) };
  if (item.seq < session.closedAt) return again;
  const over = session.pullRequest !== undefined && session.pullRequest.state !== 'open';
  return {
    ...again,
    issueClosed: false,
    ...(over
      ? { pullRequest: undefined, commits: [], plan: [], ...NOTHING_RUN, ...NOT_PLANNED }
      : {}),
  };
}

/** The model reads the issue as it was when it was first asked for, and again where it has changed. */
function briefOf(session: Session, { intent }: Admitted, isWork: boolean): Pick<Admitted, 'brief'> {
  const about = 'thread' in intent && intent.on === 'issue' ? intent.thread : undefined;
  if (!isWork || about === undefined) return { brief: undefined };
  const { title, body } = about;
  const isKnown = session.brief?.title === title && session.brief.body === body;
  const isOpening = session.requester === undefined || session.brief === undefined;
  return { brief: isKnown && !isOpening ? undefined : { title, body } };
}

function triggersWith(session: Session, { intent }: Admitted): Session['triggers'] {
  const target: Pick<Trigger, 'on' | 'id'> =
    intent.kind === 'comment'
      ? { on: 'comment', id: intent.commentId }
      : { on: 'issue', id: session.issue };
  const others = session.triggers.filter(({ on, id }) => on !== target.on || id !== target.id);
  return [...others, { ...target, outcome: undefined }];
}

/** How a run ended is how all ended that asked for it. A stop is neither good nor bad. */
export function settled(
  { triggers, finish }: Session,
  { end }: EntryOf<'run_ended'>,
): Pick<Session, 'triggers'> | undefined {
  if (end.kind === 'asked' || end.kind === 'stopped') return undefined;
  const isGood =
    end.kind === 'answered' || (end.kind === 'finished' && finish?.outcome !== 'cannot');
  const outcome = isGood ? 'good' : 'bad';
  return {
    triggers: triggers.map((trigger, at) =>
      trigger.outcome === undefined || at === triggers.length - 1
        ? { ...trigger, outcome }
        : trigger,
    ),
  };
}

/** The label is gone that started the work, or could have where a comment did. */
function unlabeled(session: Session, { seq, sender, intent }: Received): Partial<Session> {
  const isOther = intent.kind !== 'unlabeled' || ![intent.label, ''].includes(session.label);
  if (isOther || !isUnderWay(session)) return {};
  return stopped(session, { seq }, `${sender.login} removed the label \`${intent.label}\`.`);
}

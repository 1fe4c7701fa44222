// Who did what in a session, as its journal has it: for whoever has to answer for it. It has no words of people.
import type { Intent, Person } from '../contracts/intent.ts';
import { dollarsOf, isPriceUnknown } from './kept-entries.ts';
import type { Entry, EntryOf } from './entry.ts';
import { apply, fold } from './fold/fold.ts';
import type { Session } from './session.ts';
import { isClosed, isQuestionOpen, needsRun } from './state.ts';

export interface AuditedAct {
  /** ISO, when it was received. */
  readonly at: string;
  readonly person: Person;
  readonly did:
    | 'requested'
    | 'answered'
    | 'approved'
    | 'stopped'
    | 'closed'
    | 'paused'
    | 'resumed'
    | 'commanded';
  /** The command that it was given with. */
  readonly command?: string;
  /** US dollars that were spent from then on, until the next deed in the session. */
  readonly dollars: number;
  /** Some prices of these are not known. */
  readonly isPartial: boolean;
}

/** In their order. `entries`: the whole journal. */
export function deedsIn([first, ...rest]: readonly Entry[]): readonly AuditedAct[] {
  if (first === undefined) return [];
  let session = fold([first]);
  const received = new Map<number, EntryOf<'received'>>();
  const deeds: AuditedAct[] = [];
  for (const entry of rest) {
    const before = session;
    session = apply(session, entry);
    if (entry.type === 'received') received.set(entry.seq, entry);
    const origin = originOf(entry, received);
    const did = origin === undefined ? undefined : deedIn(entry, before, session);
    if (origin !== undefined && did !== undefined) {
      const { sender: person, at, intent } = origin;
      const command = commandOf(entry, intent);
      const given = command === undefined ? {} : { command };
      deeds.push({ at, person, did, ...given, dollars: 0, isPartial: false });
    }
    charge(deeds, entry);
  }
  return deeds;
}

function originOf(entry: Entry, received: ReadonlyMap<number, EntryOf<'received'>>) {
  if (entry.type === 'received') return entry;
  return entry.type === 'admitted' ? received.get(entry.received) : undefined;
}

/** What an entry changed says what its author did. The first that fits counts: an answer is a request, too. */
function deedIn(entry: Entry, before: Session, after: Session): AuditedAct['did'] | undefined {
  const [was, is] = [before.waiting, after.waiting];
  if (!isClosed(before) && isClosed(after)) return 'closed';
  if (before.requests.stop === undefined && after.requests.stop !== undefined) return 'stopped';
  if (was.pausedBy === undefined && is.pausedBy !== undefined) return 'paused';
  if (was.pausedBy !== undefined && is.pausedBy === undefined) return 'resumed';
  if (isApproved(before, after)) return 'approved';
  if (isQuestionOpen(before) && !isQuestionOpen(after)) return 'answered';
  if (entry.type !== 'admitted') return undefined;
  const isRequest =
    entry.ask?.for === 'work' ||
    after.requests.requesters.length > before.requests.requesters.length ||
    (!needsRun(before) && needsRun(after));
  if (isRequest) return 'requested';
  return commandOf(entry) === undefined ? undefined : 'commanded';
}

const isApproved = ({ waiting: was, checks }: Session, after: Session): boolean =>
  (was.approval !== 'given' && after.waiting.approval === 'given') ||
  (was.approvedWorkflows !== after.waiting.approvedWorkflows &&
    after.waiting.approvedWorkflows !== undefined) ||
  (!checks.allowed && after.checks.allowed);

function commandOf(entry: Entry, intent?: Intent): string | undefined {
  if (intent?.kind === 'operator_command') return intent.command;
  if (intent?.kind === 'check_action') return intent.action;
  const asked = entry.type === 'admitted' ? entry.ask?.for : undefined;
  return asked === 'work' || asked === 'unclear' ? undefined : asked;
}

function charge(deeds: AuditedAct[], entry: Entry): void {
  const last = deeds.at(-1);
  if (last === undefined) return;
  const dollars = last.dollars + (dollarsOf(entry) ?? 0);
  deeds[deeds.length - 1] = {
    ...last,
    dollars,
    isPartial: last.isPartial || isPriceUnknown(entry),
  };
}

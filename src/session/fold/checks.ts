// The checks of the pull request: what is known of them, and whether failures are to be fixed.
import type { Entry, EntryOf } from '../entry.ts';
import { checksKey } from '../github-names.ts';
import type { Checks } from '../parts/session-checks.ts';
import type { Session } from '../session.ts';
import { beginsAnew } from './outcome.ts';
import type { EntryOutcome } from './happened.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';
import { isWithdrawal } from '../said/asks.ts';

export const NO_CHECKS: Checks = {
  hinted: [],
  last: undefined,
  asked: undefined,
  due: undefined,
  allowed: false,
  rounds: 0,
  fixes: 0,
  fixed: [],
};

export const CHECKS: Table<Checks> = {
  ...MOSTLY_UNCHANGED,
  received: (checks, entry, { session, outcome }) =>
    settled(hinted(checks, entry, session), outcome),
  admitted: (checks, entry, { session, outcome }) =>
    settled(admitted(checks, entry, session, outcome), outcome),
  permissions_accepted: (checks, { seq }, { session: { thread, work } }) =>
    thread.pullRequest?.state === 'open' && work.head !== undefined
      ? withHint(checks, work.head, seq)
      : checks,
  checks_read: (checks, entry) => read(checks, entry),
  run_started: (checks) => (checks.due === undefined ? checks : begun(checks)),
  input_read: (checks, { upTo }) =>
    checks.due !== undefined && checks.due <= upTo ? { ...checks, due: undefined } : checks,
  run_ended: (checks, entry, { session }) => afterRun(checks, entry, session),
  published: (checks, { key, id }) =>
    checks.asked !== undefined && key === checksKey(checks.asked.seq)
      ? { ...checks, asked: { ...checks.asked, comment: { id } } }
      : checks,
  ...noChange(
    'run_prepared',
    'run_resumed',
    'run_deferred',
    'run_paused',
    'reply',
    'call_started',
    'call_finished',
    'work_saved',
    'compacted',
  ),
};

function hinted(checks: Checks, { seq, intent }: EntryOf<'received'>, { thread }: Session): Checks {
  if (intent.kind !== 'checks_changed' || thread.pullRequest?.state !== 'open') return checks;
  return withHint(checks, intent.sha, seq);
}

/** Commits that are pushed one after another, before any of them is looked at. */
const MOST_HINTS = 20;

const withHint = (checks: Checks, sha: string, seq: number): Checks => ({
  ...checks,
  hinted: [...checks.hinted.filter((one) => one.sha !== sha), { sha, seq }].slice(-MOST_HINTS),
});

/** Nothing is fixed any more on a pull request that is closed, or after a stop. */
function settled(checks: Checks, { event, stop }: EntryOutcome): Checks {
  if (event?.kind === 'pull_request_closed') return { ...checks, ...NOTHING_DUE, last: undefined };
  return stop === undefined ? checks : { ...checks, ...NOTHING_DUE };
}

const NOTHING_DUE = {
  hinted: [],
  asked: undefined,
  due: undefined,
  allowed: false,
} as const;

function admitted(
  checks: Checks,
  { seq }: EntryOf<'admitted'>,
  session: Session,
  outcome: EntryOutcome,
): Checks {
  if (beginsAnew(session, outcome)) return NO_CHECKS;
  if (outcome.fix === true)
    return { ...checks, due: seq, allowed: true, asked: undefined, rounds: 0, fixed: [] };
  if (outcome.look === true && session.work.head !== undefined)
    return { ...withHint(checks, session.work.head, seq), rounds: 0 };
  const item = outcome.request?.item;
  const isPerson = item !== undefined && item.sender.bot !== true;
  return isPerson && !isWithdrawal(item.intent) ? { ...checks, rounds: 0 } : checks;
}

function read(checks: Checks, { seq, sha, result, upTo = seq }: EntryOf<'checks_read'>): Checks {
  const after = { ...checks, hinted: checks.hinted.filter((one) => one.seq > upTo) };
  switch (result.kind) {
    case 'outdated':
      return after;
    case 'unsettled':
    case 'none':
    case 'off':
      return checks.last?.result.kind === 'unreadable' ? { ...after, last: undefined } : after;
    case 'unchanged':
      return checks.last === undefined ? after : { ...after, last: { ...checks.last, sha } };
    case 'unreadable':
      return { ...after, last: { seq, sha, result } };
    case 'passed':
      return {
        ...after,
        last: { seq, sha, result },
        asked: undefined,
        allowed: false,
        fixed: [],
      };
    case 'failed': {
      const { next } = result;
      return {
        ...after,
        last: { seq, sha, result },
        asked: next.do === 'ask' ? { seq, comment: undefined } : undefined,
        due: next.do === 'fix' ? seq : undefined,
        allowed: next.do === 'leave' ? false : checks.allowed,
        fixes: checks.last?.result.kind === 'passed' ? 0 : checks.fixes,
      };
    }
    default:
      return result satisfies never;
  }
}

function begun(checks: Checks): Checks {
  const { last, rounds, fixes } = checks;
  const failures = last?.result.kind === 'failed' ? last.result.failures : [];
  const fixed = failures.map(({ fingerprint }) => fingerprint);
  return { ...checks, rounds: rounds + 1, fixes: fixes + 1, fixed };
}

/** What a run pushed is looked at, whether GitHub tells of its checks or not. One that failed had its chance. */
function afterRun(
  checks: Checks,
  { seq, end }: EntryOf<'run_ended'>,
  { thread, work }: Session,
): Checks {
  const hasEnded = end.kind === 'finished' || end.kind === 'asked' || end.kind === 'answered';
  const after = hasEnded ? checks : { ...checks, due: undefined };
  const isNew = work.head !== undefined && work.head !== checks.last?.sha;
  return thread.pullRequest?.state === 'open' && isNew && work.head !== undefined
    ? withHint(after, work.head, seq)
    : after;
}

/** What is said of the checks once: of each reading that a person has to act on. */
export const isTold = (entry: Entry): entry is EntryOf<'checks_read'> =>
  entry.type === 'checks_read' && entry.result.kind === 'failed' && entry.result.next.do !== 'fix';

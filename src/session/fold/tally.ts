// What the session has taken: time, rounds, and the words of people.
import type { Entry, EntryOf } from '../entry.ts';
import { readable } from '../merging.ts';
import { reviewWork } from '../requested-work.ts';
import type { Session } from '../session.ts';
import type { Tally } from '../parts/session-counts.ts';
import type { EntryOutcome } from './happened.ts';
import { MOSTLY_UNCHANGED, type Table } from './table.ts';

export const newTally = ({ at }: EntryOf<'opened'>): Tally => ({
  begunAt: '',
  signAt: '',
  proposedAt: '',
  mergedAt: '',
  activeAt: at,
  model: '',
  rounds: 0,
  touches: 0,
  workedMs: 0,
  steppedAt: undefined,
});

const seen = (tally: Tally, { at }: Entry): Tally => ({ ...tally, activeAt: at });

/** A step of the run, and the time since the one before. */
const stepped = (tally: Tally, { at }: Entry): Tally => ({
  ...tally,
  activeAt: at,
  workedMs: tally.workedMs + sinceStep(tally, at),
  steppedAt: at,
});

const sinceStep = ({ steppedAt }: Tally, at: string): number =>
  steppedAt === undefined ? 0 : Math.max(0, Date.parse(at) - Date.parse(steppedAt));

/** The run is left: what comes before its next step is no work. */
const left = (tally: Tally, entry: Entry): Tally => ({
  ...stepped(tally, entry),
  steppedAt: undefined,
});

/** The time that the service was down does not count. */
const entered = (tally: Tally, { at }: Entry): Tally => ({ ...tally, activeAt: at, steppedAt: at });

/** A pull request counts when it is first opened. */
const acted = (tally: Tally, entry: EntryOf<'call_finished' | 'work_saved'>): Tally => {
  const isProposed = entry.effects.some(({ type }) => type === 'pull_request');
  return isProposed && tally.proposedAt === '' ? { ...tally, proposedAt: entry.at } : tally;
};

/** A run counts once, however many reviews it reads. */
const isRoundOfReview = (session: Session, { upTo }: EntryOf<'input_read'>): boolean =>
  session.run?.number !== session.reviews.sinceAsked.lastRun &&
  readable(session).some((item) => item.admittedAt <= upTo && reviewWork(session, item) === 'work');

export const TALLY: Table<Tally> = {
  ...MOSTLY_UNCHANGED,
  published: (tally, { at }) =>
    tally.signAt === '' && tally.begunAt !== '' ? { ...tally, signAt: at } : tally,
  received: (tally, entry, { session: { thread } }) => {
    const { intent } = entry;
    const ours = thread.pullRequest?.number ?? thread.adopted?.number;
    const isMerged =
      intent.kind === 'pull_request_closed' && intent.merged && intent.pullRequest === ours;
    return { ...seen(tally, entry), mergedAt: isMerged ? entry.at : tally.mergedAt };
  },
  admitted: (tally, entry, { session, outcome }) => ({
    ...tally,
    begunAt: tally.begunAt === '' && outcome.work !== undefined ? entry.at : tally.begunAt,
    activeAt: entry.at,
    touches: tally.touches + (isTouch(session, outcome) ? 1 : 0),
  }),
  run_started: entered,
  run_resumed: entered,
  run_prepared: (tally, entry) => ({ ...stepped(tally, entry), model: entry.model }),
  input_read: (tally, entry, { session }) => ({
    ...stepped(tally, entry),
    rounds: tally.rounds + (isRoundOfReview(session, entry) ? 1 : 0),
  }),
  reply: stepped,
  call_started: stepped,
  call_finished: (tally, entry) => acted(stepped(tally, entry), entry),
  compacted: stepped,
  run_deferred: left,
  run_paused: left,
  run_ended: left,
  merge_failed_tests: stepped,
  merge_ended: stepped,
  question_expired: seen,
  work_saved: acted,
};

/** Whether someone had to say this, after the request that the work began with. Praise and approval of the result are no touch. */
function isTouch(session: Session, { request, work, stop, pausedBy, fix }: EntryOutcome): boolean {
  const { requests, waiting } = session;
  if (request === undefined || requests.requester === undefined) return false;
  const { intent } = request.item;
  if (reviewWork(session, request.item) === 'work' && request.isForModel) return true;
  if (intent.kind === 'thumbs_up' || intent.kind === 'start' || fix === true) return true;
  const isAsked = waiting.question !== undefined || waiting.proposal !== undefined;
  const isHeard = intent.kind === 'comment' && isAsked && request.isForModel;
  return work !== undefined || stop !== undefined || pausedBy !== undefined || isHeard;
}

// What the session has taken: time, rounds, and the words of people.
import type { Entry, EntryOf } from '../entry.ts';
import { readable } from '../merging.ts';
import { reviewWork } from '../requested-work.ts';
import type { Session } from '../session.ts';
import {
  MOST_POINTS,
  type SessionProgress,
  type Spending,
  type SpendingPoint,
  type Tally,
} from '../parts/session-counts.ts';
import type { EntryOutcome } from './happened.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';
import type { Effect } from '../../contracts/effect.ts';
import type { Usage } from '../../contracts/model.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';

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

// What the agent's steps add up to.

const NOTHING_USED = {
  used: { turns: 0, tokens: 0, dollars: 0 },
  faultsInARow: 0,
  hasChangedFiles: false,
  workedMs: 0,
};

export const NO_PROGRESS: SessionProgress = {
  ...NOTHING_USED,
  replies: 0,
  steppedAt: '',
  workingSince: '',
};

const progressed = (progress: SessionProgress, { at }: Entry): SessionProgress => ({
  ...progress,
  steppedAt: at,
});

export const PROGRESS: Table<SessionProgress> = {
  ...MOSTLY_UNCHANGED,
  run_started: (progress, { at }) => ({ ...progress, ...NOTHING_USED, workingSince: at }),
  run_resumed: resumed,
  input_read: progressed,
  notice: progressed,
  protocol_changed: progressed,
  images_dropped: progressed,
  call_started: progressed,
  compacted: (progress, entry) => usedBy(progressed(progress, entry), entry, 0),
  reply: (progress, entry) => ({
    ...usedBy(progressed(progress, entry), entry, 1),
    replies: progress.replies + 1,
    faultsInARow: entry.fault === null ? 0 : progress.faultsInARow + 1,
  }),
  call_finished: (progress, entry) => ({
    ...entry.effects.reduce(withPaid, progressed(progress, entry)),
    hasChangedFiles: progress.hasChangedFiles || entry.changedFiles !== undefined,
  }),
  ...noChange(
    'received',
    'admitted',
    'run_prepared',
    'run_deferred',
    'run_paused',
    'run_ended',
    'work_saved',
  ),
};

/** What the run was deferred for, or the service was down, is after the last step. */
function resumed(progress: SessionProgress, { at }: EntryOf<'run_resumed'>): SessionProgress {
  const { steppedAt, workingSince, workedMs } = progress;
  const stretch = Date.parse(steppedAt) - Date.parse(workingSince);
  return { ...progress, workedMs: workedMs + Math.max(0, stretch || 0), workingSince: at };
}

const withPaid = (progress: SessionProgress, effect: Effect): SessionProgress =>
  'usage' in effect ? usedBy(progress, effect, 0) : progress;

const usedBy = (
  progress: SessionProgress,
  { usage, cost }: { readonly usage: Usage; readonly cost: number | null },
  turns: number,
): SessionProgress => ({
  ...progress,
  used: {
    turns: progress.used.turns + turns,
    tokens: progress.used.tokens + usage.input + usage.output,
    dollars: progress.used.dollars + (cost ?? 0),
  },
});

// What the session has cost, and who has received its code and comments.

export const NO_SPENDING: Spending = {
  usage: NO_USAGE,
  cost: { dollars: 0, isPartial: false },
  course: [],
  destinations: [],
  reviewers: [],
  embedders: [],
};

export const SPENDING: Table<Spending> = {
  ...MOSTLY_UNCHANGED,
  reply: (spending, entry, { session }) => {
    const after = spent(spending, entry);
    return { ...after, course: continued(after, session.tally, entry.at) };
  },
  compacted: (spending, entry) => spent(spending, entry),
  run_prepared: (spending, { destination, reviewer }) => ({
    ...spending,
    reviewers:
      reviewer === undefined
        ? spending.reviewers
        : [...new Set([...spending.reviewers, reviewer.destination])],
    destinations: [...spending.destinations.filter((one) => one !== destination), destination],
  }),
  call_finished: (spending, { effects }) => effects.reduce(paid, spending),
  ...noChange(
    'received',
    'admitted',
    'run_started',
    'run_resumed',
    'run_deferred',
    'run_paused',
    'run_ended',
    'input_read',
    'call_started',
    'work_saved',
  ),
};

/** Every second point leaves when there are too many: the course of a long session is as short as that of any other. */
function continued(
  { course, usage, cost: { dollars } }: Spending,
  { workedMs, steppedAt = '' }: Tally,
  at: string,
): readonly SpendingPoint[] {
  const sinceStep = Math.max(0, Date.parse(at) - Date.parse(steppedAt)) || 0;
  const tokens = usage.input + usage.output;
  const points = [...course, { workedMs: workedMs + sinceStep, tokens, dollars }];
  return points.length > MOST_POINTS ? points.filter((_point, index) => index % 2 === 0) : points;
}

function paid(spending: Spending, effect: Effect): Spending {
  const after = 'usage' in effect ? spent(spending, effect) : spending;
  if (effect.type !== 'embedded') return after;
  return { ...after, embedders: [...new Set([...spending.embedders, effect.destination])] };
}

/** Replies, summaries and some calls cost money; without a known price, only their tokens are counted. */
const spent = (
  spending: Spending,
  { usage, cost }: { readonly usage: Usage; readonly cost: number | null },
): Spending => ({
  ...spending,
  usage: {
    input: spending.usage.input + usage.input,
    cached: spending.usage.cached + usage.cached,
    written: spending.usage.written + usage.written,
    output: spending.usage.output + usage.output,
    reasoning: spending.usage.reasoning + usage.reasoning,
    ...(spending.usage.isEstimated === true || usage.isEstimated === true
      ? { isEstimated: true as const }
      : {}),
  },
  cost: {
    dollars: spending.cost.dollars + (cost ?? 0),
    isPartial: spending.cost.isPartial || cost === null,
  },
});

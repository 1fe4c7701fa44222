// The latest run.
import type { Effect } from '../../contracts/effect.ts';
import type { EntryOf } from '../entry.ts';
import { branchOf } from '../github-names.ts';
import { isBefore } from '../moment.ts';
import { pullRequestState } from '../parts/session-thread.ts';
import type { RunInfo, Session } from '../session.ts';
import type { EntryOutcome } from './happened.ts';
import { isSplitToBegin, proposalToReplace, reviewToBegin } from '../requested-work.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';

type Run = RunInfo | undefined;

export const RUN: Table<Run> = {
  ...MOSTLY_UNCHANGED,
  run_started: (_run, entry, { session }) => started(entry, session),
  run_prepared: (run, entry) => run && prepared(run, entry),
  run_resumed: (run, entry) => run && resumed(run, entry),
  run_deferred: (run, { reason, until, cause, outage }) =>
    run && {
      ...run,
      outage: outage === undefined ? run.outage : { ...outage, reason },
      modelAskedAt: undefined,
      timesWithoutRoom: run.timesWithoutRoom + (cause === 'write_budget' ? 1 : 0),
      deferred: withoutUndefined({ reason, until, cause }),
    },
  run_paused: (run) => run && { ...run, paused: true, modelAskedAt: undefined },
  reply: (run, entry) => run && replied(run, entry),
  call_started: (run, { title }) =>
    run && { ...run, activity: title, startedCall: title, modelAskedAt: undefined },
  call_finished: (run, entry, { session }) => {
    const after = entry.effects.reduce((before, effect) => affected(before, effect, session), run);
    return after && callFinished(after, entry);
  },
  branch_moved: (run) => run && { ...run, callsLeft: 0, timesMoved: run.timesMoved + 1 },
  image_fetch_started: (run, { image }) =>
    run && { ...run, activity: `Fetching the image ${image}`, modelAskedAt: undefined },
  // A run that was prepared before asks the model next, unless calls of its reply are left.
  image_fetched: (run, { at }) =>
    run && {
      ...run,
      activity: 'Reading the repository',
      modelAskedAt: run.callsLeft === 0 && run.model !== '' ? at : undefined,
    },
  self_review_started: (run, { model }) => run && { ...run, activity: `Self-review by ${model}` },
  merge_started: (run, { branch }) => run && { ...run, activity: `Merging ${branch}` },
  work_saved: (run, { effects }, { session }) =>
    effects.reduce((before, effect) => affected(before, effect, session), run),
  run_ended: (run, { end, at }) =>
    run && {
      ...run,
      deferred: undefined,
      paused: false,
      modelAskedAt: undefined,
      end,
      endedAt: at,
    },
  received: (run, _entry, { outcome }) => interrupted(run, outcome),
  admitted: (run, _entry, { outcome }) => interrupted(run, outcome),
  next_issue_started: (run, entry) =>
    run?.number === entry.run ? { ...run, nextIssueSearched: true } : run,
  ...noChange('input_read', 'compacted'),
};

const started = (
  { run, at, afresh, repliesToRequests, repliesAtOnce }: EntryOf<'run_started'>,
  session: Session,
): RunInfo => ({
  number: run,
  model: '',
  effort: undefined,
  outage: undefined,
  fallback: undefined,
  destination: '',
  mode: 'agent',
  shell: undefined,
  image: undefined,
  limits: {},
  warnings: [],
  continuous: false,
  afresh: afresh === true,
  repliesToRequests: repliesToRequests === true,
  repliesAtOnce: repliesAtOnce === true,
  branch: '',
  baseBranch: '',
  baseCommit: '',
  startedAt: at,
  turns: 0,
  comments: 0,
  memories: 0,
  beganOnPullRequest: pullRequestState(session.thread) === 'open',
  reviews: reviewToBegin(session),
  splits: isSplitToBegin(session),
  beganWithoutPush: session.thread.adopted?.pushing === 'not_allowed',
  replacesProposalOf: proposalToReplace(session),
  wasAskedWhy: false,
  heldBack: false,
  timesMoved: 0,
  timesWithoutRoom: 0,
  resumesWithoutReply: 0,
  deferred: undefined,
  paused: false,
  interruptedAt: undefined,
  end: undefined,
  endedAt: undefined,
  answer: undefined,
  finish: undefined,
  activity: 'Reading the repository',
  startedCall: '',
  lastCall: '',
  callsLeft: 0,
  modelAskedAt: undefined,
  nextIssueSearched: false,
});

function prepared(run: RunInfo, entry: EntryOf<'run_prepared'>): RunInfo {
  const { model, effort, fallback, destination, mode, shell, image } = entry;
  const { branch, baseBranch, baseCommit } = entry;
  // The failures were those of the other one.
  const isOther = run.model !== '' && run.model !== model;
  return {
    ...run,
    ...(isOther ? { outage: undefined, resumesWithoutReply: 0 } : {}),
    model,
    effort,
    fallback,
    destination,
    mode,
    shell,
    image,
    branch,
    baseBranch,
    baseCommit,
    limits: entry.limits ?? {},
    warnings: entry.warnings ?? [],
    continuous: entry.continuous === true,
    modelAskedAt: entry.at,
  };
}

const resumed = (run: RunInfo, { shell, at }: EntryOf<'run_resumed'>): RunInfo => ({
  ...run,
  // A pause, or a wait for something outside, does not count as a failed attempt.
  resumesWithoutReply:
    run.resumesWithoutReply + (run.paused || run.deferred?.cause !== undefined ? 0 : 1),
  deferred: undefined,
  paused: false,
  shell: run.shell === undefined ? undefined : shell,
  activity: 'Resuming the work',
  modelAskedAt: run.callsLeft === 0 && run.model !== '' ? at : undefined,
});

/** A reply whose calls are all done, or that has none, is followed by the next request. */
function replied(run: RunInfo, { answer, calls, fault, at }: EntryOf<'reply'>): RunInfo {
  const callsLeft = fault === null ? calls.length : 0;
  return {
    ...run,
    turns: run.turns + 1,
    resumesWithoutReply: 0,
    outage: undefined,
    answer: answer ?? undefined,
    callsLeft,
    modelAskedAt: callsLeft === 0 ? at : undefined,
  };
}

/** Calls that are journaled only once they are done bring their title with them. */
function callFinished(run: RunInfo, { title, at }: EntryOf<'call_finished'>): RunInfo {
  const lastCall = title ?? run.startedCall;
  const callsLeft = Math.max(0, run.callsLeft - 1);
  const modelAskedAt = callsLeft === 0 ? at : undefined;
  return { ...run, lastCall, callsLeft, modelAskedAt, activity: lastCall };
}

/** What is asked after this is new, however long the run takes to end. */
function interrupted(run: Run, { interruptsAt: at }: EntryOutcome): Run {
  if (run === undefined || run.end !== undefined || at === undefined) return run;
  const { interruptedAt: before } = run;
  return before !== undefined && isBefore(at, before) ? run : { ...run, interruptedAt: at };
}

function affected(run: Run, effect: Effect, session: Parameters<typeof branchOf>[0]): Run {
  if (run === undefined) return undefined;
  if (effect.type === 'branch') return { ...run, branch: branchOf(session, effect.suffix) };
  if (effect.type === 'comment') return { ...run, comments: run.comments + 1 };
  if (effect.type === 'reason_asked') return { ...run, wasAskedWhy: true };
  if (effect.type === 'memory') return { ...run, memories: run.memories + 1 };
  if (effect.type === 'self_reviewed' && effect.heldBack === true)
    return { ...run, heldBack: true };
  return effect.type === 'finish'
    ? { ...run, finish: { outcome: effect.outcome, summary: effect.summary } }
    : run;
}

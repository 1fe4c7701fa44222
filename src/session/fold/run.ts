// The latest run.
import type { Effect } from '../../contracts/effect.ts';
import type { EntryOf } from '../entry.ts';
import { branchOf } from '../github-names.ts';
import type { RunInfo } from '../session.ts';
import { noChange, type Table } from './table.ts';

type Run = RunInfo | undefined;

export const RUN: Table<Run> = {
  run_started: (_run, entry) => started(entry),
  run_prepared: (run, entry) => run && prepared(run, entry),
  run_resumed: (run, entry) => run && resumed(run, entry),
  run_deferred: (run, { reason, until, cause }) =>
    run && { ...run, deferred: { reason, until, ...(cause === undefined ? {} : { cause }) } },
  run_paused: (run) => run && { ...run, paused: true },
  reply: (run, { answer }) =>
    run && { ...run, turns: run.turns + 1, resumesWithoutReply: 0, answer: answer ?? undefined },
  call_started: (run, { title }) => run && { ...run, activity: title },
  call_finished: (run, { effects, title }, { session }) => {
    const after = effects.reduce((before, effect) => affected(before, effect, session), run);
    return after && title !== undefined ? { ...after, activity: title } : after;
  },
  work_saved: (run, { effects }, { session }) =>
    effects.reduce((before, effect) => affected(before, effect, session), run),
  run_ended: (run, { end, at }) =>
    run && { ...run, deferred: undefined, paused: false, end, endedAt: at },
  received: (run, _entry, { outcome }) =>
    outcome.interruptsAt === undefined ? run : interrupted(run),
  admitted: (run, _entry, { outcome }) =>
    outcome.interruptsAt === undefined ? run : interrupted(run),
  next_issue_started: (run, entry) =>
    run?.number === entry.run ? { ...run, nextIssueSearched: true } : run,
  ...noChange('opened', 'rejected', 'published', 'publishing_blocked', 'input_read', 'notice'),
  ...noChange('service_paused', 'service_resumed', 'question_expired', 'call_output'),
  ...noChange('protocol_changed', 'compacted', 'memory_answered'),
};

const started = ({ run, at }: EntryOf<'run_started'>): RunInfo => ({
  number: run,
  model: '',
  destination: '',
  mode: 'agent',
  shell: undefined,
  warnings: [],
  continuous: false,
  branch: '',
  baseBranch: '',
  baseCommit: '',
  startedAt: at,
  turns: 0,
  comments: 0,
  memories: 0,
  resumesWithoutReply: 0,
  deferred: undefined,
  paused: false,
  stopRequested: false,
  end: undefined,
  endedAt: undefined,
  answer: undefined,
  finish: undefined,
  activity: 'Reading the repository',
  nextIssueSearched: false,
});

function prepared(run: RunInfo, entry: EntryOf<'run_prepared'>): RunInfo {
  const { model, destination, mode, shell, branch, baseBranch, baseCommit } = entry;
  return {
    ...run,
    model,
    destination,
    mode,
    shell,
    branch,
    baseBranch,
    baseCommit,
    warnings: entry.warnings ?? [],
    continuous: entry.continuous === true,
    activity: 'Asking the model',
  };
}

const resumed = (run: RunInfo, { shell }: EntryOf<'run_resumed'>): RunInfo => ({
  ...run,
  // A pause, or a wait for something outside, does not count as a failed attempt.
  resumesWithoutReply:
    run.resumesWithoutReply + (run.paused || run.deferred?.cause !== undefined ? 0 : 1),
  deferred: undefined,
  paused: false,
  shell: run.shell === undefined ? undefined : shell,
  activity: 'Resuming the work',
});

/** What is asked after this is new, however long the run takes to end. */
const interrupted = (run: Run): Run =>
  run === undefined || run.end !== undefined ? run : { ...run, stopRequested: true };

function affected(run: Run, effect: Effect, session: Parameters<typeof branchOf>[0]): Run {
  if (run === undefined) return undefined;
  if (effect.type === 'branch') return { ...run, branch: branchOf(session, effect.suffix) };
  if (effect.type === 'comment') return { ...run, comments: run.comments + 1 };
  if (effect.type === 'memory') return { ...run, memories: run.memories + 1 };
  return effect.type === 'finish'
    ? { ...run, finish: { outcome: effect.outcome, summary: effect.summary } }
    : run;
}

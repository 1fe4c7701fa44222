// What the entries of a run change in a session.
import { branchOf } from '../branch.ts';
import type { Effect, RanCommand } from '../../contracts/effect.ts';
import type { Usage } from '../../contracts/model.ts';
import type { EntryOf } from '../entries/entry.ts';
import { asked, planned, planSettled } from './waits.ts';
import type { RunInfo, Session } from '../session.ts';

export function runStarted(entry: EntryOf<'run_started'>): Partial<Session> {
  return {
    run: {
      number: entry.run,
      model: '',
      destination: '',
      mode: 'agent',
      shell: undefined,
      warnings: [],
      continuous: false,
      branch: '',
      baseBranch: '',
      baseCommit: '',
      startedAt: entry.at,
      turns: 0,
      comments: 0,
      resumed: 0,
      parked: undefined,
      paused: false,
      answer: undefined,
      end: undefined,
      endedAt: undefined,
      endSeq: undefined,
      stopSeq: undefined,
    },
    finish: undefined,
    activity: 'Reading the repository',
  };
}

/** What is asked after it is new, however long the run takes to end. */
export const runStopped = ({ run }: Session, stopSeq: number): Pick<Session, 'run'> => ({
  run: run === undefined || run.end !== undefined ? run : { ...run, stopSeq },
});

/** File changes belong to the commit that they were made on: on another one they are void. */
export function runPrepared(session: Session, entry: EntryOf<'run_prepared'>): Partial<Session> {
  const { model, destination, mode, shell, branch, baseBranch, baseCommit, warnings = [] } = entry;
  const continuous = entry.continuous === true;
  const commits = { branch, baseBranch, baseCommit };
  const prepared = { model, destination, mode, shell, ...commits, warnings, continuous };
  return {
    run: session.run && { ...session.run, ...prepared },
    ...planSettled(session, entry),
    destinations: [...session.destinations.filter((other) => other !== destination), destination],
    activity: 'Asking the model',
    head: baseCommit,
    ...(baseCommit === session.head
      ? {}
      : {
          changesAfter: entry.seq,
          changedAt: entry.seq,
          chosen: undefined,
          moved: mode !== 'completion' && session.seenUpTo > 0,
        }),
  };
}

export const runResumed = (
  { run }: Session,
  { shell }: EntryOf<'run_resumed'>,
): Partial<Session> => ({
  run: run && {
    ...run,
    // Neither a pause nor what it waited for outside is a fault of the run's.
    resumed: run.resumed + (run.paused || run.parked?.on !== undefined ? 0 : 1),
    parked: undefined,
    paused: false,
    shell: run.shell === undefined ? undefined : shell,
  },
  activity: 'Taking the work up again',
});

export function runParked(
  { run }: Session,
  { reason, until, on }: EntryOf<'run_parked'>,
): Partial<Session> {
  const parked = { reason, until, ...(on === undefined ? {} : { on }) };
  return { run: run && { ...run, parked } };
}

export const runPaused = ({ run }: Session): Partial<Session> => ({
  run: run && { ...run, paused: true },
});

export const runEnded = (run: RunInfo, { end, at, seq }: EntryOf<'run_ended'>): RunInfo => ({
  ...run,
  parked: undefined,
  paused: false,
  end,
  endedAt: at,
  endSeq: seq,
});

export function replied(session: Session, entry: EntryOf<'reply'>): Partial<Session> {
  const { run } = session;
  const answer = entry.answer ?? undefined;
  return {
    run: run && { ...run, turns: run.turns + 1, resumed: 0, answer },
    ...spent(session, entry),
  };
}

/** Replies and summaries both cost; what has no known price is counted in tokens alone. */
export function spent(
  { usage: before, cost }: Session,
  { usage, cost: dollars }: { readonly usage: Usage; readonly cost: number | null },
): Pick<Session, 'usage' | 'cost'> {
  return {
    usage: {
      input: before.input + usage.input,
      cached: before.cached + usage.cached,
      written: before.written + usage.written,
      output: before.output + usage.output,
      reasoning: before.reasoning + usage.reasoning,
    },
    cost: {
      dollars: cost.dollars + (dollars ?? 0),
      isPartial: cost.isPartial || dollars === null,
    },
  };
}

export const callFinished = (
  session: Session,
  entry: EntryOf<'call_finished'>,
): Partial<Session> => ({
  ...affectedBy(session, entry),
  ...(entry.title === undefined ? {} : { activity: entry.title }),
  ...(entry.changed === undefined ? {} : { changedAt: entry.seq }),
});

/** What a call, or the service at the end of a run, did beyond the files of the workspace. */
export const affectedBy = (
  session: Session,
  { seq, effects }: EntryOf<'call_finished' | 'work_kept'>,
): Partial<Session> =>
  effects.reduce<Partial<Session>>(
    (sum, effect) => ({ ...sum, ...affected({ ...session, ...sum }, effect, seq) }),
    {},
  );

function affected(session: Session, effect: Effect, seq: number): Partial<Session> {
  switch (effect.type) {
    case 'plan':
      return planned(effect, seq);
    case 'question':
      return asked(effect, seq);
    case 'chosen':
      return { chosen: effect.paths ?? undefined };
    case 'branch':
      return branchNamed(session, effect.words);
    case 'commit':
      return committed(session, effect, seq);
    case 'pull_request': {
      const { number, url, title, said } = effect;
      return { pullRequest: { number, url, title, said, reviewers: [], state: 'open' } };
    }
    case 'review_requested':
      return reviewRequested(session, effect);
    case 'command':
      return { commands: ran(session.commands, effect) };
    case 'tests': {
      const { type: _type, ...run } = effect;
      return { tests: [...session.tests, { ...run, seq }], commands: ran(session.commands, run) };
    }
    case 'setup':
    case 'refused_hosts':
      return {};
    case 'comment':
      return { run: session.run && { ...session.run, comments: session.run.comments + 1 } };
    case 'finish':
      return { finish: { outcome: effect.outcome, summary: effect.summary } };
    default:
      return effect satisfies never;
  }
}

const MOST_COMMANDS = 15;

function ran(
  { count, last }: Session['commands'],
  { command, exitCode, ended, took }: RanCommand,
): Session['commands'] {
  const all = [...last, { command, exitCode, ended, took }];
  return { count: count + 1, last: all.slice(-MOST_COMMANDS) };
}

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

function branchNamed(session: Session, branchWords: string): Partial<Session> {
  const { run } = session;
  const branch = branchOf({ ...session, branchWords });
  return { branchWords, run: run && { ...run, branch } };
}

/**
 * What a commit left out stays among the stored changes: those that it took are in its files too, and
 * change nothing when they are applied once more.
 */
function committed(
  session: Session,
  { sha, message, files, partial }: EffectOf<'commit'>,
  seq: number,
): Partial<Session> {
  return {
    commits: [...session.commits, { sha, message, files }],
    head: sha,
    changesAfter: partial === true ? session.changesAfter : seq,
    chosen: undefined,
  };
}

function reviewRequested(
  { pullRequest }: Session,
  { pullRequest: number, from }: EffectOf<'review_requested'>,
): Partial<Session> {
  if (pullRequest?.number !== number) return {};
  const reviewers = [...new Set([...pullRequest.reviewers, ...from])];
  return { pullRequest: { ...pullRequest, reviewers } };
}

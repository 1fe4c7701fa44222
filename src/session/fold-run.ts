// What the entries of a run change in a session.
import type { EntryOf } from './entry.ts';
import type { RunInfo, Session } from './session.ts';

export function runStarted(entry: EntryOf<'run_started'>): Partial<Session> {
  return {
    run: {
      number: entry.run,
      model: '',
      branch: '',
      baseBranch: '',
      baseCommit: '',
      startedAt: entry.at,
      turns: 0,
      resumed: 0,
      end: undefined,
      endedAt: undefined,
      endSeq: undefined,
    },
    finish: undefined,
    activity: 'Cloning the repository',
  };
}

/** File changes belong to the commit that they were made on: on another one they are void. */
export function runPrepared(session: Session, entry: EntryOf<'run_prepared'>): Partial<Session> {
  const { model, branch, baseBranch, baseCommit } = entry;
  return {
    run: session.run && { ...session.run, model, branch, baseBranch, baseCommit },
    head: baseCommit,
    ...(baseCommit === session.head
      ? {}
      : { changesAfter: entry.seq, moved: session.seenUpTo > 0 }),
  };
}

export const runEnded = (run: RunInfo, { end, at, seq }: EntryOf<'run_ended'>): RunInfo => ({
  ...run,
  end,
  endedAt: at,
  endSeq: seq,
});

export function replied(session: Session, entry: EntryOf<'reply'>): Partial<Session> {
  const { usage } = session;
  return {
    run: session.run && { ...session.run, turns: session.run.turns + 1, resumed: 0 },
    usage: {
      input: usage.input + entry.usage.input,
      cached: usage.cached + entry.usage.cached,
      output: usage.output + entry.usage.output,
      reasoning: usage.reasoning + entry.usage.reasoning,
    },
  };
}

type Effects = EntryOf<'call_finished'>['effects'];

export function affected(session: Session, effect: Effects[number], seq: number): Partial<Session> {
  switch (effect.type) {
    case 'plan':
      return { plan: effect.items };
    case 'question':
      return { question: { seq, text: effect.text, url: undefined } };
    case 'commit': {
      const { sha, message, files } = effect;
      return {
        commits: [...session.commits, { sha, message, files }],
        head: sha,
        changesAfter: seq,
      };
    }
    case 'pull_request': {
      const { number, url, title, said } = effect;
      return { pullRequest: { number, url, title, said, state: 'open' } };
    }
    case 'finish':
      return { finish: { outcome: effect.outcome, summary: effect.summary } };
    default:
      return effect satisfies never;
  }
}

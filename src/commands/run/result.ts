// What came of a session by hand: its result or a JSON object, and the exit code.
import type { EndedSession } from '../../app/by-hand/session-by-hand.ts';
import type { FinishOutcome } from '../../contracts/effect.ts';
import type { Session } from '../../session/session.ts';
import { findingList, ownSummary } from '../../session/texts/work-done.ts';
import { cost } from '../../session/texts/format.ts';
import type { HandContext, HandOptions } from '../hand-context.ts';

/** What came of it where the work is. */
export interface RunResultFacts {
  /** For the JSON object: before what all sessions have, and after it. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly ends: Readonly<Record<string, unknown>>;
  /** For standard output; may be empty. */
  readonly output: string;
  /** A sentence that says where to find it. */
  readonly words: string;
}

type Outcome = FinishOutcome | 'failed' | 'limit' | 'unanswered' | 'stopped';

export const EXIT_CODES: Readonly<Record<Outcome, number>> = {
  done: 0,
  partial: 1,
  nothing_to_do: 0,
  cannot: 1,
  failed: 1,
  unanswered: 3,
  limit: 4,
  stopped: 130,
};

type HowItEnded = Pick<HandContext, 'stopped' | 'progress'> & Pick<HandOptions, 'isJson' | 'print'>;

export function outcomeByHand({ run }: Session, stopped: AbortSignal): Outcome {
  const { end, finish } = run ?? {};
  if (end?.kind === 'finished' || end?.kind === 'answered') return finish?.outcome ?? 'done';
  if (stopped.aborted || end?.kind === 'stopped') return 'stopped';
  if (end?.kind === 'asked') return 'unanswered';
  return end?.kind === 'limit' ? 'limit' : 'failed';
}

const WORDS: Readonly<Record<Outcome, string>> = {
  done: 'Done.',
  partial: 'Done in part.',
  nothing_to_do: 'There was nothing to do.',
  cannot: 'The agent could not do it.',
  failed: 'Failed.',
  limit: 'A limit was reached.',
  unanswered:
    'The agent has a question, and nobody answered. Run it in a terminal, or with --yes to take its proposed answers.',
  stopped: 'Stopped.',
};

const LEFT = 'The self-review found this and left it to you:';

/** Returns the exit code. */
export function reportResult(
  { session, question: unanswered }: EndedSession,
  { facts, ends, output, words }: RunResultFacts,
  { stopped, progress, isJson, print }: HowItEnded,
): number {
  const outcome = outcomeByHand(session, stopped);
  const { run, work, spending } = session;
  const reason = run?.end !== undefined && 'reason' in run.end ? run.end.reason : undefined;
  const question = outcome === 'unanswered' ? unanswered : undefined;
  const summary = run?.finish?.summary || undefined;
  const own = run?.finish?.summary === '' ? ownSummary(session) : undefined;
  const { findings, failure } = work.selfReview ?? { findings: [] };
  const { dollars, isPartial } = spending.cost;
  const isUnknown = isPartial && dollars === 0;
  if (isJson) {
    const commits = work.commits.map(({ sha, message }) => ({ sha, message }));
    const known = { dollars: isUnknown ? null : dollars, isPartial };
    const said = { outcome, ...facts, commits, summary, reason, question, findings };
    const all = { ...said, ...known, ...ends };
    print(JSON.stringify(all, null, 2));
  } else if (output !== '') print(output);
  const left = [
    findings.length === 0 ? undefined : `\n${LEFT}\n${findingList(findings)}`,
    failure === undefined ? undefined : `\nNo model reviewed the change. ${failure}`,
  ];
  const all = [WORDS[outcome], reason, question, summary ?? own, ...left];
  const said = all.filter((part) => part !== undefined);
  progress.say(`\n${said.join('\n')}`);
  progress.say(words);
  progress.say(`Cost: ${cost(spending.cost)}`);
  return EXIT_CODES[outcome];
}

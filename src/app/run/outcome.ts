import type { LoopEnd } from '../../agent/ends.ts';
import { WriteBudgetExhausted, Suspended } from '../../github/errors.ts';
import { messageOf, TellPerson, TryLater } from '../../lib/errors.ts';
import type { DeferralCause } from '../../session/entries/entry.ts';
import type { Session } from '../../session/session.ts';
import { isClosed } from '../../session/state.ts';
import { ClaimLost } from '../../store/store.ts';
import type { Service } from '../service/service.ts';
import type { RunScope } from './scope.ts';

/**
 * Every way in which a stretch of work on a run comes to its end. Those of the loop: it is over
 * (`finished`, `asked`, `answered`, `limit`, `failed`, `stopped`), `paused`, or `deferred`.
 */
export type Outcome =
  | LoopEnd
  | Deferred
  /** The service is stopping: the next one resumes the run. */
  | { readonly kind: 'interrupted' }
  /** Another process works on the session now. */
  | { readonly kind: 'claim_lost' };

type Deferred = Extract<LoopEnd, { kind: 'deferred' }> & {
  /** What it waits for, if that is not the run's own failure. */
  readonly cause?: DeferralCause;
};

/** The reason of a run's signal when its work is over. Any other reason is a shutdown. */
export class Termination extends Error {
  override readonly name = 'Termination';
}

/** Why nothing is left to be done, for people; `undefined` as long as there may be. */
export function terminationReason(session: Session): string | undefined {
  if (isClosed(session)) return 'The issue or its pull request was closed.';
  return session.requests.stop?.reason;
}

interface Rule {
  /** Times that a run is resumed without a reply of the model before such an error ends it. */
  readonly retries: number;
  readonly cause?: DeferralCause;
  /** Why the run is deferred, and why it failed, for people. */
  readonly reason: (error: unknown) => string;
  readonly words: (error: unknown) => string;
}

const RETRIES = 8;
const passing = {
  retries: RETRIES,
  reason: messageOf,
  words: (error: unknown) =>
    `Gave up after ${RETRIES + 1} attempts. Last error: ${messageOf(error)}`,
};

/** What an error makes of a run: the first class that it belongs to decides. */
const RULES: readonly (readonly [new (message: string) => Error, Rule])[] = [
  [TellPerson, { retries: 0, reason: messageOf, words: messageOf }],
  [Suspended, { ...passing, cause: 'installation' }],
  [WriteBudgetExhausted, { ...passing, cause: 'write_budget' }],
  [TryLater, passing],
];

/** Any other error. A lost database connection passes; a bug comes back. */
const SURPRISE: Rule = {
  retries: 2,
  reason: () => 'an internal error occurred, and the work is retried',
  words: () =>
    'Internal error. The operator can find the details in the service log under the ID of this session.',
};

const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * 60_000;

/** `resumed`: how often the run was resumed since the last reply of the model. */
export function outcomeOf(error: unknown, signal: AbortSignal, resumed: number): Outcome {
  if (error instanceof ClaimLost) return { kind: 'claim_lost' };
  const { reason } = signal;
  if (reason instanceof Termination) return { kind: 'stopped', reason: reason.message };
  if (signal.aborted) return { kind: 'interrupted' };
  const rule = RULES.find(([kind]) => error instanceof kind)?.[1] ?? SURPRISE;
  if (resumed >= rule.retries) return { kind: 'failed', reason: rule.words(error) };
  const backOff = Math.min(FIRST_WAIT_MS * 2 ** resumed, LONGEST_WAIT_MS);
  const asked = error instanceof TryLater ? (error.retryAfterMs ?? 0) : 0;
  return {
    kind: 'deferred',
    reason: rule.reason(error),
    until: new Date(Date.now() + Math.max(asked, backOff)),
    ...(rule.cause === undefined ? {} : { cause: rule.cause }),
  };
}

/** What ends the process each time throws nothing that could be counted as a failed attempt. */
const MOST_RESUMES = 20;

/** The end of a run that is resumed again and again without getting anywhere. */
export function endWithoutProgress({ run }: Session): Outcome | undefined {
  if (run === undefined || run.resumesWithoutReply <= MOST_RESUMES) return undefined;
  const reason = `The run was resumed ${MOST_RESUMES} times without getting a reply from the model.`;
  return { kind: 'failed', reason };
}

/** Logs an error that interrupted a run, and says what becomes of the run. */
export function afterError(
  {
    tracker,
    signal,
    service,
  }: Pick<RunScope, 'tracker' | 'signal'> & { readonly service: Pick<Service, 'log'> },
  error: unknown,
): Outcome {
  const { run } = tracker.session;
  service.log.warn({ err: error, session: tracker.id, run: run?.number }, 'run interrupted');
  return outcomeOf(error, signal, run?.resumesWithoutReply ?? 0);
}

import { sharedNow, sharedTime } from '../../lib/clock.ts';
import type { DeferralCause, EndCause, OutsideCause, RunEnd } from '../../contracts/entries.ts';
import { ProviderOutage, QuotaSpent } from '../../agent/model-errors.ts';
import type { LoopEnd } from '../../agent/limits.ts';
import { explainDenial } from '../../github/access/tokens.ts';
import { NoAccess, WriteBudgetExhausted } from '../../github/errors.ts';
import {
  MergedCommitGone,
  MergeRejected,
  messageOf,
  TellPerson,
  Termination,
  TryLater,
} from '../../lib/errors.ts';
import { explainShortage } from '../../lib/reason.ts';
import type { Session } from '../../session/session.ts';
import { ClaimLost } from '../../store/store.ts';
import { BranchMoved } from '../../workspace/git/publish/push.ts';
import type { RunScope, Service } from '../service/service.ts';
import type { EntryOf } from '../../session/entry.ts';
import { measured } from '../../lib/measurements.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { conflictsOf } from '../../session/merging.ts';
import { hasOnlyAnswered } from '../../session/requested-work.ts';
import { reasonFor } from '../../session/texts/run-ends.ts';

/**
 * Every way in which a stretch of work on a run comes to its end. Those of the loop: it is over
 * (`finished`, `asked`, `answered`, `limit`, `failed`, `stopped`), `paused`, or `deferred`.
 * `interrupted`: the service is stopping, and the next one resumes the run. `claim_lost`: another
 * process works on the session now.
 */
export type RunOutcome = LoopEnd | { readonly kind: 'interrupted' | 'claim_lost' };

/**
 * What an attempt at a run comes to: its outcome, or why there is another one. `begin_again`: people allow more than it began
 * with, or its files are not those of the branch. `branch_moved`: someone pushed. `merged_commit_gone`: the server does
 * not have what is to be merged.
 */
export type AttemptOutcome =
  | RunOutcome
  | { readonly kind: 'begin_again' }
  | { readonly kind: 'branch_moved'; readonly message: string }
  | { readonly kind: 'merged_commit_gone'; readonly message: string };

interface Rule {
  readonly of: new (message: string) => Error;
  readonly because: 'error' | OutsideCause;
  /** Times that a run is resumed without a reply of the model before such an error ends it. */
  readonly retries: number;
}

/** What an error makes of a run: the first class that it belongs to decides. */
const RULES: readonly Rule[] = [
  { of: TellPerson, because: 'error', retries: 0 },
  { of: NoAccess, because: 'installation', retries: 8 },
  { of: WriteBudgetExhausted, because: 'write_budget', retries: 8 },
  { of: TryLater, because: 'error', retries: 8 },
];

/** Any other error. A lost database connection passes; a bug comes back. */
const RETRIES_OF_OTHERS = 2;

const FIRST_WAIT_MS = 15_000;
const LONGEST_WAIT_MS = 15 * 60_000;

/**
 * `resumed`: how often the run was resumed since the last reply of the model. `takeOver`: when another model continues it, in
 * milliseconds since the epoch, if this one fails until then.
 */
export function outcomeOfError(
  error: unknown,
  signal: AbortSignal,
  resumed: number,
  takeOver?: number,
): RunOutcome {
  if (error instanceof ClaimLost) return { kind: 'claim_lost' };
  const { reason } = signal;
  if (reason instanceof Termination) return { kind: 'stopped', reason: reason.message };
  if (signal.aborted) return { kind: 'interrupted' };
  const rule = RULES.find(({ of }) => error instanceof of);
  const retries = rule?.retries ?? RETRIES_OF_OTHERS;
  const cause: EndCause =
    rule === undefined
      ? { because: 'internal_error' }
      : {
          because: rule.because,
          message: messageOf(error),
          attempts: retries + 1,
          ...(error instanceof MergeRejected ? { rejectedMerge: true } : {}),
          ...(isOutage(error) ? { isOutage: true } : {}),
        };
  const awaited = isOutage(error) ? takeOver : undefined;
  if (resumed >= retries && awaited === undefined) return { kind: 'failed', cause };
  const isTimeKnown = error instanceof WriteBudgetExhausted;
  const backOff = isTimeKnown ? 0 : Math.min(FIRST_WAIT_MS * 2 ** resumed, LONGEST_WAIT_MS);
  const asked = error instanceof TryLater ? (error.retryAfterMs ?? 0) : 0;
  const now = sharedNow();
  const next = Math.min(now + Math.max(asked, backOff), awaited ?? Infinity);
  return { kind: 'deferred', cause, until: new Date(Math.max(now, next)) };
}

/** Whether the model of another provider may help. */
const isOutage = (error: unknown): boolean =>
  error instanceof ProviderOutage || error instanceof QuotaSpent;

/** What ends the process each time throws nothing that could be counted as a failed attempt. */
const MOST_RESUMES = 20;

/** The end of a run that is resumed again and again without getting anywhere. */
export function endWithoutProgress({ run }: Session): RunOutcome | undefined {
  if (run === undefined || run.resumesWithoutReply <= MOST_RESUMES) return undefined;
  return { kind: 'failed', cause: { because: 'no_reply', resumes: MOST_RESUMES } };
}

/** The step was ended from outside: nothing failed. */
const ENDED: ReadonlySet<RunOutcome['kind']> = new Set(['stopped', 'interrupted', 'claim_lost']);

export type FailedScope = Pick<RunScope, 'tracker' | 'signal'> & {
  readonly github: Pick<RunScope['github'], 'gitToken'>;
  readonly service: Pick<Service, 'log'>;
};

/** Logs an error of a step of a run, and says what becomes of the run. `fallbackAfterMs`: if another model may continue it. */
export async function afterError(
  { tracker, signal, service, github }: FailedScope,
  thrown: unknown,
  fallbackAfterMs?: number,
): Promise<AttemptOutcome> {
  if (thrown instanceof BranchMoved) return { kind: 'branch_moved', message: thrown.message };
  if (thrown instanceof MergedCommitGone)
    return { kind: 'merged_commit_gone', message: thrown.message };
  const error = explainShortage(signal.aborted ? thrown : await explainDenial(thrown, github));
  const { run } = tracker.session;
  const since = run?.outage === undefined ? sharedNow() : Date.parse(run.outage.since);
  const takeOver = fallbackAfterMs === undefined ? undefined : since + fallbackAfterMs;
  const outcome = outcomeOfError(error, signal, run?.resumesWithoutReply ?? 0, takeOver);
  const details = { run: run?.number, outcome: outcome.kind };
  if (ENDED.has(outcome.kind)) service.log.info(details, 'run step ended early');
  else service.log.warn({ err: error, ...details }, 'run step failed');
  return outcome;
}

/** The same, but no later run may do without a merge that was rejected. */
export function insistingOnMerge(outcome: AttemptOutcome): AttemptOutcome {
  if (outcome.kind !== 'failed' || !('rejectedMerge' in outcome.cause)) return outcome;
  const { rejectedMerge: _rejected, ...cause } = outcome.cause;
  return { ...outcome, cause };
}

/**
 * Journals and logs, in words, how a run ended, or why it is left for now; nothing else does. An interrupted
 * run is left as its journal has it, and one whose claim is lost belongs to another process.
 */
export async function settleRun(scope: SettledScope, outcome: RunOutcome): Promise<void> {
  await journal(scope, outcome);
  measured('run', { outcome: outcome.kind });
  const { tracker, service } = scope;
  const { end } = tracker.session.run ?? {};
  if (end === undefined) return;
  service.log[end.kind === 'failed' ? 'warn' : 'info']({ ...logged(tracker), end }, 'run ended');
}

type SettledScope = Pick<RunScope, 'tracker' | 'service'>;

async function journal(
  { tracker, service: { redact } }: SettledScope,
  outcome: RunOutcome,
): Promise<void> {
  const run = tracker.session.run?.number;
  if (run === undefined) return;
  switch (outcome.kind) {
    case 'interrupted':
    case 'claim_lost':
      return;
    case 'paused':
      await tracker.append({ type: 'run_paused', run });
      return;
    case 'deferred': {
      const { cause, until } = outcome;
      const outage = outageIn(cause, tracker.session.run?.outage?.since);
      const why = { reason: redact(reasonFor(outcome, tracker.id)), until: until.toISOString() };
      await tracker.append({ type: 'run_deferred', run, ...why, ...waitingFor(cause), ...outage });
      return;
    }
    case 'limit':
    case 'failed': {
      const reason = redact(reasonFor(outcome, tracker.id));
      await tracker.append({
        type: 'run_ended',
        run,
        end: endOf(outcome, reason, conflictsOf(tracker.session)),
      });
      return;
    }
    case 'stopped': {
      const end = { kind: outcome.kind, reason: redact(outcome.reason) };
      await tracker.append({ type: 'run_ended', run, end });
      return;
    }
    case 'finished':
    case 'asked':
    case 'answered': {
      const kind = hasOnlyAnswered(tracker.session) ? 'asked' : outcome.kind;
      await tracker.append({ type: 'run_ended', run, end: { kind } });
      return;
    }
    default:
      outcome satisfies never;
  }
}

/** Which run, and what it cost. `dollars`: of all runs of the session; left out if no price is known. */
export function logged({ session: { run, spending } }: RunScope['tracker']) {
  const { dollars, isPartial } = spending.cost;
  return { run: run?.number, dollars: isPartial && dollars === 0 ? undefined : dollars };
}

function endOf(
  { kind, cause }: Extract<RunOutcome, { kind: 'limit' | 'failed' }>,
  reason: string,
  conflictsWith: string | undefined,
): RunEnd {
  if (kind === 'limit')
    return {
      kind,
      reason,
      ...(cause.because === 'limit' && cause.isOfIssue === true ? { isOfIssue: true } : {}),
      ...(cause.because === 'limit' && cause.usedUp !== undefined ? { isStill: true } : {}),
      ...withoutUndefined({ conflictsWith }),
    };
  const isRejected = 'rejectedMerge' in cause && cause.rejectedMerge === true;
  return isRejected ? { kind, reason, rejectedMerge: true } : { kind, reason };
}

/** With the time that the run is resumed by, and not the journal's. */
function outageIn(cause: EndCause, since?: string): Pick<EntryOf<'run_deferred'>, 'outage'> {
  if (!('isOutage' in cause) || cause.isOutage !== true) return {};
  const at = sharedTime().toISOString();
  return { outage: { since: since ?? at, at } };
}

const waitingFor = ({ because }: EndCause): { readonly cause?: DeferralCause } =>
  because === 'installation' || because === 'write_budget' || because === 'limit'
    ? { cause: because }
    : {};

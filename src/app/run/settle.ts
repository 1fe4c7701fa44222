import type { DeferralCause, EndCause, RunEnd } from '../../contracts/entries.ts';
import { measured } from '../../lib/measurements.ts';
import { conflictsOf } from '../../session/merging.ts';
import { reasonFor } from '../../session/texts/run-ends.ts';
import type { RunScope } from './scope.ts';
import type { Outcome } from './outcome.ts';

/**
 * Journals and logs, in words, how a run ended, or why it is left for now; nothing else does. An interrupted
 * run is left as its journal has it, and one whose claim is lost belongs to another process.
 */
export async function settle(scope: Settled, outcome: Outcome): Promise<void> {
  await journal(scope, outcome);
  measured('run', { outcome: outcome.kind });
  const { tracker, service } = scope;
  const { end } = tracker.session.run ?? {};
  if (end === undefined) return;
  service.log[end.kind === 'failed' ? 'warn' : 'info']({ ...logged(tracker), end }, 'run ended');
}

type Settled = Pick<RunScope, 'tracker' | 'service'>;

async function journal({ tracker, service: { redact } }: Settled, outcome: Outcome): Promise<void> {
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
      const why = { reason: redact(reasonFor(outcome, tracker.id)), until: until.toISOString() };
      await tracker.append({ type: 'run_deferred', run, ...why, ...waitingFor(cause) });
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
    case 'answered':
      await tracker.append({ type: 'run_ended', run, end: { kind: outcome.kind } });
      return;
    default:
      outcome satisfies never;
  }
}

/** Which run, and what it cost. `dollars`: of all runs of the session. */
export const logged = ({ session: { run, spending } }: RunScope['tracker']) => ({
  run: run?.number,
  dollars: spending.cost.dollars,
});

function endOf(
  { kind, cause }: Extract<Outcome, { kind: 'limit' | 'failed' }>,
  reason: string,
  conflictsWith: string | undefined,
): RunEnd {
  if (kind === 'limit')
    return {
      kind,
      reason,
      ...(cause.because === 'limit' && cause.isOfIssue === true ? { isOfIssue: true } : {}),
      ...(cause.because === 'limit' && cause.usedUp !== undefined ? { isStill: true } : {}),
      ...(conflictsWith === undefined ? {} : { conflictsWith }),
    };
  const isRejected = 'rejectedMerge' in cause && cause.rejectedMerge === true;
  return isRejected ? { kind, reason, rejectedMerge: true } : { kind, reason };
}

const waitingFor = ({ because }: EndCause): { readonly cause?: DeferralCause } =>
  because === 'installation' || because === 'write_budget' ? { cause: because } : {};

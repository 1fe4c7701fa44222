import type { RunScope } from './scope.ts';
import type { Outcome } from './outcome.ts';

/**
 * Journals how a run ended, or why it is left for now; nothing else does. An interrupted run is left
 * as its journal has it, and one whose claim is lost belongs to another process.
 */
export async function settle(
  { tracker, service: { redact } }: Pick<RunScope, 'tracker' | 'service'>,
  outcome: Outcome,
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
      const { reason, until, ...rest } = outcome;
      const cause = 'cause' in rest ? { cause: rest.cause } : {};
      const why = { reason: redact(reason), until: until.toISOString(), ...cause };
      await tracker.append({ type: 'run_deferred', run, ...why });
      return;
    }
    case 'limit':
    case 'failed':
    case 'stopped':
      const end = { ...outcome, reason: redact(outcome.reason) };
      await tracker.append({ type: 'run_ended', run, end });
      return;
    case 'finished':
    case 'asked':
    case 'answered':
      await tracker.append({ type: 'run_ended', run, end: outcome });
      return;
    default:
      outcome satisfies never;
  }
}

import type { DeferralCause, EndCause, RunEnd } from '../../contracts/entries.ts';
import type { EntryOf } from '../../session/entry.ts';
import { sharedTime } from '../../lib/clock.ts';
import { measured } from '../../lib/measurements.ts';
import { conflictsOf } from '../../session/merging.ts';
import { hasOnlyAnswered } from '../../session/requested-work.ts';
import { reasonFor } from '../../session/texts/run-ends.ts';
import type { RunScope } from './scope.ts';
import type { RunOutcome } from './outcome.ts';

/**
 * Journals and logs, in words, how a run ended, or why it is left for now; nothing else does. An interrupted
 * run is left as its journal has it, and one whose claim is lost belongs to another process.
 */
export async function settleRun(scope: Settled, outcome: RunOutcome): Promise<void> {
  await journal(scope, outcome);
  measured('run', { outcome: outcome.kind });
  const { tracker, service } = scope;
  const { end } = tracker.session.run ?? {};
  if (end === undefined) return;
  service.log[end.kind === 'failed' ? 'warn' : 'info']({ ...logged(tracker), end }, 'run ended');
}

type Settled = Pick<RunScope, 'tracker' | 'service'>;

async function journal(
  { tracker, service: { redact } }: Settled,
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
      ...(conflictsWith === undefined ? {} : { conflictsWith }),
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

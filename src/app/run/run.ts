import { noLongerAllowed } from '../../session/texts/run-ends.ts';
import { isRunning } from '../../session/state.ts';
import { whoMayNoLonger } from '../admission/still-allowed.ts';
import { afterError, endWithoutProgress, type Outcome } from './outcome.ts';
import { perform } from './perform.ts';
import { planRun } from './plan.ts';
import { prepareRun } from './prepare.ts';
import { saveStoppedWork } from './save-work.ts';
import type { RunScope } from './scope.ts';
import { logged, settle } from './settle.ts';
import { openWork } from './work.ts';

/**
 * One run, new or interrupted, until it ends or is left for later: plan, prepare, perform, settle.
 * However it goes, the journal says so.
 */
export async function runSession(scope: RunScope): Promise<Outcome> {
  await begin(scope);
  const outcome = await attempt(scope);
  await end(scope, outcome);
  return outcome;
}

/** Ends an interrupted run that is not to be resumed. */
export const stopRun = (scope: RunScope, reason: string): Promise<void> =>
  end(scope, { kind: 'stopped', reason });

async function begin({ tracker, service: { shells, log } }: RunScope): Promise<void> {
  const { session } = tracker;
  const before = session.run?.number ?? 0;
  const shell = shells === undefined ? {} : { shell: shells.kind };
  await tracker.append(
    isRunning(session)
      ? { type: 'run_resumed', run: before, ...shell }
      : { type: 'run_started', run: before + 1 },
  );
  log.info(logged(tracker), isRunning(session) ? 'run resumed' : 'run started');
}

async function attempt(scope: RunScope): Promise<Outcome> {
  const stuck = endWithoutProgress(scope.tracker.session);
  if (stuck !== undefined) return stuck;
  try {
    const plan = await planRun(scope);
    const revoked = await whoMayNoLonger(scope.tracker, scope.github, plan.who, scope.service);
    if (revoked !== undefined)
      return { kind: 'stopped', reason: noLongerAllowed(revoked, plan.who) };
    const work = await openWork(scope, plan);
    try {
      const run = await prepareRun(scope, plan, work);
      return await perform(scope, run, work);
    } finally {
      await work.close();
    }
  } catch (error) {
    return afterError(scope, error);
  }
}

async function end(scope: RunScope, outcome: Outcome): Promise<void> {
  if (outcome.kind === 'stopped') await saveStoppedWork(scope);
  await settle(scope, outcome);
}

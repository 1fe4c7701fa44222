import { endBeforeRun } from '../../agent/limits.ts';
import { messageOf } from '../../lib/errors.ts';
import { within, type Operation } from '../../lib/measurements.ts';
import { noLongerAllowed } from '../../session/texts/run-ends.ts';
import { conflictsOf, isMergeWanted } from '../../session/merging.ts';
import { isRunning } from '../../session/state.ts';
import { approverGone, whoMayNoLonger } from '../admission/still-allowed.ts';
import { asksAboutDuplicates } from './duplicates.ts';
import {
  afterError,
  endWithoutProgress,
  insistingOnMerge,
  logged,
  settleRun,
  type AttemptOutcome,
  type RunOutcome,
} from './outcome.ts';
import { finishMerge, restartMerge, startMerge } from './merge/merge-base.ts';
import { perform } from './perform.ts';
import { planRun, type RunPlan } from './plan/plan.ts';
import { prepareRun } from './prepare.ts';
import { saveStoppedWork } from './save-work.ts';
import { chooseBase } from './stack.ts';
import { asksBeforePush } from './push-question.ts';
import type { RunScope } from './scope.ts';
import { spendingOf } from './spending.ts';
import { openWork, type RunWork } from './work.ts';

/**
 * One run, new or interrupted, until it ends or is left for later: plan, prepare, perform, settle.
 * However it goes, the journal says so.
 */
export async function runSession(scope: RunScope): Promise<RunOutcome> {
  await begin(scope);
  return within(operationOf(scope), async () => {
    const outcome = await attempt(scope);
    await end(scope, outcome);
    return outcome;
  });
}

const operationOf = ({ tracker: { id, session } }: RunScope): Operation => ({
  kind: 'run',
  session: id,
  run: session.run?.number ?? 0,
  owner: session.thread.repository.owner,
  repository: session.thread.repository.name,
  issue: session.thread.issue,
});

/** Ends an interrupted run that is not to be resumed. */
export const stopRun = (scope: RunScope, reason: string): Promise<void> =>
  end(scope, { kind: 'stopped', reason });

async function begin({ tracker, service: { shells, log } }: RunScope): Promise<void> {
  const { session } = tracker;
  const { requests, thread } = session;
  const before = session.run?.number ?? 0;
  const runsNothing = shells === undefined || thread.adopted?.fork !== undefined;
  const shell = runsNothing ? {} : { shell: shells.kind };
  await tracker.append(
    isRunning(session)
      ? { type: 'run_resumed', run: before, ...shell }
      : {
          type: 'run_started',
          run: before + 1,
          ...(requests.afresh ? { afresh: true } : {}),
          repliesToRequests: true,
          repliesAtOnce: true,
        },
  );
  log.info(logged(tracker), isRunning(session) ? 'run resumed' : 'run started');
}

/** Anyone may push at any time; someone who does so all the time is asked to wait. */
const MOST_MOVES = 3;

/**
 * Begins again at the head of the branch each time that someone else pushed to it, when people allow it to push, and when what is
 * to be merged is gone.
 */
async function attempt(scope: RunScope): Promise<RunOutcome> {
  let gone: string | undefined;
  for (;;) {
    const outcome = await attemptOnce(scope, gone);
    if (outcome.kind === 'branch_moved') {
      const end = await moved(scope, outcome.message);
      if (end !== undefined) return end;
    } else if (outcome.kind !== 'begin_again' && outcome.kind !== 'merged_commit_gone') {
      return outcome;
    }
    gone = outcome.kind === 'merged_commit_gone' ? outcome.message : undefined;
  }
}

/** `undefined`: the run begins again there. */
async function moved(
  { tracker, service: { log } }: RunScope,
  message: string,
): Promise<RunOutcome | undefined> {
  const { number: run = 0, timesMoved = 0 } = tracker.session.run ?? {};
  if (timesMoved >= MOST_MOVES) return { kind: 'failed', cause: { because: 'error', message } };
  await tracker.append({ type: 'branch_moved', run });
  log.info({ run }, 'branch moved: beginning again there');
  return undefined;
}

/** `gone`: the commit that was to be merged is; why, in words. */
async function attemptOnce(scope: RunScope, gone: string | undefined): Promise<AttemptOutcome> {
  const stuck = endWithoutProgress(scope.tracker.session);
  if (stuck !== undefined) return stuck;
  let hasChanges = false;
  try {
    const usedUp = await endWithoutBudget(scope);
    if (usedUp !== undefined) return usedUp;
    await chooseBase({ ...scope, store: scope.service.store });
    const plan = await approvedPlan(scope);
    hasChanges = plan.changes.length > 0;
    const revoked = await whoMayNoLonger(scope.tracker, scope.github, plan.who, scope.service);
    if (revoked !== undefined)
      return { kind: 'stopped', reason: noLongerAllowed(revoked, plan.who) };
    if (await asksAboutDuplicates(scope, plan)) return { kind: 'asked' };
    if (await asksBeforePush(scope)) return { kind: 'asked' };
    await (gone === undefined ? startMerge(scope, plan) : restartMerge(scope, plan, gone));
    return await workOn(scope, plan);
  } catch (error) {
    const outcome = await afterError(scope, error);
    // What was changed on top of the merge needs it.
    return hasChanges ? insistingOnMerge(outcome) : outcome;
  }
}

async function workOn(scope: RunScope, plan: RunPlan): Promise<AttemptOutcome> {
  const work = await openWork(scope, plan);
  try {
    const run = await prepareRun(scope, plan, work);
    if (await finishMerge(scope, plan, work)) return { kind: 'finished' };
    return await perform({ ...scope, fallbackAfterMs: plan.fallbackAfterMs }, run, work);
  } finally {
    await closed(scope, work);
  }
}

/**
 * A run asks GitHub for nothing if nothing may be spent. Only git is needed for a merge without conflicts, and
 * what a reply of the model asked for before an interruption is carried out.
 */
async function endWithoutBudget({
  tracker,
  service: { store, operator },
}: RunScope): Promise<RunOutcome | undefined> {
  const { session } = tracker;
  const { number = 1, model = '' } = session.run ?? {};
  const isForGit = isMergeWanted(session) && conflictsOf(session) === undefined;
  if (model !== '' || isForGit) return undefined;
  const { dollars } = operator.limits;
  const budgets = number === 1 ? { ...dollars, issue: undefined } : dollars;
  return endBeforeRun(budgets, await spendingOf({ tracker, store }, budgets)());
}

/** The plan of the run, without an approval whose author may not request work any more. */
async function approvedPlan(scope: RunScope): Promise<RunPlan> {
  const { tracker, github, service } = scope;
  const plan = await planRun(scope);
  const by = await approverGone(tracker, github, plan.who, service);
  if (by === undefined) return plan;
  await tracker.append({ type: 'approval_withdrawn', by });
  return planRun(scope);
}

/** What cannot be removed does not change how the run ended. The next start tries again. */
async function closed({ service }: RunScope, work: RunWork): Promise<void> {
  try {
    await work.close();
  } catch (error) {
    service.log.warn({ reason: messageOf(error) }, 'failed to remove a workspace');
  }
}

async function end(scope: RunScope, outcome: RunOutcome): Promise<void> {
  if (outcome.kind === 'stopped') await saveStoppedWork(scope);
  await settleRun(scope, outcome);
}

import { endBeforeRun } from '../../agent/limits.ts';
import { MergedCommitGone, MergeRejected, messageOf, TellPerson } from '../../lib/errors.ts';
import { within, type Operation } from '../../lib/measurements.ts';
import { noLongerAllowed } from '../../session/texts/run-ends.ts';
import { conflictsOf, isMergeWanted } from '../../session/merging.ts';
import { isRunning } from '../../session/state.ts';
import { approverGone, whoMayNoLonger } from '../admission/still-allowed.ts';
import { asksAboutDuplicates } from './duplicates.ts';
import { afterError, endWithoutProgress, type RunOutcome } from './outcome.ts';
import { finishMerge, restartMerge, startMerge } from './merge/merge-base.ts';
import { perform } from './perform.ts';
import { BranchMoved } from '../../workspace/git/publish/push-denied.ts';
import { planRun, type RunPlan } from './plan/plan.ts';
import { prepareRun } from './prepare.ts';
import { saveStoppedWork } from './save-work.ts';
import { chooseBase } from './stack.ts';
import { asksBeforePush } from './push-question.ts';
import type { RunScope } from './scope.ts';
import { spendingOf } from './spending.ts';
import { logged, settleRun } from './settle.ts';
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
  const { tracker, service } = scope;
  for (;;) {
    try {
      const outcome = await attemptOnce(scope);
      if (outcome.kind !== 'begin_again') return outcome;
    } catch (error) {
      const { number = 0, timesMoved = 0 } = tracker.session.run ?? {};
      if (!(error instanceof BranchMoved)) throw error;
      if (timesMoved >= MOST_MOVES) return afterError(scope, new TellPerson(error.message));
      await tracker.append({ type: 'branch_moved', run: number });
      service.log.info({ run: number }, 'branch moved: beginning again there');
    }
  }
}

/** @throws {BranchMoved} */
async function attemptOnce(scope: RunScope): ReturnType<typeof perform> {
  const stuck = endWithoutProgress(scope.tracker.session);
  if (stuck !== undefined) return stuck;
  try {
    const usedUp = await endWithoutBudget(scope);
    if (usedUp !== undefined) return usedUp;
    await chooseBase({ ...scope, store: scope.service.store });
    const plan = await approvedPlan(scope);
    const revoked = await whoMayNoLonger(scope.tracker, scope.github, plan.who, scope.service);
    if (revoked !== undefined)
      return { kind: 'stopped', reason: noLongerAllowed(revoked, plan.who) };
    if (await asksAboutDuplicates(scope, plan)) return { kind: 'asked' };
    if (await asksBeforePush(scope)) return { kind: 'asked' };
    await startMerge(scope, plan);
    return await workOn(scope, plan);
  } catch (error) {
    if (error instanceof BranchMoved) throw error;
    return afterError(scope, error);
  }
}

async function workOn(scope: RunScope, plan: RunPlan): ReturnType<typeof perform> {
  try {
    const work = await opened(scope, plan);
    if (work === undefined) return { kind: 'begin_again' };
    try {
      const run = await prepareRun(scope, plan, work);
      return (
        (await finishMerge(scope, plan, work)) ??
        (await perform({ ...scope, fallbackAfterMs: plan.fallbackAfterMs }, run, work))
      );
    } finally {
      await closed(scope, work);
    }
  } catch (error) {
    // What was changed on top of the merge needs it.
    if (error instanceof MergeRejected && plan.changes.length > 0)
      throw new TellPerson(error.message, { cause: error });
    throw error;
  }
}

/** `undefined`: its merge begins again with another commit. */
async function opened(scope: RunScope, plan: RunPlan): Promise<RunWork | undefined> {
  try {
    return await openWork(scope, plan);
  } catch (error) {
    if (!(error instanceof MergedCommitGone)) throw error;
    await restartMerge(scope, plan, error);
    return undefined;
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

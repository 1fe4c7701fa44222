import { endBeforeRun } from '../../agent/limits.ts';
import { messageOf } from '../../lib/errors.ts';
import { within, type Operation } from '../../lib/measurements.ts';
import { noLongerAllowed } from '../../session/texts/run-ends.ts';
import { conflictsOf, isMergeWanted } from '../../session/merging.ts';
import { isSplitToBegin, reviewToBegin } from '../../session/requested-work.ts';
import { isRunning } from '../../session/state.ts';
import { approverGone, mayAsk, whoMayNoLonger, type KnownRoles } from '../admission/who-may.ts';
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
import { inEnvironment } from './plan/plan-environment.ts';
import { prepareRun } from './prepare.ts';
import { saveStoppedWork } from './save-work.ts';
import { chooseBase } from './stack.ts';
import type { RunScope } from '../service/service.ts';
import { spendingOf } from './spending.ts';
import { openWork, type RunWork } from './work.ts';
import type { Effect } from '../../contracts/effect.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { pushQuestion } from '../../session/texts/plans.ts';
import type { JournalWriter, TrackedJournal } from '../service/journal-tracker.ts';
import { sharedNow } from '../../lib/clock.ts';
import { GitHubDenied } from '../../github/errors.ts';
import type { Duplicate } from '../../contracts/related-work.ts';
import { claimants, duplicatesIn, isClear } from '../../session/duplicates.ts';
import type { Session } from '../../session/session.ts';
import { duplicatesQuestion } from '../../session/texts/duplicates-found.ts';

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
  const reviews = isRunning(session) ? session.run?.reviews : reviewToBegin(session);
  const splits = isRunning(session) ? session.run?.splits === true : isSplitToBegin(session);
  const runsNothing =
    shells === undefined || thread.adopted?.fork !== undefined || reviews !== undefined || splits;
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
    const revoked = await whoMayNoLonger(
      scope.tracker,
      scope.github,
      plan.who,
      scope.service.allowedBots,
    );
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

async function workOn(scope: RunScope, planned: RunPlan): Promise<AttemptOutcome> {
  const plan = await inEnvironment(planned, scope);
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
  const by = await approverGone(tracker, github, plan.who, service.allowedBots);
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

// On the pull request of someone else: whether people are asked before anything is pushed to its branch.

interface PushQuestionScope {
  readonly tracker: TrackedJournal & JournalWriter;
  readonly github: Pick<GitHubRepository, 'whyNotToPush'>;
}

/**
 * Before anything costs money. Asked once for each request: a yes holds for the session, and any other answer means that
 * nothing is pushed.
 */
async function asksBeforePush({ tracker, github }: PushQuestionScope): Promise<boolean> {
  const { thread, run } = tracker.session;
  const { adopted } = thread;
  if (adopted === undefined || adopted.fork !== undefined || adopted.pushing !== 'undecided')
    return false;
  if (run?.reviews !== undefined) return false;
  const number = run?.number ?? 0;
  const before = tracker.entries.findLast(
    (entry) => 'run' in entry && entry.run === number && entry.type !== 'run_resumed',
  );
  // It was interrupted after it had asked, or after it was found that nothing has to be asked.
  if (before?.type === 'push_questioned') return true;
  if (before?.type !== 'run_started' && before?.type !== 'run_deferred') return false;
  const concern = await github.whyNotToPush(adopted);
  if (concern === undefined) return false;
  const text = pushQuestion(adopted, concern);
  const question: Effect = { type: 'question', about: 'push', text, items: [{ text }] };
  await tracker.append({ type: 'push_questioned', run: number, effects: [question] });
  return true;
}

// Before the first run of a session: whether someone has solved the issue already, or is about to.

type DuplicatesScope = {
  readonly tracker: TrackedJournal & JournalWriter;
  readonly github: Pick<GitHubRepository, 'relatedWork' | 'permissionOf'>;
};
type Rules = Pick<RunPlan, 'duplicates' | 'mode' | 'who' | 'questionTimeout'>;

/** Looks once in a session, before anything costs money, and journals what it finds. Whether this run asks about it. */
async function asksAboutDuplicates(parts: DuplicatesScope, rules: Rules): Promise<boolean> {
  const { tracker } = parts;
  if (isDue(parts, rules)) await lookForDuplicates(parts, rules);
  const looked = tracker.entries.find((entry) => entry.type === 'duplicates_searched');
  return looked?.run === tracker.session.run?.number && looked?.effects.length === 1;
}

function isDue({ tracker }: DuplicatesScope, { duplicates, mode }: Rules): boolean {
  const { entries, session } = tracker;
  if (duplicates === 'off' || mode === 'completion' || session.thread.adopted !== undefined)
    return false;
  if (session.run?.splits === true) return false;
  return !entries.some(({ type }) => type === 'duplicates_searched' || type === 'run_prepared');
}

async function lookForDuplicates(
  { tracker, github }: DuplicatesScope,
  rules: Rules,
): Promise<void> {
  const { session } = tracker;
  const found = await duplicatesOf(session, github, rules);
  const asks = rules.duplicates === 'ask' && found.some(isClear);
  await tracker.append({
    type: 'duplicates_searched',
    run: session.run?.number ?? 0,
    found,
    effects: asks ? [question(found, rules)] : [],
  });
}

/** With the one request for what is around the issue, four in all. */
const MOST_LOOKUPS = 3;

/** What GitHub does not let us look up holds no work up. */
async function duplicatesOf(
  session: Session,
  github: DuplicatesScope['github'],
  { who }: Rules,
): Promise<readonly Duplicate[]> {
  const { issue, title, issueText, repository } = session.thread;
  try {
    const related = await github.relatedWork(issue);
    if (related === undefined) return [];
    const about = { issue, title, body: issueText?.body ?? '', repository };
    const known: KnownRoles = new Map();
    const trusted = new Set<string>();
    for (const login of claimants(related, about).slice(0, MOST_LOOKUPS))
      if (await mayAsk(github, { login }, who, known)) trusted.add(login);
    return duplicatesIn(related, about, (login) => trusted.has(login));
  } catch (error) {
    if (error instanceof GitHubDenied) return [];
    throw error;
  }
}

/** Nobody is charged because nobody answered: without an answer it waits on. */
function question(
  found: readonly Duplicate[],
  { questionTimeout: timeout }: Rules,
): Extract<Effect, { type: 'question' }> {
  const text = duplicatesQuestion(found);
  if (timeout === undefined) return { type: 'question', text, items: [{ text }] };
  const until = new Date(sharedNow() + timeout.afterMs).toISOString();
  return { type: 'question', text, items: [{ text }], deadline: { until, action: 'pause' } };
}

import { endBeforeRun } from '../../agent/limits.ts';
import { sharedNow } from '../../lib/clock.ts';
import { WaitEnded } from '../../github/errors.ts';
import { besideTheWork, messageOf, Termination, TryLater } from '../../lib/errors.ts';
import { isLookDue } from '../../session/checks/due.ts';
import { isWithdrawal } from '../../session/said/asks.ts';
import type { ReceivedIntent, Session } from '../../session/session.ts';
import { isRunning, needsRun, stateOf } from '../../session/state.ts';
import { ClaimLost } from '../../store/store.ts';
import { admit, type AdmissionDeferred } from '../admission/admit.ts';
import { NO_LONGER_SERVED, terminationReason } from '../../session/texts/run-ends.ts';
import { worthOf } from '../../session/worth.ts';
import { settleRun, type RunOutcome } from '../run/outcome.ts';
import { withdrawResolvedVerdicts } from '../run/ports/reviews-of-others.ts';
import { runSession, stopRun } from '../run/run.ts';
import { sessionLog, type Service, type SessionScope } from '../service/service.ts';
import { spendingOf } from '../run/spending.ts';
import {
  JournalTracker,
  projectionOf,
  type KeptJournals,
  type TrackedSession,
} from '../service/journal-tracker.ts';
import { lookAtChecks, lookForConflict } from './look-at-pull-request.ts';
import { takeNext } from './next-issue.ts';
import { openApprovedSubIssues, wakeParent, workSubIssues } from './sub-issues.ts';
import { afterWaiting, lookAgainAt } from './waits.ts';
import { pullRequestState } from '../../session/parts/session-thread.ts';
import { followBase } from '../run/stack.ts';
import type { Writer } from '../../lib/write-budget.ts';

const RETRY_MS = 30_000;
/** `resume` wakes the paused sessions; this wakes one that `resume` came a moment too early for. */
const PAUSED_MS = 60_000;

/** Why a session is left before it has gone as far as it can. */
type UnfinishedOutcome = Extract<RunOutcome, { kind: 'deferred' | 'interrupted' | 'claim_lost' }>;

/** What a step of a session came to. */
interface AdvanceStep {
  /** When to retry the intents that cannot be judged now, if there are any. */
  readonly later?: AdmissionDeferred | undefined;
  readonly left?: UnfinishedOutcome | undefined;
}

/**
 * Advances one session as far as possible: claim → admit → run → settle, repeated while anything new
 * arrived. Safe to call at any time, any number of times. `again`: another process has claimed the session meanwhile. It
 * may be one that was taken for dead and ends before it has done anything, so someone must look again.
 */
export async function advance(
  shared: Service,
  id: string,
  signal: AbortSignal,
): Promise<'again' | undefined> {
  const { store } = shared;
  const claim = await store.claim(id);
  const tracker = await JournalTracker.open(store, id, claim);
  const service = { ...shared, log: sessionLog(shared.log, tracker) };
  try {
    for (;;) {
      const { left, later } = await stepOf(service, tracker, signal);
      if (left !== undefined) return await leave(service, id, claim, left);
      // Requests that arrived since then need a run with a signal of its own.
      if (signal.reason instanceof Termination) {
        await store.release(id, claim);
        return undefined;
      }
      if ((await settle(service, tracker, claim, later)) === 'more') {
        await tracker.refresh();
        continue;
      }
      if (later !== undefined) service.log.info({ reason: later.message }, 'admission deferred');
      await wakeParent(tracker, service);
      return undefined;
    }
  } catch (error) {
    if (error instanceof ClaimLost) return leave(service, id, claim, { kind: 'claim_lost' });
    if (error instanceof WaitEnded) return leave(service, id, claim, { kind: 'interrupted' });
    if (!(error instanceof TryLater)) throw error;
    return leave(service, id, claim, deferredUntil(retryAt(error), messageOf(error)));
  }
}

/** Gives the session back, to be continued at its time; an interrupted one as soon as possible. */
async function leave(
  { store, log }: Service,
  session: string,
  claim: string,
  left: UnfinishedOutcome,
): Promise<'again' | undefined> {
  if (left.kind === 'claim_lost') {
    log.warn('session taken over by another process');
    return 'again';
  }
  log.info(left, `session ${left.kind}`);
  await store.release(session, claim, left.kind === 'deferred' ? left.until : undefined);
  return undefined;
}

const retryAt = ({ retryAfterMs }: TryLater): Date =>
  new Date(sharedNow() + Math.max(retryAfterMs ?? 0, RETRY_MS));

function settle(
  { store }: Service,
  tracker: JournalTracker,
  claim: string,
  later: AdmissionDeferred | undefined,
) {
  const times = [wakeAt(tracker), later && retryAt(later)].filter((at) => at instanceof Date);
  return store.settle(tracker.id, claim, tracker.session.seq, {
    ...projectionOf(tracker.session),
    worth: worthOf(tracker.session),
    wakeAt: times.toSorted((one, other) => +one - +other)[0] ?? null,
  });
}

const wakeAt = (tracker: JournalTracker): Date | null =>
  isHeldUp(tracker.session) ? new Date(sharedNow() + PAUSED_MS) : (lookAgainAt(tracker) ?? null);

const isHeldUp = (session: Session): boolean =>
  session.waiting.servicePauseReason !== undefined &&
  session.waiting.pausedBy === undefined &&
  stateOf(session) === PAUSED;

const PAUSED = 'waiting(pause)';

async function stepOf(
  service: Service,
  tracker: JournalTracker,
  signal: AbortSignal,
): Promise<AdvanceStep> {
  const { repository } = tracker.session.thread;
  if (!service.serves(repository.owner)) {
    if (isRunning(tracker.session))
      await settleRun({ tracker, service }, { kind: 'stopped', reason: NO_LONGER_SERVED });
    return {};
  }
  const repositoryUntil = (until: AbortSignal) =>
    service.repository(tracker.installation, repository, writerOfRun(service, tracker, until));
  const github = repositoryUntil(signal);
  const judge = () => admit(tracker, github, service);
  const scope = { service, tracker, github, repositoryUntil, signal, admit: judge };
  // Intents that cannot be judged now are retried later: the work continues without them.
  let later = await judge();
  await openApprovedSubIssues(scope);
  let next = await runOnce(scope);
  while (next === 'again' && !signal.aborted) {
    later = await judge();
    await openApprovedSubIssues(scope);
    next = await runOnce(scope);
  }
  if (typeof next === 'object') return { later, left: next };
  // There is more to do, and this process does it no more.
  if (next === 'again' && !(signal.reason instanceof Termination))
    return { later, left: { kind: 'interrupted' } };
  await takeNext(scope);
  await workSubIssues(scope);
  await wakeAbove(scope);
  return { later };
}

/** One run, if one is needed; `again`: there may be more to do at once. */
async function runOnce(scope: SessionScope): Promise<UnfinishedOutcome | 'again' | 'done'> {
  const { tracker, signal } = scope;
  await lookAtChecks(scope);
  await withdrawResolvedVerdicts(scope);
  await lookBelow(scope);
  const session = await afterWaiting(scope);
  const words = terminationReason(session);
  if (words !== undefined) {
    if (!isRunning(session)) return 'done';
    await stopRun(scope, words);
    return needsRun(tracker.session) ? 'again' : 'done';
  }
  // The signal was raised before this run, so it is not meant for it.
  if (signal.reason instanceof Termination) return 'done';
  if (!needsRun(session)) await lookForConflict(scope);
  if (!needsRun(tracker.session) || (await isServicePaused(scope))) return 'done';
  const deferred =
    stillDeferred(session) ?? (await waitsForRoom(scope)) ?? (await waitsForBudget(scope));
  if (deferred !== undefined) return deferred;
  if (signal.reason instanceof Termination) return 'done';
  if (signal.aborted || scope.service.leaving?.aborted === true) return { kind: 'interrupted' };
  const outcome = await runSession(scope);
  if (isLeft(outcome)) return outcome;
  // The base branch may have moved during the run, and checks may be done: that is looked at next.
  const { session: after } = tracker;
  const isLookedAt = stateOf(after) === 'waiting(review)' || isLookDue(after);
  return outcome.kind === 'paused' || isLookedAt || needsRun(after) ? 'again' : 'done';
}

const isLeft = (outcome: RunOutcome): outcome is UnfinishedOutcome =>
  outcome.kind === 'deferred' || outcome.kind === 'interrupted' || outcome.kind === 'claim_lost';

/** Whether the operator's pause applies to the session. Journals its beginning and end. */
async function isServicePaused({ service, tracker }: SessionScope): Promise<boolean> {
  const paused = await service.pause.look();
  const before = tracker.session.waiting.servicePauseReason;
  if (paused === undefined) {
    if (before !== undefined) await tracker.append({ type: 'service_resumed' });
    return false;
  }
  if (before !== paused.reason)
    await tracker.append({ type: 'service_paused', reason: paused.reason });
  return true;
}

/** Anyone may comment and so wake a session before its deferred run is due. */
function stillDeferred({ run }: Session): UnfinishedOutcome | undefined {
  const { cause } = run?.deferred ?? {};
  if (run?.deferred === undefined || cause === 'installation' || cause === 'limit')
    return undefined;
  const until = new Date(run.deferred.until);
  return until.getTime() > sharedNow() ? deferredUntil(until, run.deferred.reason) : undefined;
}

/** A run that was left because there was no room to write makes no request before there is some. */
async function waitsForRoom({
  tracker,
  service,
}: SessionScope): Promise<UnfinishedOutcome | undefined> {
  const { deferred } = tracker.session.run ?? {};
  if (deferred?.cause !== 'write_budget') return undefined;
  const wait = await service.store.writeWait(tracker.session.thread.installation, 'awaited');
  return wait === 0 ? undefined : deferredUntil(new Date(sharedNow() + wait), deferred.reason);
}

/** Whoever wakes a session that waits for a new day may have heard that the operator raised the limit. */
async function waitsForBudget({
  tracker,
  service,
}: SessionScope): Promise<UnfinishedOutcome | undefined> {
  const { deferred } = tracker.session.run ?? {};
  if (deferred?.cause !== 'limit') return undefined;
  const { dollars } = service.operator.limits;
  const end = endBeforeRun(dollars, await spendingOf({ tracker, store: service.store }, dollars)());
  return end?.kind === 'deferred' ? deferredUntil(end.until, deferred.reason) : undefined;
}

const deferredUntil = (until: Date, message: string): UnfinishedOutcome => ({
  kind: 'deferred',
  cause: { because: 'error', message },
  until,
});

/** Ends a run at once that was stopped, or whose issue or pull request was closed. */
export async function abortIfOver(
  service: Service,
  journals: KeptJournals,
  running: ReadonlyMap<string, AbortController>,
  id: string,
): Promise<void> {
  const controller = running.get(id);
  if (controller === undefined) return;
  try {
    await journals.read(id, async (tracker) => {
      const { session, installation } = tracker;
      if (session.requests.awaitingAdmission.some(maySayStop))
        await admit(tracker, service.repository(installation, session.thread.repository), {
          ...service,
          log: sessionLog(service.log, tracker),
        });
      const words = terminationReason(tracker.session);
      if (words !== undefined) controller.abort(new Termination(words));
    });
  } catch (error) {
    service.log.warn({ err: error, session: id }, 'failed to process wake-up');
  }
}

const maySayStop = ({ intent }: ReceivedIntent): boolean =>
  isWithdrawal(intent) ||
  intent.kind === 'operator_command' ||
  // Its event does not have all that it says.
  intent.kind === 'review' ||
  ((intent.kind === 'comment' || intent.kind === 'edited') && intent.addressed === true);

// Pull requests that are based on one another: each session looks at the one below, and wakes those above.

/** What GitHub does not let us look up or change now is looked at the next time. */
async function lookBelow({ tracker, github, service }: SessionScope): Promise<void> {
  await besideTheWork(
    () => followBase({ tracker, github, store: service.store }),
    (reason) => service.log.info({ reason }, 'failed to look at the pull request below'),
  );
}

/** Once its pull request is merged or closed. Nothing is lost if this is repeated: they look, and write only what is new. */
async function wakeAbove({ tracker, service }: SessionScope): Promise<void> {
  const { thread, run } = tracker.session;
  const state = pullRequestState(thread);
  if (thread.adopted !== undefined || state === undefined || state === 'open') return;
  if (run === undefined || run.branch === '') return;
  const woken = await service.store.wakeForBase(thread.repository.id, run.branch);
  if (woken > 0) service.log.info({ woken }, 'woke the pull requests above');
}

// How a run waits for room to write: in place at first, then deferred, without a slot.

/** A run is left this often because there is no room. After that, it waits in its slot. */
const MOST_DEFERRALS = 2;

const writerOfRun = (
  { roomPatienceMs }: Service,
  tracker: TrackedSession,
  signal: AbortSignal,
): Writer => ({
  rank: 'awaited',
  patienceMs: () =>
    (tracker.session.run?.timesWithoutRoom ?? 0) < MOST_DEFERRALS ? roomPatienceMs : Infinity,
  signal,
});

import { messageOf, TryLater } from '../../lib/errors.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { RepositoryRef } from '../../session/entries/intent.ts';
import type { Session } from '../../session/session.ts';
import { isRunning, needsRun, stateOf } from '../../session/state.ts';
import { ClaimLost } from '../../store/store.ts';
import { admit, type JudgedLater } from '../judging/admit.ts';
import { JournalTracker, projectionOf } from '../service/journal-tracker.ts';
import { keepStopped } from '../run/keep-stopped.ts';
import { takeNext } from './next-issue.ts';
import { overBecause, Parked, WorkIsOver } from '../run/run-end.ts';
import type { RunContext, RunParts } from '../service/service.ts';
import { runSession } from '../run/run.ts';
import type { Serves } from '../service/served-owners.ts';
import { afterWaiting, lookAgainAt } from './waits.ts';

export interface AdvanceParts extends RunParts {
  readonly serves: Serves;
  readonly repository: (installation: number, ref: RepositoryRef) => GitHubRepository;
}

const RETRY_MS = 30_000;
/** `resume` wakes what is held; where that came a moment too early, this does. */
const HELD_MS = 60_000;

/**
 * Brings one session as far as it can go: claim → admit → run → settle, again while anything new
 * came in. Safe to be called at any time, any number of times.
 */
export async function advance(parts: AdvanceParts, id: string, signal: AbortSignal): Promise<void> {
  const { store, log } = parts;
  const claim = await store.claim(id);
  const tracker = await JournalTracker.open(store, id, claim);
  try {
    let later: JudgedLater | undefined;
    do {
      await tracker.refresh();
      later = await step(parts, tracker, signal);
      // What was asked since then is for a run with a signal of its own.
      if (signal.reason instanceof WorkIsOver) return await store.release(id, claim);
    } while ((await settle(parts, tracker, claim, later)) === 'more');
    if (later !== undefined)
      log.info({ session: id, reason: later.message }, 'something cannot be judged now');
  } catch (error) {
    if (error instanceof ClaimLost) {
      log.warn({ session: id }, error.message);
      return;
    }
    if (!(error instanceof Parked) && !(error instanceof TryLater)) throw error;
    log.info({ session: id, reason: messageOf(error) }, 'the session is put aside');
    await store.release(id, claim, resumeAt(error));
  }
}

function resumeAt(error: Parked | TryLater): Date | undefined {
  if (error instanceof Parked) return error.at;
  return new Date(Date.now() + Math.max(error.retryAfterMs ?? 0, RETRY_MS));
}

function settle(
  { store }: AdvanceParts,
  tracker: JournalTracker,
  claim: string,
  later: JudgedLater | undefined,
) {
  const times = [wakeAt(tracker), later && resumeAt(later)].filter((at) => at instanceof Date);
  return store.settle(tracker.id, claim, tracker.session.seq, {
    ...projectionOf(tracker.session),
    wakeAt: times.toSorted((one, other) => +one - +other)[0] ?? null,
  });
}

const wakeAt = (tracker: JournalTracker): Date | null =>
  isHeldUp(tracker.session) ? new Date(Date.now() + HELD_MS) : (lookAgainAt(tracker) ?? null);

const isHeldUp = (session: Session): boolean =>
  session.held !== undefined && session.pausedBy === undefined && stateOf(session) === PAUSED;

const PAUSED = 'waiting(pause)';

/** Answers with what is to be judged later, where there is anything. */
async function step(
  parts: AdvanceParts,
  tracker: JournalTracker,
  signal: AbortSignal,
): Promise<JudgedLater | undefined> {
  const { installation, repository } = tracker.session;
  if (!parts.serves(repository.owner)) {
    await stop(tracker, 'This account is not served any more.');
    return undefined;
  }
  const github = parts.repository(installation, repository);
  const context = { ...parts, tracker, github, signal };
  const later = await work(context);
  await takeNext(context);
  return later;
}

/** What somebody said and cannot be judged now is looked at later: the work goes on without it. */
async function work(context: RunContext): Promise<JudgedLater | undefined> {
  const { tracker, github, judging } = context;
  let later: JudgedLater | undefined;
  do {
    later = await admit(tracker, github, judging);
  } while ((await workOnce(context)) && !context.signal.aborted);
  return later;
}

/** Whether there is more to do at once. */
async function workOnce(context: RunContext): Promise<boolean> {
  const { tracker } = context;
  const session = await afterWaiting(context);
  const over = overBecause(session);
  if (over !== undefined) {
    if (isRunning(session)) await keepStopped(context);
    await stop(tracker, over);
    return false;
  }
  // A signal that was raised before the run is not about it.
  if (context.signal.reason instanceof WorkIsOver) return false;
  if (!needsRun(session) || (await isHeld(context))) return false;
  stayParked(session);
  await runSession(context);
  return tracker.session.run?.paused === true || needsRun(tracker.session);
}

/** Whether the operator's pause holds the session up; its journal says so, and when that is over. */
async function isHeld({ pause, tracker }: RunContext): Promise<boolean> {
  const held = await pause.look();
  const before = tracker.session.held;
  if (held === undefined) {
    if (before !== undefined) await tracker.append({ type: 'released' });
    return false;
  }
  if (before !== held.reason) await tracker.append({ type: 'held', reason: held.reason });
  return true;
}

/**
 * What wakes a session is not what its run waits for: anybody may comment.
 * @throws {Parked} until the time that the run was put aside for
 */
function stayParked({ run }: Session): void {
  if (run?.parked === undefined || run.parked.on === 'installation') return;
  const until = new Date(run.parked.until);
  if (until.getTime() > Date.now()) throw new Parked(run.parked.reason, until);
}

/** Ends a run that was interrupted and is not to be taken up again. */
async function stop(tracker: JournalTracker, words: string): Promise<void> {
  const { session } = tracker;
  if (session.run === undefined || !isRunning(session)) return;
  const run = session.run.number;
  await tracker.append({ type: 'run_ended', run, end: { kind: 'stopped', words } });
}

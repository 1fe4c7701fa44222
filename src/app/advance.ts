import { messageOf, TryLater } from '../lib/errors.ts';
import type { GitHubRepository } from '../github/repository.ts';
import type { RepositoryRef } from '../session/intent.ts';
import type { Session } from '../session/session.ts';
import { isClosed, isRunning, needsRun } from '../session/state.ts';
import { ClaimLost } from '../store/store.ts';
import { admit } from './admit.ts';
import { JournalTracker, projectionOf } from './journal-tracker.ts';
import { Parked } from './run-end.ts';
import type { RunParts } from './run-context.ts';
import { runSession } from './run.ts';
import type { Serves } from './served-owners.ts';

export interface AdvanceParts extends RunParts {
  readonly serves: Serves;
  readonly repository: (installation: number, ref: RepositoryRef) => GitHubRepository;
}

const RETRY_MS = 30_000;

/**
 * Brings one session as far as it can go: claim → admit → run → settle, again while anything new
 * came in. Safe to be called at any time, any number of times.
 */
export async function advance(parts: AdvanceParts, id: string, signal: AbortSignal): Promise<void> {
  const { store, log } = parts;
  const claim = await store.claim(id);
  const tracker = await JournalTracker.open(store, id, claim);
  try {
    do {
      await tracker.refresh();
      await step(parts, tracker, signal);
    } while ((await settle(parts, tracker, claim)) === 'more');
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

const settle = (parts: AdvanceParts, tracker: JournalTracker, claim: string) =>
  parts.store.settle(tracker.id, claim, tracker.session.seq, {
    ...projectionOf(tracker.session),
    wakeAt: null,
  });

async function step(
  parts: AdvanceParts,
  tracker: JournalTracker,
  signal: AbortSignal,
): Promise<void> {
  const { installation, repository } = tracker.session;
  if (!parts.serves(repository.owner)) return stop(tracker, 'This account is not served any more.');
  const github = parts.repository(installation, repository);
  const session = await admit(tracker, github);
  if (needsRun(session)) {
    stayParked(session);
    return runSession({ ...parts, tracker, github, signal });
  }
  if (isClosed(session)) await stop(tracker, 'The issue or its pull request was closed.');
}

/**
 * What wakes a session is not what its run waits for: anybody may comment.
 * @throws {Parked} until the time that the run was put aside for
 */
function stayParked({ run }: Session): void {
  if (run?.parked === undefined) return;
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

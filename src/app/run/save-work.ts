// What a run changed and did not commit is saved on the branch, however the run ended.
import type { Logger } from 'pino';
import { TellPerson } from '../../lib/errors.ts';
import type { Session } from '../../session/session.ts';
import { ClaimLost } from '../../store/store.ts';
import { commitEffect } from '../../tools/git/commit.ts';
import type { CommitDone, Git } from '../../contracts/git.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import { terminationReason } from '../../session/texts/run-ends.ts';
import { changesNothing } from './plan/offered-tools.ts';
import { planRun } from './plan/plan.ts';
import { BranchMoved } from '../../workspace/git/publish/push.ts';
import { publicGit } from './ports/public-git.ts';
import type { RunScope } from '../service/service.ts';
import { workspaceFor } from './workspace.ts';

const MESSAGE = `Save unfinished work

The run ended before its work was finished; this is what it had changed and not committed.`;

interface SaveParts {
  readonly tracker: JournalTracker;
  readonly log: Logger;
}

/**
 * Journals what a call that was cut off left on the branch, and saves the rest there. A run that called finish has nothing
 * left to save.
 */
export async function saveWork({ tracker, log }: SaveParts, git: Git): Promise<void> {
  const { run, thread } = tracker.session;
  if (run === undefined || run.finish !== undefined || thread.adopted?.fork !== undefined) return;
  const journal = async (commit: CommitDone | undefined): Promise<boolean> => {
    if (commit === undefined) return false;
    const effects = [commitEffect(commit, MESSAGE)];
    const isOurs = (commit.message ?? MESSAGE) === MESSAGE && commit.caughtUp === undefined;
    const unfinished = isOurs ? ({ isUnfinished: true } as const) : {};
    await tracker.append({ type: 'work_saved', run: run.number, effects, ...unfinished });
    return true;
  };
  try {
    await journal(await git.recover());
    const { session } = tracker;
    const { steppedAt } = session.progress;
    // Nobody gets half a change on a branch of theirs, and half a merge is no work to push: what was changed stays stored
    // for the next run.
    const isKeptBack = session.thread.adopted !== undefined || session.work.merge !== undefined;
    if (isKeptBack || steppedAt === '') return;
    // The time of the last step, so that a repeat after a crash is the same commit.
    const request = { message: MESSAGE, at: new Date(steppedAt) };
    try {
      await journal(await git.commit(request));
    } catch (error) {
      // The server may have finished meanwhile what was cut off.
      if (!(error instanceof BranchMoved) || !(await journal(await git.recover()))) throw error;
      await journal(await git.commit(request));
    }
  } catch (error) {
    if (!(error instanceof TellPerson) && !(error instanceof BranchMoved)) throw error;
    // How the run ended matters more to people; the changes stay stored for the next one.
    log.warn({ err: error }, 'failed to push uncommitted work');
  }
}

/** Whether there may be something to save, or that was published and is not in the journal. */
async function hasUnsaved({ tracker, service }: RunScope, { work }: Session): Promise<boolean> {
  if (work.merge !== undefined) return true;
  return (await service.store.changes(tracker.id, work.uncommittedSince)).length > 0;
}

const SAVE_MS = 120_000;

/**
 * The same for a run that a person stopped, or whose issue was closed. Its workspace is gone, so its
 * files are laid out once more.
 */
export async function saveStoppedWork(scope: RunScope): Promise<void> {
  const { tracker, service } = scope;
  // The signal may come before the journal was read.
  const session = await tracker.refresh();
  const { adopted } = session.thread;
  if (terminationReason(session) === undefined || adopted?.fork !== undefined) return;
  if (changesNothing(session) || !(await hasUnsaved(scope, session))) return;
  const signal = AbortSignal.timeout(SAVE_MS);
  const saving = { ...scope, signal, github: scope.repositoryUntil?.(signal) ?? scope.github };
  try {
    if (await isPullRequestClosed(saving, session)) return;
    const plan = await planRun(saving);
    const workspace = await workspaceFor(saving, plan);
    try {
      await saveWork(
        { tracker, log: service.log },
        publicGit({ ...service, ...saving }, workspace, plan),
      );
    } finally {
      await workspace.close();
    }
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    // The run ends as it was asked to, whatever fails here; the changes stay stored for the next one.
    service.log.warn({ err: error }, 'failed to save uncommitted work');
  }
}

/**
 * A merge closes the issue as well, and we may hear of that first: nothing is pushed to a branch that
 * was merged, and perhaps deleted.
 */
async function isPullRequestClosed(
  { github }: RunScope,
  { thread: { pullRequest } }: Session,
): Promise<boolean> {
  if (pullRequest === undefined) return false;
  return pullRequest.state !== 'open' || !(await github.issueState(pullRequest.number)).isOpen;
}

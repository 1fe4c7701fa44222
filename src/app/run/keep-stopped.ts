import type { Session } from '../../session/session.ts';
import { ClaimLost } from '../../store/store.ts';
import { keepWork } from './keep-work.ts';
import { publicGit } from './ports/public-git.ts';
import type { RunContext } from '../service/service.ts';
import { planRun } from './plan.ts';
import { overBecause } from './run-end.ts';
import { workspaceFor } from './run-workspace.ts';

const KEEP_MS = 120_000;

/**
 * Saves on the branch what a run had changed and not committed when somebody stopped it or closed its
 * issue. The run itself is over, so its files are laid out once more.
 */
export async function keepStopped(parts: RunContext): Promise<void> {
  const { tracker, store, log } = parts;
  // The signal came faster than the journal was read.
  const session = await tracker.refresh();
  if (overBecause(session) === undefined) return;
  if ((await store.changes(tracker.id, session.changesAfter)).length === 0) return;
  const context = { ...parts, signal: AbortSignal.timeout(KEEP_MS) };
  try {
    if (await isPullRequestClosed(parts, session)) return;
    const plan = await planRun(context);
    const workspace = await workspaceFor(context, plan);
    try {
      await keepWork(context, publicGit(context, workspace, plan), { kind: 'stopped' });
    } finally {
      await workspace.close();
    }
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    // The stop is what was asked for, whatever fails here, or takes too long; the changes stay
    // stored for the next run.
    log.warn({ err: error, session: tracker.id }, 'unfinished work could not be kept');
  }
}

/**
 * A merge closes the issue as well, and we may hear of that first: nothing is pushed to a branch that
 * has done its work, and is perhaps deleted.
 */
async function isPullRequestClosed(
  { github }: RunContext,
  { pullRequest }: Session,
): Promise<boolean> {
  if (pullRequest === undefined) return false;
  return pullRequest.state !== 'open' || !(await github.issueState(pullRequest.number)).isOpen;
}

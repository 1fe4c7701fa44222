import { TellPerson, TryLater } from '../../lib/errors.ts';
import { keepWork } from './keep-work.ts';
import { publicGit } from '../ports/public-git.ts';
import type { RunContext } from '../context/run-context.ts';
import { planRun } from '../preparation/run-plan.ts';
import { workspaceFor } from './run-workspace.ts';

const KEEP_MS = 120_000;

/**
 * Saves on the branch what a run that somebody stopped had changed and not committed. The run itself
 * is over, so its files are laid out once more.
 */
export async function keepStopped(parts: RunContext): Promise<void> {
  const { tracker, store, log } = parts;
  // The signal came faster than the journal was read.
  const { stop, changesAfter } = await tracker.refresh();
  if (stop === undefined || (await store.changes(tracker.id, changesAfter)).length === 0) return;
  const context = { ...parts, signal: AbortSignal.timeout(KEEP_MS) };
  try {
    const plan = await planRun(context);
    const workspace = await workspaceFor(context, plan);
    try {
      await keepWork(context, publicGit(context, workspace, plan), { kind: 'stopped' });
    } finally {
      await workspace.close();
    }
  } catch (error) {
    if (!(error instanceof TellPerson || error instanceof TryLater)) throw error;
    // The stop is what was asked for; the changes stay stored for the next run.
    log.warn({ err: error, session: tracker.id }, 'unfinished work could not be kept');
  }
}

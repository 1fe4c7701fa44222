import type { LoopEnd } from '../agent/entries.ts';
import { isRunning } from '../session/state.ts';
import { ClaimLost } from '../store/store.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { converse } from './converse.ts';
import type { RunContext } from './run-context.ts';
import { endAfter } from './run-end.ts';
import { planRun } from './run-plan.ts';

/**
 * One run, new or interrupted, until it waits, ends or is put aside. However it goes, the journal
 * says so.
 * @throws {Parked} when it is to be resumed later
 * @throws {ClaimLost} when another process has taken it over
 */
export async function runSession(context: RunContext): Promise<void> {
  const { tracker, signal, log } = context;
  const resumes = isRunning(tracker.session);
  const run = (tracker.session.run?.number ?? 0) + (resumes ? 0 : 1);
  await tracker.append({ type: resumes ? 'run_resumed' : 'run_started', run });
  try {
    const end = await perform(context);
    await tracker.append({ type: 'run_ended', run, end });
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    log.warn({ err: error, session: tracker.id, run }, 'the run was interrupted');
    const end = endAfter(error, signal, tracker.session.run?.resumed ?? 0);
    await tracker.append({ type: 'run_ended', run, end });
  }
}

/** Clone, apply what earlier calls changed, and let the agent work. */
async function perform(context: RunContext): Promise<LoopEnd> {
  const { github, signal } = context;
  const plan = await planRun(context);
  const workspace = await openWorkspace({
    remoteUrl: github.gitUrl,
    credentials: () => github.gitToken('write'),
    baseCommit: plan.base.commit,
    branch: plan.base.branch,
    author: await context.author(),
    changes: plan.changes,
    signal,
  });
  try {
    return await converse(context, plan, workspace);
  } finally {
    await workspace.close();
  }
}

import type { LoopEnd } from '../agent/entries.ts';
import { TellPerson } from '../lib/errors.ts';
import { branchOf } from '../session/branch.ts';
import type { RunEnd } from '../session/entry.ts';
import { isRunning } from '../session/state.ts';
import { ClaimLost } from '../store/store.ts';
import { openWorkspace } from '../workspace/workspace.ts';
import { answer, converse } from './converse.ts';
import type { RunContext } from './run-context.ts';
import { afterError, Parked } from './run-end.ts';
import { planRun } from './run-plan.ts';

const MAX_RESUMES_WITHOUT_REPLY = 20;
const NO_PROGRESS = `It was taken up ${MAX_RESUMES_WITHOUT_REPLY} times, and each time it broke off before the model's next reply.`;

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
  const resumed = resumes ? (tracker.session.run?.resumed ?? 0) : 0;
  await tracker.append({ type: resumes ? 'run_resumed' : 'run_started', run });
  try {
    // Whatever kills the process each time throws nothing that could be counted.
    if (resumed >= MAX_RESUMES_WITHOUT_REPLY) throw new TellPerson(NO_PROGRESS);
    const end = await perform(context);
    await tracker.append({ type: 'run_ended', run, end });
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    log.warn({ err: error, session: tracker.id, run }, 'the run was interrupted');
    await conclude(context, run, afterError(error, signal, tracker.session.run?.resumed ?? 0));
  }
}

/** Journals how an interrupted run goes on, in words without secrets. */
async function conclude(
  { tracker, redact }: RunContext,
  run: number,
  next: RunEnd | Parked,
): Promise<void> {
  if (!(next instanceof Parked)) {
    const end = 'words' in next ? { ...next, words: redact(next.words) } : next;
    await tracker.append({ type: 'run_ended', run, end });
    return;
  }
  if (next.at !== undefined) {
    const reason = redact(next.message);
    await tracker.append({ type: 'run_parked', run, reason, until: next.at.toISOString() });
  }
  throw next;
}

/** Clone, apply what earlier calls changed, and let the agent work; an answer needs no clone. */
async function perform(context: RunContext): Promise<LoopEnd> {
  const { github, signal } = context;
  const plan = await planRun(context);
  if (plan.mode === 'completion') return answer(context, plan);
  const workspace = await openWorkspace({
    remoteUrl: github.gitUrl,
    credentials: (access) => github.gitToken(access),
    baseCommit: plan.base.commit,
    branch: () => branchOf(context.tracker.session),
    author: await context.author(),
    changes: plan.changes,
    paths: plan.paths,
    threads: context.threads,
    signal,
  });
  try {
    return await converse(context, plan, workspace);
  } finally {
    await workspace.close();
  }
}

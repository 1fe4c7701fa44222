import type { LoopEnd } from '../../contracts/entries.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { RunEnd } from '../../contracts/entries.ts';
import { isRunning } from '../../session/state.ts';
import { ClaimLost } from '../../store/store.ts';
import { answer, converse } from './converse.ts';
import type { RunContext } from '../service/service.ts';
import { keepStopped } from './keep-stopped.ts';
import { afterError, Parked, PutAside } from './run-end.ts';
import { planRun } from './plan.ts';
import { workspaceFor } from './run-workspace.ts';

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
  const shell = context.shells === undefined ? {} : { shell: context.shells.kind };
  await tracker.append(
    resumes ? { type: 'run_resumed', run, ...shell } : { type: 'run_started', run },
  );
  try {
    // Whatever kills the process each time throws nothing that could be counted.
    if (resumed >= MAX_RESUMES_WITHOUT_REPLY) throw new TellPerson(NO_PROGRESS);
    const end = await perform(context);
    await tracker.append({ type: 'run_ended', run, end });
  } catch (error) {
    if (error instanceof ClaimLost) throw error;
    if (error instanceof PutAside) {
      await tracker.append({ type: 'run_paused', run });
      return;
    }
    log.warn({ err: error, session: tracker.id, run }, 'the run was interrupted');
    await conclude(context, run, afterError(error, signal, tracker.session.run?.resumed ?? 0));
  }
}

/** Journals how an interrupted run goes on, in words without secrets. */
async function conclude(context: RunContext, run: number, next: RunEnd | Parked): Promise<void> {
  const { tracker, redact } = context;
  if (!(next instanceof Parked)) {
    if (next.kind === 'stopped') await keepStopped(context);
    const end = 'words' in next ? { ...next, words: redact(next.words) } : next;
    await tracker.append({ type: 'run_ended', run, end });
    return;
  }
  if (next.at !== undefined) {
    const reason = redact(next.message);
    const on = next.on === undefined ? {} : { on: next.on };
    await tracker.append({ type: 'run_parked', run, reason, until: next.at.toISOString(), ...on });
  }
  throw next;
}

/** Clone, apply what earlier calls changed, and let the agent work; an answer needs no clone. */
async function perform(context: RunContext): Promise<LoopEnd> {
  const plan = await planRun(context);
  if (plan.mode === 'completion') return answer(context, plan);
  // Nobody pays for work that could not be pushed: what is missing is said before the model is asked.
  await context.github.gitToken('write');
  const workspace = await workspaceFor(context, plan);
  try {
    return await converse(context, plan, workspace);
  } finally {
    await workspace.close();
  }
}

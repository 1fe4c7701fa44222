import { runLoop } from '../../agent/loop.ts';
import type { Run, Steps } from '../../agent/agent-run.ts';
import type { NewAgentEntry } from '../../contracts/entries.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { NewEntry } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { Service } from '../service/service.ts';
import { BranchMoved } from '../../workspace/git/publish/push.ts';
import { isAgentEntry } from './conversation.ts';
import { afterError, type RunOutcome } from './outcome.ts';
import { mayNotPush } from './plan/offered-tools.ts';
import { isPaused, type RunScope } from './scope.ts';
import type { RunWork } from './work.ts';

type Scope = Pick<RunScope, 'tracker' | 'signal'> & {
  readonly github: Pick<RunScope['github'], 'gitToken'>;
  /** After which time of failures another model continues the run. */
  readonly fallbackAfterMs?: number | undefined;
  readonly service: Pick<Service, 'pause' | 'leaving' | 'log'>;
};

/** People allow more than the run began with, or its files are not those of the branch: it has to be prepared again. */
interface BeginAgain {
  readonly kind: 'begin_again';
}

/** The agent's work, every step of it in the journal before the next; unfinished work is saved. */
export async function perform(
  scope: Scope,
  run: Run,
  work: RunWork,
): Promise<RunOutcome | BeginAgain> {
  const { tracker, service } = scope;
  const outcome = await record(tracker, runLoop(run), {
    drain: work.drain,
    whyLeft: () => whyLeft(tracker.session, work, service),
  }).catch(async (error: unknown) => {
    await work.settleOutput();
    if (error instanceof BranchMoved) throw error;
    return afterError(scope, error, scope.fallbackAfterMs);
  });
  if (isOver(outcome)) await work.save();
  return outcome;
}

/** A stopped run has its work saved apart from this: its workspace may be gone with its signal. */
const isOver = ({ kind }: RunOutcome | BeginAgain): boolean =>
  kind === 'finished' || kind === 'limit' || kind === 'failed';

interface RecordOptions {
  /** The file changes of a call, which are stored with its result in one transaction. */
  readonly drain: RunWork['drain'];
  /** Why the run is to be left between two steps, if it is. */
  readonly whyLeft?: () => Left | undefined;
}

type Left = 'paused' | 'interrupted' | BeginAgain['kind'];

/** A pause is journaled, so it comes before the end of the process. */
function whyLeft(
  session: Session,
  { onlyLooks, isOutdated }: RunWork,
  { pause, leaving }: Scope['service'],
): Left | undefined {
  if (isPaused(session, pause)) return 'paused';
  if (leaving?.aborted === true) return 'interrupted';
  const needsFiles = isOutdated() && session.run?.finish === undefined;
  return needsFiles || (onlyLooks && !mayNotPush(session)) ? 'begin_again' : undefined;
}

/** Appends what the agent yields and hands it back stored, to the end or until the run is left. */
export async function record<End>(
  tracker: Pick<JournalTracker, 'append'>,
  steps: Steps<End>,
  { drain, whyLeft: whyNow = () => undefined }: RecordOptions,
): Promise<End | { readonly kind: Left }> {
  let step = await steps.next();
  while (step.done !== true) {
    const changes = step.value.type === 'call_finished' ? await drain() : [];
    const stored = await tracker.append(withCount(step.value, changes), { changes });
    if (!isAgentEntry(stored)) throw new Error('the journal answered with another entry');
    // A call that has begun may act outside: it runs to its end.
    const kind = stored.type === 'call_started' ? undefined : whyNow();
    if (kind !== undefined) return { kind };
    step = await steps.next(stored);
  }
  return step.value;
}

/** Views need to know whether a call changed files; the changes themselves are stored beside it. */
function withCount(entry: NewAgentEntry, changes: readonly StoredChange[]): NewEntry {
  if (entry.type !== 'call_finished' || changes.length === 0) return entry;
  const leftOut = changes.filter(({ madeByCommand }) => madeByCommand).length;
  const count = leftOut === 0 ? {} : { leftOutFiles: leftOut };
  return { ...entry, changedFiles: changes.length, ...count };
}

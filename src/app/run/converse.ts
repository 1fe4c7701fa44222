import { abandonCalls } from '../../agent/act.ts';
import { completionRunner } from '../../agent/completion.ts';
import { toolbox } from '../../agent/dispatch.ts';
import type { LoopEnd } from '../../contracts/entries.ts';
import { agentRunner } from '../../agent/loop.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import type { Inbox, Run } from '../../agent/run.ts';
import type { Tool } from '../../contracts/tool.ts';
import { TellPerson } from '../../lib/errors.ts';
import { inputText } from '../../session/input.ts';
import { finishingCall } from '../../tools/flow/finish.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { bindTools } from '../../tools/index.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { admit } from '../judging/admit.ts';
import { CallOutput } from './call-output.ts';
import { conversationOf } from './conversation.ts';
import { FolderInstructions } from './instructions/folder-instructions.ts';
import { forgeFor, workOf } from './ports/forge.ts';
import { keepWork } from './keep-work.ts';
import { heldUntilApproval, planNotices } from './plan-first.ts';
import { prepare } from './prepare.ts';
import { publicGit } from './ports/public-git.ts';
import { templateNotices } from './instructions/pull-request-template.ts';
import { record, stayUnlessPaused } from './record.ts';
import { sourceOf } from './instructions/repository-instructions.ts';
import type { RunContext } from '../service/service.ts';
import { overBecause, WorkIsOver } from './run-end.ts';
import type { RunPlan } from './plan.ts';
import { spendingOf } from './spending.ts';
import { stopwatch } from './stopwatch.ts';
import { commandsFor } from './ports/workspace-commands.ts';

const INBOX_AGE_MS = 1000;
const OVER = 'the run that asked for it has ended';

/** What the two ways to carry out a run differ in. */
interface Means {
  readonly tools: readonly Tool[];
  readonly notices: Run['notices'];
  readonly progress?: Run['progress'];
}

/** The agent's conversation with its model, every step of it in the journal before the next. */
export async function converse(
  context: RunContext,
  plan: RunPlan,
  workspace: Workspace,
): Promise<LoopEnd> {
  const { tracker } = context;
  const git = publicGit(context, workspace, plan);
  const source = sourceOf(context);
  const folders = new FolderInstructions({
    ...source,
    files: workspace.files,
    search: workspace.search,
    names: plan.instructionFiles,
    journal: tracker,
  });
  const tools = bindTools({
    files: folders.files,
    search: folders.search,
    git,
    forge: forgeFor(context, plan),
    work: workOf(tracker, { ...plan.destination, questionTimeout: plan.questionTimeout }),
    commands: commandsFor(context, plan, workspace),
  }).filter(({ name }) => plan.tools.has(name));
  const template = templateNotices({ ...source, files: workspace.files, tracker });
  const planning = planNotices(context);
  const notices = async () => [
    ...(await planning()),
    ...(await folders.next()),
    ...(await template()),
  ];
  const output = new CallOutput(tracker, context.redact);
  const drain = async () => {
    await output.settle();
    return workspace.drain();
  };
  const progress: Run['progress'] = (call, text) => output.hear(call, text);
  const run = await open(context, plan, { tools, notices, progress }, drain);
  const end = await record(context, agentRunner(run), drain).catch(async (error: unknown) => {
    await output.settle();
    return failed(context, error);
  });
  await keepWork(context, git, end);
  return end;
}

/** An end like any other, so that the work is kept. */
function failed({ redact, signal }: RunContext, error: unknown): LoopEnd {
  if (signal.aborted || !(error instanceof TellPerson)) throw error;
  return { kind: 'failed', words: redact(error.message) };
}

/** One answer in words; nothing is cloned for it. */
export async function answer(context: RunContext, plan: RunPlan): Promise<LoopEnd> {
  const run = await open(context, plan, { tools: [], notices: () => Promise.resolve([]) });
  return record(context, completionRunner(run));
}

/** Prepares a run that is not prepared yet, and takes it up where its journal stands. */
async function open(
  context: RunContext,
  plan: RunPlan,
  { tools, ...means }: Means,
  drain?: () => Promise<readonly StoredChange[]>,
): Promise<Run> {
  const { tracker, operator, signal, redact } = context;
  const model = await context.openModel(plan.model);
  if (plan.prepared === undefined) {
    await record(context, abandonCalls(conversationOf(tracker.entries), OVER), drain);
    await prepare(context, plan, { model, tools });
  }
  return {
    model,
    tools: toolbox(tools, heldUntilApproval(context)),
    mode: plan.mode === 'single' ? 'single' : 'agent',
    history: conversationOf(tracker.entries),
    inbox: inboxOf(context),
    ...means,
    limits: plan.limits,
    spending: spendingOf(context, plan.limits.dollars),
    memory: operator.memory,
    withoutTools: plan.protocol === 'auto' ? protocolNamed('json') : undefined,
    conclude: finishingCall,
    cacheKey: tracker.id,
    signal,
    redact,
    elapsedMs: stopwatch(tracker.entries),
  };
}

/**
 * What people said since the last request: admitted first, and in the order of admission. The append
 * just before has told of it; what comes less than a second before the request may wait for the next.
 */
function inboxOf({ tracker, github, pause, judging, signal }: RunContext): Inbox {
  return async () => {
    // What is asked after a stop is not for the run that it stopped.
    signal.throwIfAborted();
    await tracker.refresh({ maxAgeMs: INBOX_AGE_MS });
    // What cannot be judged now is looked at again when the run has ended: it keeps nobody from work.
    await admit(tracker, github, judging);
    const { session } = tracker;
    const over = overBecause(session);
    if (over !== undefined) throw new WorkIsOver(over);
    stayUnlessPaused(tracker, pause);
    const { unseen, question, seenUpTo } = session;
    if (unseen.length === 0 && question?.expired !== 'defaults') return undefined;
    return { upTo: unseen.at(-1)?.admittedAt ?? seenUpTo, text: inputText(session) };
  };
}

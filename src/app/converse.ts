import { abandonCalls } from '../agent/act.ts';
import { completionRunner } from '../agent/completion.ts';
import { toolbox } from '../agent/dispatch.ts';
import type { LoopEnd } from '../agent/entries.ts';
import { agentRunner } from '../agent/loop.ts';
import { protocolNamed } from '../agent/protocols/index.ts';
import type { Inbox, Run } from '../agent/run.ts';
import type { Tool } from '../agent/tool.ts';
import { TellPerson } from '../lib/errors.ts';
import type { Effect } from '../session/entry.ts';
import { inputText } from '../session/input.ts';
import { finishingCall } from '../tools/flow/finish.ts';
import type { StoredChange } from '../store/store.ts';
import { makeTools } from '../tools/index.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { admit } from './admit.ts';
import { conversationOf } from './conversation.ts';
import { FolderInstructions } from './folder-instructions.ts';
import { forgeFor, workOf } from './forge.ts';
import { keepWork } from './keep-work.ts';
import { prepare } from './prepare.ts';
import { publicGit } from './public-git.ts';
import { templateNotices } from './pull-request-template.ts';
import { record } from './record.ts';
import { sourceOf } from './repository-instructions.ts';
import type { RunContext } from './run-context.ts';
import type { RunPlan } from './run-plan.ts';
import { spendingOf } from './spending.ts';
import { stopwatch } from './stopwatch.ts';

const INBOX_AGE_MS = 1000;
const OVER = 'the run that asked for it has ended';

/** What the two ways to carry out a run differ in. */
interface Means {
  readonly tools: readonly Tool<Effect>[];
  readonly notices: Run<Effect>['notices'];
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
    names: plan.instructionFiles,
    journal: tracker,
  });
  const tools = makeTools({
    files: folders.files,
    search: workspace.search,
    git,
    forge: forgeFor(context, plan),
    work: workOf(tracker, plan.destination),
  }).filter(({ name }) => plan.tools.has(name));
  const template = templateNotices({ ...source, files: workspace.files, tracker });
  const notices = async () => [...(await folders.next()), ...(await template())];
  const drain = () => workspace.drain();
  const run = await open(context, plan, { tools, notices }, drain);
  const end = await record(tracker, agentRunner(run), drain).catch(failed(context));
  await keepWork(context, git, end);
  return end;
}

/** An end like any other, so that the work is kept. */
const failed =
  ({ redact, signal }: RunContext) =>
  (error: unknown): LoopEnd => {
    if (signal.aborted || !(error instanceof TellPerson)) throw error;
    return { kind: 'failed', words: redact(error.message) };
  };

/** One answer in words; nothing is cloned for it. */
export async function answer(context: RunContext, plan: RunPlan): Promise<LoopEnd> {
  const run = await open(context, plan, { tools: [], notices: () => Promise.resolve([]) });
  return record(context.tracker, completionRunner(run));
}

/** Prepares a run that is not prepared yet, and takes it up where its journal stands. */
async function open(
  context: RunContext,
  plan: RunPlan,
  { tools, notices }: Means,
  drain?: () => Promise<readonly StoredChange[]>,
): Promise<Run<Effect>> {
  const { tracker, operator, signal, redact } = context;
  const model = await context.openModel(plan.model);
  if (plan.prepared === undefined) {
    await record(tracker, abandonCalls(conversationOf(tracker.entries), OVER), drain);
    await prepare(context, plan, { model, tools });
  }
  return {
    model,
    tools: toolbox(tools),
    mode: plan.mode === 'single' ? 'single' : 'agent',
    history: conversationOf(tracker.entries),
    inbox: inboxOf(context),
    notices,
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
function inboxOf({ tracker, github }: RunContext): Inbox {
  return async () => {
    await tracker.refresh({ maxAgeMs: INBOX_AGE_MS });
    const { unseen, issue, moved } = await admit(tracker, github);
    const last = unseen.at(-1);
    return last === undefined
      ? undefined
      : { upTo: last.admittedAt, text: inputText(issue, unseen, moved) };
  };
}

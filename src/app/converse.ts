import { toolbox } from '../agent/dispatch.ts';
import type { LoopEnd } from '../agent/entries.ts';
import { jsonProtocol } from '../agent/json-protocol.ts';
import { abandonCalls, runLoop, type Inbox, type Steps } from '../agent/loop.ts';
import { instructions } from '../agent/prompt.ts';
import type { Tool } from '../agent/tool.ts';
import { sanitise } from '../lib/sanitise.ts';
import type { Effect } from '../session/entry.ts';
import { inputText } from '../session/input.ts';
import { makeTools } from '../tools/index.ts';
import type { Git } from '../tools/ports.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { admit } from './admit.ts';
import { conversationOf, isAgentEntry } from './conversation.ts';
import { forgeFor, workOf } from './forge.ts';
import type { RunContext } from './run-context.ts';
import type { RunPlan } from './run-plan.ts';
import { stopwatch } from './stopwatch.ts';

const OVER = 'not run: the run that asked for it has ended';

/** The agent's conversation with its model, every step of it in the journal before the next. */
export async function converse(
  context: RunContext,
  plan: RunPlan,
  workspace: Workspace,
): Promise<LoopEnd> {
  const { tracker } = context;
  const tools = makeTools({
    files: workspace.files,
    git: publicGit(context, workspace),
    forge: forgeFor(context, plan.base),
    work: workOf(tracker),
  });
  const history = conversationOf(tracker.entries, jsonProtocol);
  if (plan.prepared === undefined) {
    await record(context, workspace, abandonCalls(history, OVER));
  }
  const { instructions: system } = plan.prepared ?? (await prepare(context, plan, tools));
  const loop = runLoop<Effect>({
    model: await context.openModel(plan.model),
    protocol: jsonProtocol,
    instructions: system,
    tools: toolbox(tools),
    history,
    inbox: inboxOf(context),
    limits: plan.limits,
    cacheKey: tracker.id,
    signal: context.signal,
    redact: context.redact,
    elapsedMs: stopwatch(tracker.entries),
  });
  return record(context, workspace, loop);
}

/** A commit goes to GitHub too: it notifies nobody, closes nothing and holds no secret. */
const publicGit = ({ redact }: RunContext, { git }: Workspace): Git => ({
  commit: ({ message, at }) => git.commit({ message: redact(sanitise(redact(message))), at }),
});

async function prepare(context: RunContext, plan: RunPlan, tools: readonly Tool<Effect>[]) {
  const { tracker } = context;
  const { owner, name } = tracker.session.repository;
  const entry = {
    type: 'run_prepared',
    run: tracker.session.run?.number ?? 0,
    model: plan.model,
    protocol: jsonProtocol.name,
    instructions: instructions(jsonProtocol, tools, `${owner}/${name}`),
    branch: plan.base.branch,
    baseBranch: plan.base.baseBranch,
    baseCommit: plan.base.commit,
  } as const;
  await tracker.append(entry);
  return entry;
}

/** Appends what the agent yields, a call's file changes with its result, and hands it back stored. */
async function record<End>(
  { tracker }: RunContext,
  workspace: Workspace,
  steps: Steps<Effect, End>,
): Promise<End> {
  let step = await steps.next();
  while (step.done !== true) {
    const changes = step.value.type === 'call_finished' ? await workspace.drain() : [];
    const stored = await tracker.append(step.value, { changes });
    if (!isAgentEntry(stored)) throw new Error('the journal answered with another entry');
    step = await steps.next(stored);
  }
  return step.value;
}

/** What people said since the last request: admitted first, and in the order of admission. */
function inboxOf({ tracker, github }: RunContext): Inbox {
  return async () => {
    await tracker.refresh();
    const { unseen, issue, moved } = await admit(tracker, github);
    const last = unseen.at(-1);
    return last === undefined
      ? undefined
      : { upTo: last.admittedAt, text: inputText(issue, unseen, moved) };
  };
}

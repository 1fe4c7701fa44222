// The tests of a merge without conflicts, and of the branch before it.
import { sharedTime } from '../../../lib/clock.ts';
import type { ToolResult } from '../../../contracts/tool.ts';
import { TellModel } from '../../../lib/errors.ts';
import type { TestRun } from '../../../session/parts/session-work.ts';
import { COMMANDS_OFF } from '../../../session/texts/merges.ts';
import { runTests } from '../../../tools/shell/run-tests.ts';
import type { RunPlan } from '../plan/plan.ts';
import { workOf } from '../ports/forge.ts';
import { commandsFor } from '../ports/workspace-commands.ts';
import type { RunScope } from '../scope.ts';
import type { RunWork } from '../work.ts';
import { workspaceFor } from '../workspace.ts';

/** A run of all tests; `reason`: why there was none. */
export type RanTests =
  | { readonly result: ToolResult; readonly run: TestRun | undefined }
  | { readonly reason: string };

/** The same as the agent's own run of all tests. */
export async function testMerge(tools: RunWork['tools'], signal: AbortSignal): Promise<RanTests> {
  const tool = tools.find(({ name }) => name === runTests.name);
  if (tool === undefined) return { reason: COMMANDS_OFF };
  return ran(() => tool.run({}, { startedAt: sharedTime(), signal }));
}

/** Fingerprints of what fails without the merge, in a workspace of its own. */
export async function failingBefore(scope: RunScope, plan: RunPlan): Promise<readonly string[]> {
  const { tracker, signal } = scope;
  const workspace = await workspaceFor(scope, { ...plan, changes: [] }, { hasMerge: false });
  try {
    const work = workOf(tracker, { ...plan.destination, questionTimeout: plan.questionTimeout });
    const commands = commandsFor(scope, plan, workspace);
    const ports = { files: workspace.files, git: workspace.git, work, commands };
    const tests = await ran(() => runTests.run({}, ports, { startedAt: sharedTime(), signal }));
    return 'run' in tests ? (tests.run?.failing ?? []) : [];
  } finally {
    await workspace.close();
  }
}

async function ran(run: () => Promise<ToolResult>): Promise<RanTests> {
  try {
    const result = await run();
    const tests = result.effects?.find((effect) => effect.type === 'tests');
    const missing = result.effects?.findLast((effect) => effect.type === 'command')?.notRun;
    if (tests === undefined && missing !== undefined)
      return { reason: `The tests could not run: ${missing.replace(/\.$/, '')}.` };
    return { result, run: tests };
  } catch (error) {
    if (!(error instanceof TellModel)) throw error;
    return { reason: error.message };
  }
}

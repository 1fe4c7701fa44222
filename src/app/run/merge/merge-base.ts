// A run that merges the base branch into the branch of the pull request, before the agent works on it.
import { MergeRejected, TellModel, TellPerson, TryLater } from '../../../lib/errors.ts';
import type { WorkspaceMerge } from '../../../contracts/git.ts';
import {
  failsAsBefore,
  isMergeWanted,
  mergeAt,
  openPullRequestNumber,
} from '../../../session/merging.ts';
import type { Merge, TestRun } from '../../../session/parts/session-work.ts';
import { hasUnreadWork } from '../../../session/requested-work.ts';
import {
  COMMANDS_OFF,
  conflictsForPeople,
  mergeMessage,
  type MergeTestOutcome,
} from '../../../session/texts/merges.ts';
import { commitEffect } from '../../../tools/git/commit.ts';
import { requireMergingGit } from '../../../workspace/git/engines/native/native-git.ts';
import { resolveRemote } from '../../../workspace/git/remote.ts';
import type { RunPlan } from '../plan/plan.ts';
import type { RunScope } from '../../service/service.ts';
import type { TrackedJournal } from '../../service/journal-tracker.ts';
import type { RunWork } from '../work.ts';
import { sharedTime } from '../../../lib/clock.ts';
import type { ToolResult } from '../../../contracts/tool.ts';
import { runTests } from '../../../tools/shell/run-tests.ts';
import { workOf } from '../ports/forge.ts';
import { commandsFor } from '../ports/workspace-commands.ts';
import { workspaceFor } from '../workspace.ts';

/**
 * Journals what is merged, if a merge is wanted and none has begun at this commit. Changes that are not committed yet
 * come first: a merge would have to be made on top of them. One that the tests failed with begins again when the base
 * branch has moved.
 * @throws {MergeRejected} if nothing can be merged
 */
export async function startMerge(scope: RunScope, plan: RunPlan): Promise<void> {
  const { session } = scope.tracker;
  const pullRequest = openPullRequestNumber(session);
  const ours = plan.base.commit;
  const before = mergeAt(session, ours);
  if (plan.mode === 'completion' || (before !== undefined && before.failedTests === undefined))
    return;
  if (pullRequest === undefined || !isMergeWanted(session) || plan.changes.length > 0) return;
  await requireMergingGit();
  const found = await headOfBase(scope, pullRequest);
  if (found.theirs !== before?.theirs) await begin(scope, ours, found);
}

/**
 * Begins a merge again whose commit is not on the server (`gone`): with what the base branch is now. What was changed on top
 * of the merge is void.
 * @throws {MergeRejected} if nothing can be merged; {TryLater} if the base branch is still at that commit
 */
export async function restartMerge(
  scope: RunScope,
  { base: { commit: ours } }: RunPlan,
  gone: string,
): Promise<void> {
  const { session } = scope.tracker;
  const pullRequest = openPullRequestNumber(session);
  const before = mergeAt(session, ours);
  if (pullRequest === undefined || before === undefined) throw new TellPerson(gone);
  const found = await headOfBase(scope, pullRequest);
  if (found.theirs === before.theirs) throw new TryLater(gone);
  await begin(scope, ours, found);
}

interface HeadOfBase {
  readonly theirs: string;
  readonly branch: string;
}

/** @throws {MergeRejected} if there is no such branch any more */
async function headOfBase({ github, signal }: RunScope, pullRequest: number): Promise<HeadOfBase> {
  const { branch } = await github.mergeability(pullRequest);
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    signal,
  });
  const theirs = remote.head(branch);
  if (theirs === undefined)
    throw new MergeRejected(
      `The base branch of #${pullRequest}, \`${branch}\`, does not exist any more. Choose another base branch for it on GitHub.`,
    );
  return { theirs, branch };
}

async function begin({ tracker }: RunScope, ours: string, found: HeadOfBase): Promise<void> {
  const run = tracker.session.run?.number ?? 0;
  await tracker.append({ type: 'merge_started', run, ours, ...found });
}

/**
 * Ends a merge that needs no agent: there was nothing to merge, or it is clean and the tests do not fail. Whether that was
 * all of the run; if not, the agent has work to do.
 * @throws {MergeRejected} for conflicts that only people can resolve
 */
export async function finishMerge(scope: RunScope, plan: RunPlan, work: RunWork): Promise<boolean> {
  const { tracker } = scope;
  if (isDoneByMerge(tracker)) return true;
  const merge = mergeAt(tracker.session, plan.base.commit);
  if (merge === undefined || work.merge === undefined || plan.changes.length > 0) return false;
  if (work.merge.result === 'conflicts') requireResolvable(work.merge, work.mayChange);
  else if (merge.failedTests === undefined) await finishClean(scope, plan, work, merge);
  return isDoneByMerge(tracker);
}

/**
 * The merge of this run has ended, perhaps before its process did, and nothing else is to be done: the run may have been for
 * something else before people let it push, and what it has read then still waits for the model.
 */
function isDoneByMerge({ entries, session }: TrackedJournal): boolean {
  const start = entries.findLastIndex(({ type }) => type === 'run_started');
  const ofRun = entries.slice(Math.max(0, start));
  const isMerged = ofRun.some(({ type }) => type === 'merge_ended');
  const isForModel = ofRun.some(({ type }) => type === 'input_read' || type === 'reply');
  const isOpen = session.work.merge !== undefined;
  return isMerged && !isOpen && !isForModel && !hasUnreadWork(session);
}

function requireResolvable(
  { branch, conflicts, paths }: WorkspaceMerge,
  mayChange: RunWork['mayChange'],
): void {
  const submodules = conflicts.filter(({ isSubmodule }) => isSubmodule).map(({ path }) => path);
  const closed = paths.filter((path) => submodules.includes(path) || !mayChange(path));
  if (closed.length > 0) throw new MergeRejected(conflictsForPeople(branch, closed));
}

async function finishClean(
  scope: RunScope,
  plan: RunPlan,
  { merge: found, git, tools }: RunWork,
  merge: Merge,
): Promise<void> {
  const { tracker, service, signal } = scope;
  const run = tracker.session.run?.number ?? 0;
  if (found?.result === 'contained') {
    await tracker.append({ type: 'merge_ended', run, effects: [] });
    return;
  }
  const tests = await testMerge(tools, signal);
  const tested = await testedFor(scope, plan, tests);
  const effects = 'result' in tests ? (tests.result.effects ?? []) : [];
  if (tested.kind === 'failed') {
    const output = service.redact(tested.output);
    const before = tested.before.length === 0 ? {} : { before: tested.before };
    await tracker.append({ type: 'merge_failed_tests', run, effects, output, ...before });
    return;
  }
  const message = mergeMessage(merge.branch, plan.base.branch, tested);
  // The time at which it began, so that a repeat after a crash is the same commit.
  const at = new Date(merge.startedAt);
  const done = await git.commit({ message, at, mergeAlone: true });
  const { left: _left, ...whole } = done ?? { sha: '', files: [], left: [] };
  const committed = done === undefined ? [] : [commitEffect({ ...whole, left: [] }, message)];
  await tracker.append({ type: 'merge_ended', run, effects: [...effects, ...committed] });
}

/** They fail, and not only as they did before. */
interface FailedTests {
  readonly kind: 'failed';
  readonly output: string;
  /** Fingerprints of what failed before the merge too. */
  readonly before: readonly string[];
}

async function testedFor(
  scope: RunScope,
  plan: RunPlan,
  tests: RanTests,
): Promise<MergeTestOutcome | FailedTests> {
  if ('reason' in tests) return { kind: 'not_run', reason: tests.reason };
  const { result, run } = tests;
  const command = run?.command ?? '';
  if (result.ok !== false) return { kind: 'passed', command };
  const before = await failingBefore(scope, plan);
  return run !== undefined && failsAsBefore(run, before)
    ? { kind: 'failed_before', command }
    : { kind: 'failed', output: result.output, before };
}

// The tests of a merge without conflicts, and of the branch before it.

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
async function failingBefore(scope: RunScope, plan: RunPlan): Promise<readonly string[]> {
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

// A run that merges the base branch into the branch of the pull request, before the agent works on it.
import { TellModel, TellPerson } from '../../../lib/errors.ts';
import type { WorkspaceMerge } from '../../../contracts/git.ts';
import type { ToolResult } from '../../../contracts/tool.ts';
import { isMergeWanted, mergeAt, openPullRequest } from '../../../session/merging.ts';
import type { Merge } from '../../../session/session-work.ts';
import { hasUnreadWork } from '../../../session/requested-work.ts';
import {
  COMMANDS_OFF,
  conflictsForPeople,
  mergeMessage,
  type Tested,
} from '../../../session/texts/merges.ts';
import { commitEffect } from '../../../tools/git/commit.ts';
import { runTests } from '../../../tools/shell/run-tests.ts';
import { requireMergingGit } from '../../../workspace/git/native-git.ts';
import { resolveRemote } from '../../../workspace/git/remote.ts';
import type { Outcome } from '../outcome.ts';
import type { RunPlan } from '../plan/plan.ts';
import type { RunScope } from '../scope.ts';
import type { Work } from '../work.ts';

/**
 * Journals what is merged, if a merge is wanted and none has begun at this commit. Changes that are not committed yet
 * come first: a merge would have to be made on top of them.
 */
export async function startMerge(scope: RunScope, plan: RunPlan): Promise<void> {
  const { tracker, github, signal } = scope;
  const { session } = tracker;
  const pullRequest = openPullRequest(session);
  const ours = plan.base.commit;
  if (plan.mode === 'completion' || mergeAt(session, ours) !== undefined) return;
  if (pullRequest === undefined || !isMergeWanted(session) || plan.changes.length > 0) return;
  await requireMergingGit();
  const { branch } = await github.mergeability(pullRequest);
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    signal,
  });
  const theirs = remote.head(branch);
  if (theirs === undefined)
    throw new TellPerson(
      `The base branch of #${pullRequest}, \`${branch}\`, does not exist any more. Choose another base branch for it on GitHub.`,
    );
  const run = session.run?.number ?? 0;
  await tracker.append({ type: 'merge_started', run, ours, theirs, branch });
}

/**
 * Ends a merge that needs no agent: there was nothing to merge, or it is clean and the tests do not fail. `undefined`:
 * the agent has work to do.
 * @throws {TellPerson} for conflicts that only people can resolve
 */
export async function finishMerge(
  scope: RunScope,
  plan: RunPlan,
  work: Work,
): Promise<Outcome | undefined> {
  const { tracker } = scope;
  if (isDoneByMerge(tracker)) return { kind: 'finished' };
  const merge = mergeAt(tracker.session, plan.base.commit);
  if (merge === undefined || work.merge === undefined || plan.changes.length > 0) return undefined;
  if (work.merge.result === 'conflicts') requireResolvable(work.merge, work.mayChange);
  else if (merge.failedTests === undefined) await finishClean(scope, plan, work, merge);
  const { session } = tracker;
  return session.work.merge !== undefined || hasUnreadWork(session)
    ? undefined
    : { kind: 'finished' };
}

/** The process ended after the merge of this run did, and nothing else is to be done. */
function isDoneByMerge({
  entries,
  session,
}: Pick<RunScope['tracker'], 'entries' | 'session'>): boolean {
  const start = entries.findLastIndex(({ type }) => type === 'run_started');
  const ofRun = entries.slice(Math.max(0, start));
  const isMerged = ofRun.some(({ type }) => type === 'merge_ended');
  return isMerged && ofRun.every(({ type }) => type !== 'reply') && !hasUnreadWork(session);
}

function requireResolvable(
  { branch, conflicts, paths }: WorkspaceMerge,
  mayChange: Work['mayChange'],
): void {
  const submodules = conflicts.filter(({ isSubmodule }) => isSubmodule).map(({ path }) => path);
  const closed = paths.filter((path) => submodules.includes(path) || !mayChange(path));
  if (closed.length > 0) throw new TellPerson(conflictsForPeople(branch, closed));
}

async function finishClean(
  { tracker, signal }: RunScope,
  plan: RunPlan,
  { merge: found, git, tools }: Work,
  merge: Merge,
): Promise<void> {
  const run = tracker.session.run?.number ?? 0;
  if (found?.result === 'contained') {
    await tracker.append({ type: 'merge_ended', run, effects: [] });
    return;
  }
  const tests = await testsOf(tools, signal);
  const effects = tests.result?.effects ?? [];
  if (tests.result?.ok === false) {
    const { output } = tests.result;
    await tracker.append({ type: 'merge_failed_tests', run, effects, output });
    return;
  }
  const message = mergeMessage(merge.branch, plan.base.branch, tests.tested);
  // The time at which it began, so that a repeat after a crash is the same commit.
  const at = new Date(merge.startedAt);
  const done = await git.commit({ message, at, mergeAlone: true });
  const { left: _left, ...whole } = done ?? { sha: '', files: [], left: [] };
  const committed = done === undefined ? [] : [commitEffect({ ...whole, left: [] }, message)];
  await tracker.append({ type: 'merge_ended', run, effects: [...effects, ...committed] });
}

interface Tests {
  readonly tested: Tested;
  /** Missing if they could not be run. */
  readonly result?: ToolResult;
}

/** The same as the agent's own run of all tests. */
async function testsOf(tools: Work['tools'], signal: AbortSignal): Promise<Tests> {
  const tool = tools.find(({ name }) => name === runTests.name);
  if (tool === undefined) return { tested: { kind: 'not_run', reason: COMMANDS_OFF } };
  try {
    const result = await tool.run({}, { startedAt: new Date(), signal });
    const run = result.effects?.find(({ type }) => type === 'tests');
    const command = run?.type === 'tests' ? run.command : '';
    return { tested: { kind: 'passed', command }, result };
  } catch (error) {
    if (!(error instanceof TellModel)) throw error;
    return { tested: { kind: 'not_run', reason: error.message } };
  }
}

import type { Notice } from '../../../agent/agent-run.ts';
import { conflictTask, failedTestsTask } from '../../../agent/prompts/merge.ts';
import type { WorkspaceMerge } from '../../../contracts/git.ts';
import type { Session } from '../../../session/session.ts';

/** What the agent is told of the merge in its workspace, once in each run. */
export function mergeNotices(
  { work, run }: Session,
  found: WorkspaceMerge | undefined,
): readonly Notice[] {
  if (found === undefined || work.merge?.theirs !== found.theirs) return [];
  const topic = `merge:${run?.number ?? 0}:${found.theirs}`;
  if (found.result === 'conflicts') return [{ topic, text: conflictTask(found) }];
  const { branch, failedTests } = work.merge;
  return failedTests === undefined ? [] : [{ topic, text: failedTestsTask(branch, failedTests) }];
}

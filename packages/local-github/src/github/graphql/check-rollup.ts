// The checks and statuses of a commit in one list.
import { latestRuns, latestStatuses, suitesOf } from '../checks/state.ts';
import type { Repository } from '../state.ts';
import { connection, type Paging } from './connection.ts';

/** `null` if the commit has none. */
export function checkRollup({ checks }: Repository, sha: string): object | null {
  const runs = suitesOf(checks, sha).flatMap((suite) => {
    const workflow = checks.workflowRuns.find(({ suiteId }) => suiteId === suite.id)?.workflow;
    const workflowRun = workflow === undefined ? null : { workflow: { name: workflow.name } };
    return latestRuns(checks, suite).map((run) => ({
      __typename: 'CheckRun',
      name: run.name,
      status: run.status.toUpperCase(),
      conclusion: run.conclusion?.toUpperCase() ?? null,
      startedAt: run.startedAt,
      completedAt: run.completedAt,
      detailsUrl: run.detailsUrl,
      checkSuite: { workflowRun },
    }));
  });
  const statuses = latestStatuses(checks, sha).map((status) => ({
    __typename: 'StatusContext',
    context: status.context,
    state: status.state.toUpperCase(),
    targetUrl: status.targetUrl,
    createdAt: status.createdAt,
  }));
  const nodes = [...runs, ...statuses];
  if (nodes.length === 0) return null;
  return { contexts: (paging: Paging) => connection<object>('contexts', nodes, paging) };
}

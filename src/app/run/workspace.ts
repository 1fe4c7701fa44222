import { branchOf } from '../../session/github-names.ts';
import { openWorkspace, type Workspace } from '../../workspace/workspace.ts';
import type { RunPlan } from './plan.ts';
import type { RunScope } from './scope.ts';

/** The files of a run, as its last call left them. */
export async function workspaceFor(
  { tracker, github, service, signal }: RunScope,
  plan: RunPlan,
): Promise<Workspace> {
  return openWorkspace({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    baseCommit: plan.base.commit,
    branch: () => branchOf(tracker.session),
    author: await service.author(),
    changes: plan.changes,
    paths: plan.paths,
    threads: service.threads,
    signal,
  });
}

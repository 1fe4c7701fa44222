import type { CatchUpRequest } from '../../contracts/git.ts';
import { WORKFLOWS_ROLE, mayAsk } from '../admission/who-may.ts';
import { hasRoomFor } from '../../lib/write-budget.ts';
import { branchOf } from '../../session/github-names.ts';
import { replacedCommit } from '../../session/parts/session-work.ts';
import { mergeAt } from '../../session/merging.ts';
import { resolveRemote } from '../../workspace/git/remote.ts';
import { openWorkspace, type Workspace } from '../../workspace/workspace.ts';
import type { RunPlan } from './plan/plan.ts';
import type { RunScope } from '../service/service.ts';

/** The files of a run, as its last call left them. `hasMerge: false`: without the merge that has begun, if one has. */
export async function workspaceFor(
  { tracker, github, service, signal }: RunScope,
  plan: RunPlan,
  { hasMerge = true } = {},
): Promise<Workspace> {
  const { verifiedCommits } = github;
  return openWorkspace({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    baseCommit: plan.base.commit,
    branch: () => branchOf(tracker.session),
    replaces: () => replacedCommit(tracker.session.work),
    author: await service.author(),
    branches: isAtBase({ tracker }, plan) ? { [plan.base.baseBranch]: plan.base.commit } : {},
    publishing:
      verifiedCommits &&
      ((access) => ({
        strategy: plan.publish,
        api: verifiedCommits(access),
        mayWrite: async (requests) =>
          hasRoomFor(requests, await service.writeBudget(tracker.session.thread.installation)),
      })),
    newestBase: () => newestBase({ tracker, github, signal }, plan),
    approvedWorkflows: () => approvedWorkflows({ tracker, github }, plan),
    merge: hasMerge ? mergeAt(tracker.session, plan.base.commit) : undefined,
    changes: plan.changes,
    paths: plan.paths,
    sparse: plan.sparse,
    git: service.git,
    installation: tracker.session.thread.installation,
    threads: service.threads,
    log: service.log,
    signal,
  });
}

/** Whether the run begins where the base branch is. */
const isAtBase = ({ tracker }: Pick<RunScope, 'tracker'>, { base }: RunPlan): boolean => {
  const { thread, work } = tracker.session;
  return thread.adopted === undefined && work.head === undefined && base.branch !== base.baseBranch;
};

/** The head of the base branch, and whether a commit on it may be the first one of the session's branch. */
async function newestBase(
  { tracker, github, signal }: Pick<RunScope, 'tracker' | 'github' | 'signal'>,
  { base }: RunPlan,
): Promise<CatchUpRequest | undefined> {
  const { thread } = tracker.session;
  const remote = await resolveRemote({
    remoteUrl: github.gitUrl,
    credentials: (access, rejected) => github.gitToken(access, rejected),
    signal,
  });
  const onto = remote.head(base.baseBranch);
  // A patch is for the head of the pull request.
  const isFirst =
    thread.adopted === undefined && remote.head(branchOf(tracker.session)) === undefined;
  return onto === undefined ? undefined : { onto, isFirst };
}

/** Whoever approved the change may have lost the role for that. */
async function approvedWorkflows(
  { tracker, github }: Pick<RunScope, 'tracker' | 'github'>,
  { paths }: RunPlan,
): Promise<string | undefined> {
  const { approvedWorkflows: approved } = tracker.session.waiting;
  if (approved === undefined || paths.workflows !== true) return undefined;
  const may = await mayAsk(github, approved.by, WORKFLOWS_ROLE, new Map());
  return may ? approved.digest : undefined;
}

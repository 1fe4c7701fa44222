// Merges that GitHub makes by itself: once the rules of the base branch allow them (auto-merge), or in a merge queue.
import { decidedFacts, headSha, pullFacts } from '../git/pull.ts';
import { GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { emitPullEvent, touch } from '../hub.ts';
import { mergeSettings } from '../payloads/repository.ts';
import { rulesetsFor } from '../rules/changes.ts';
import { hasMergeQueue, mergeableState, mergeViolations } from '../rules/merging.ts';
import { isPull, type AutoMerge, type PullRequest, type Repository, type User } from '../state.ts';
import { denied, mergePull } from './pulls.ts';

interface Wanted {
  readonly method: 'MERGE' | 'SQUASH' | 'REBASE';
  readonly expectedHead: string | undefined;
}

const METHODS = {
  MERGE: 'allow_merge_commit',
  SQUASH: 'allow_squash_merge',
  REBASE: 'allow_rebase_merge',
} as const;

/** Throws GitHub's errors if there is nothing to wait for, or if it is not allowed here. */
export async function enableAutoMerge(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  { method, expectedHead }: Wanted,
): Promise<void> {
  const settings = mergeSettings(repository);
  await checkHead(repository, issue, expectedHead);
  if (!settings.allow_auto_merge)
    throw denied('auto-merge-allowed', 'Auto merge is not allowed for this repository');
  if (issue.state !== 'open' || issue.pull.draft)
    throw denied(
      'auto-merge-of-draft',
      'Pull request is not in the correct state to enable auto-merge',
    );
  const ref = `refs/heads/${issue.pull.base}`;
  if (rulesetsFor(hub.world, repository, ref).length === 0)
    throw denied(
      'auto-merge-needs-rules',
      'Pull request Protected branch rules not configured for this branch',
    );
  if (!settings[METHODS[method]] && !hasMergeQueue(hub.world, repository, issue))
    throw denied('auto-merge-method', `Pull request Merge method ${method} is not allowed`);
  await decidedFacts(repository, issue);
  const facts = await pullFacts(repository, issue);
  const state = mergeableState(hub.world, repository, issue, facts);
  if (state === 'clean' || state === 'unstable')
    throw denied('auto-merge-has-to-wait', `Pull request Pull request is in ${state} status`);
  if (method === 'REBASE')
    throw new GitHubError('own', 422, 'The local GitHub merges nothing by rebase.');
  const way = method === 'SQUASH' ? 'squash' : 'merge';
  set(hub, repository, actor, issue, { by: actor, method: way, isQueued: false });
}

/** Throws GitHub's errors if its checks and reviews are not done yet, or without a queue. */
export async function enqueue(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  { expectedHead }: Pick<Wanted, 'expectedHead'>,
): Promise<void> {
  await checkHead(repository, issue, expectedHead);
  if (!hasMergeQueue(hub.world, repository, issue))
    throw denied('merge-queue', 'The base branch has no merge queue');
  const facts = await pullFacts(repository, issue);
  const [violation] = mergeViolations(hub.world, repository, issue, facts);
  if (violation !== undefined || issue.pull.draft || issue.state !== 'open')
    throw denied('merge-queue', violation?.message ?? 'Pull request is not mergeable');
  set(hub, repository, actor, issue, { by: actor, method: 'merge', isQueued: true });
}

async function checkHead(repository: Repository, issue: PullRequest, expected?: string) {
  if (expected !== undefined && expected !== (await headSha(repository, issue)))
    throw denied(
      'auto-merge-of-known-head',
      'Head branch was modified. Review and try the merge again.',
    );
}

function set(hub: Hub, repository: Repository, actor: User, issue: PullRequest, on: AutoMerge) {
  issue.pull.autoMerge = on;
  const action = on.isQueued ? 'enqueued' : 'auto_merge_enabled';
  emitPullEvent(hub, repository, actor, issue, action);
  touch(hub, issue);
}

/** From now on, merges what is to be merged as soon as that is possible. */
export function mergeByThemselves(hub: Hub): void {
  hub.world.onChange(() => {
    for (const repository of hub.world.repositories.values())
      for (const issue of repository.issues)
        if (isPull(issue) && issue.pull.autoMerge !== undefined)
          void mergeIfReady(hub, repository, issue).catch((error: unknown) =>
            hub.world.log?.warn({ error }, 'auto-merge failed'),
          );
  });
}

const mergeIfReady = (hub: Hub, repository: Repository, issue: PullRequest): Promise<void> =>
  hub.world.exclusively(repository, async () => {
    const { autoMerge, draft } = issue.pull;
    if (autoMerge === undefined || issue.state !== 'open' || draft) return;
    const facts = await pullFacts(repository, issue);
    if (facts.mergeable === false) return;
    if (mergeViolations(hub.world, repository, issue, facts).length > 0) return;
    issue.pull.autoMerge = undefined;
    await mergePull(hub, repository, autoMerge.by, issue, { method: autoMerge.method });
  });

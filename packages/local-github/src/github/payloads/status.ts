import type { CommitStatus } from '../checks/state.ts';
import type { CheckFacts } from '../git/check-facts.ts';
import type { Repository } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { commitPayload } from './pull.ts';
import { apiUrl } from './repository.ts';
import { userPayload } from './user.ts';

/** A status in the list of the newest ones. */
export function simpleStatusPayload(world: World, repository: Repository, status: CommitStatus) {
  return {
    url: `${apiUrl(world, repository)}/statuses/${status.sha}`,
    avatar_url: userPayload(world, status.creator).avatar_url,
    id: status.id,
    node_id: nodeId('SC', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

export const statusPayload = (world: World, repository: Repository, status: CommitStatus) => ({
  ...simpleStatusPayload(world, repository, status),
  creator: userPayload(world, status.creator),
});

export function statusEventPayload(
  world: World,
  repository: Repository,
  status: CommitStatus,
  { commit, branches }: CheckFacts,
) {
  const url = `${apiUrl(world, repository)}/commits/${commit.sha}`;
  const { url: _, node_id: __, ...rest } = simpleStatusPayload(world, repository, status);
  return {
    ...rest,
    sha: commit.sha,
    name: repository.fullName,
    commit: commitPayload(world, repository, commit),
    branches: branches.map((name) => ({
      name,
      commit: { sha: commit.sha, url },
      protected: false,
    })),
  };
}

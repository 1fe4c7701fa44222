import { GitHubError } from '../github-error.ts';
import type { Repository } from '../state.ts';
import type { World } from '../world.ts';
import {
  forbiddenWorkflow,
  refusedWorkflow,
  violationsOf,
  type Caller,
  type Move,
} from './changes.ts';
import { ruleError } from './words.ts';

/** Throws GitHub's error if the rules of the repository do not allow the move of a ref through the API. */
export async function enforceRules(
  world: World,
  repository: Repository,
  caller: Caller,
  move: Move,
  status = 422,
): Promise<void> {
  const workflow = await forbiddenWorkflow(repository, caller, move);
  if (workflow !== undefined)
    throw new GitHubError('workflow-files', 403, refusedWorkflow(workflow));
  const violations = await violationsOf(world, repository, caller.user, move);
  if (violations.length > 0) throw ruleError(status, violations);
}

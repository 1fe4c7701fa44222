import { GitHubError } from '../github-error.ts';
import type { Repository } from '../state.ts';
import type { World } from '../world.ts';
import { violationsOf, type Caller, type Move } from './changes.ts';
import { ruleError } from './words.ts';
import { forbiddenWorkflow, refusedWorkflow } from './workflows.ts';

/**
 * Throws GitHub's error if the rules of the repository do not allow the move of a ref through the API.
 * @param refuse what is said of a workflow file
 */
export async function enforceRules(
  world: World,
  repository: Repository,
  caller: Caller,
  move: Move,
  { status = 422, refuse = refuseByName }: Refusal = {},
): Promise<void> {
  const workflow = await forbiddenWorkflow(repository, caller, move);
  if (workflow !== undefined) throw refuse(workflow);
  const violations = await violationsOf(world, repository, caller.user, move);
  if (violations.length > 0) throw ruleError(status, violations);
}

interface Refusal {
  /** Of other rules. */
  readonly status?: number | undefined;
  readonly refuse?: (workflow: string) => GitHubError;
}

const refuseByName = (workflow: string): GitHubError =>
  new GitHubError('workflow-files-in-merge', 403, refusedWorkflow(workflow));

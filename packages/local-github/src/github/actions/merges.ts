// Merges of branches and pull requests, by pages and the API.
import { headSha } from '../git/pull.ts';
import { GitHubError, notAccessible } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import type { Caller } from '../rules/changes.ts';
import { enforceRules } from '../rules/enforce.ts';
import type { PullRequest, Repository, User } from '../state.ts';
import { writeSignedCommit } from './commits.ts';
import { committer } from './committer.ts';

interface MergeOptions {
  readonly message: string;
  readonly isSquash?: boolean;
  /** Whom the rules for changes of the branch apply to; nobody, if it is the merge of a pull request. */
  readonly caller?: Caller;
}

/** Merges a commit into a branch. Resolves with the new head, or with `undefined` if there are conflicts. */
export async function mergeInto(
  hub: Hub,
  repository: Repository,
  actor: User,
  branch: string,
  sha: string,
  { message, isSquash = false, caller }: MergeOptions,
): Promise<string | undefined> {
  const { git } = repository;
  const base = await git.head(branch);
  if (base === undefined) throw new GitHubError('merge-of-branches', 404, 'Base does not exist');
  const tree = await git.mergedTree(base, sha);
  if (tree === undefined) return undefined;
  const parents = isSquash ? [base] : [base, sha];
  const author = committer(actor);
  const merged = await writeSignedCommit(hub, repository, { tree, parents, author, message });
  const move = { ref: `refs/heads/${branch}`, before: base, after: merged };
  if (caller !== undefined) await enforceRules(hub.world, repository, caller, move);
  await git.setRef(move.ref, merged, base);
  return merged;
}

/** Merges the base branch into the head branch. Throws GitHub's 422 if it cannot, or if there is nothing new. */
export async function updateBranch(
  hub: Hub,
  repository: Repository,
  caller: Caller,
  issue: PullRequest,
  expectedHead: string | undefined,
): Promise<void> {
  const { git } = repository;
  const { head, base } = issue.pull;
  // Here, GitHub would push to the fork.
  if (issue.pull.headRepositoryId !== undefined) throw notAccessible('contents:write');
  const [sha, baseSha] = [await headSha(repository, issue), await git.head(base)];
  if (expectedHead !== undefined && expectedHead !== sha)
    throw new GitHubError('update-branch', 422, `expected head sha didn't match current head ref.`);
  if (baseSha === undefined || issue.state !== 'open' || (await git.isAncestor(baseSha, sha)))
    throw new GitHubError('update-branch', 422, 'There are no new commits on the base branch.');
  const message = `Merge branch '${base}' into ${head}\n`;
  const options = { message, caller };
  const merged = await mergeInto(hub, repository, caller.user, head, baseSha, options);
  if (merged === undefined)
    throw new GitHubError('update-branch', 422, 'merge conflict between base and head');
}

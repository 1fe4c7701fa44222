// The branch that a pull request goes to: how it changes, and what happens if it is deleted.
import { GitHubError, invalid } from '../github-error.ts';
import { keepBase, pullFacts } from '../git/pull.ts';
import type { Hub } from '../hub.ts';
import { emitPullEvent, touch } from '../hub.ts';
import type { PullRequest, Repository, User } from '../state.ts';
import { isPull } from '../state.ts';
import { closeIssue } from './issues.ts';

/** Throws GitHub's 422 if the pull request cannot go there. Does nothing if it goes there already. */
export async function changeBase(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  base: string,
): Promise<void> {
  if (issue.pull.base === base) return;
  const head = await repository.git.head(issue.pull.head);
  const to = await repository.git.head(base);
  if (to === undefined || issue.state !== 'open')
    throw new GitHubError('base-change', 422, 'Validation Failed', [
      { resource: 'PullRequest', field: 'base', code: 'invalid' },
    ]);
  if (head !== undefined && (await repository.git.isAncestor(head, to)))
    throw invalid(
      'base-change',
      'PullRequest',
      `There are no new commits between base branch '${base}' and head branch '${issue.pull.head}'`,
    );
  const { baseSha } = await pullFacts(repository, issue);
  // Somebody else may have changed it meanwhile.
  if (issue.pull.base === base) return;
  const changes = { base: { ref: { from: issue.pull.base }, sha: { from: baseSha } } };
  issue.pull.base = base;
  touch(hub, issue);
  emitPullEvent(hub, repository, actor, issue, 'edited', { changes });
}

/**
 * Pull requests to a branch that is deleted with the button of a page go to where its own pull request was merged. If
 * there is none, or if the branch is deleted through git or the API (rule `base-deleted-elsewhere`), they are closed.
 * `sha`: where it was.
 */
export async function baseDeleted(
  hub: Hub,
  repository: Repository,
  actor: User,
  {
    branch,
    sha,
    isByPage,
  }: { readonly branch: string; readonly sha: string; readonly isByPage: boolean },
): Promise<void> {
  const pulls = repository.issues.filter(isPull);
  const merged = isByPage
    ? pulls.findLast(({ pull }) => pull.head === branch && pull.merged !== undefined)
    : undefined;
  for (const issue of pulls.filter(({ pull }) => pull.base === branch)) {
    await keepBase(repository, issue, sha);
    if (issue.state !== 'open') continue;
    try {
      if (merged !== undefined && hub.world.rules.holds('base-deleted'))
        await changeBase(hub, repository, actor, issue, merged.pull.base);
      else await closeIssue(hub, repository, actor, issue, null);
    } catch (error) {
      if (!(error instanceof GitHubError)) throw error;
      await closeIssue(hub, repository, actor, issue, null);
    }
  }
}

/** With its page: open pull requests to it follow, those from it are closed (rules `renamed-branch` and `head-deleted`). */
export async function renameBranch(
  hub: Hub,
  repository: Repository,
  actor: User,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const { git } = repository;
  const sha = await git.head(from);
  if (sha === undefined) throw new GitHubError('unknown-branch', 404, 'Branch not found');
  await git.setRef(`refs/heads/${to}`, sha);
  if (repository.defaultBranch === from) {
    repository.defaultBranch = to;
    await git.setDefaultBranch(to);
  }
  for (const issue of repository.issues.filter(isPull)) {
    if (issue.state !== 'open') continue;
    if (issue.pull.base === from) await changeBase(hub, repository, actor, issue, to);
    else if (issue.pull.head === from) await closeIssue(hub, repository, actor, issue, null);
  }
  await git.deleteRef(`refs/heads/${from}`);
  hub.world.moves.branchRenamed(repository, from, to);
  hub.world.changed();
}

// What git knows about a commit that has checks.
import { GitHubError } from '../github-error.ts';
import type { PullRequest, Repository } from '../state.ts';
import { isPull } from '../state.ts';
import { commitFacts, type CommitFacts } from './pull.ts';

/** An open pull request of this repository whose head is the commit; none of a fork (rule `fork-checks-name-no-pull`). */
export interface PullAt {
  readonly issue: PullRequest;
  readonly baseSha: string;
}

export interface CheckFacts {
  readonly commit: CommitFacts;
  readonly pulls: readonly PullAt[];
  /** The branches whose head is the commit. */
  readonly branches: readonly string[];
}

/** Throws GitHub's 422 if there is no such commit. */
export async function checkFacts(repository: Repository, sha: string): Promise<CheckFacts> {
  const [commit, heads] = await Promise.all([
    commitFacts(repository, sha),
    repository.git.branches(),
  ]);
  if (commit === undefined) throw noCommit(sha);
  const pulls = repository.issues
    .filter(isPull)
    .filter(({ state, pull }) => state === 'open' && pull.headRepositoryId === undefined)
    .filter(({ pull }) => heads.get(pull.head) === sha)
    .map((issue) => ({ issue, baseSha: heads.get(issue.pull.base) ?? sha }));
  const branches = [...heads].filter(([, head]) => head === sha).map(([name]) => name);
  return { commit, pulls, branches };
}

/** The commit with this full hash. Throws GitHub's 422 if there is none. */
export async function requireCommit(repository: Repository, sha: string): Promise<string> {
  const found = /^[0-9a-f]{40}$/i.test(sha) ? await repository.git.resolve(sha) : undefined;
  if (found === undefined) throw noCommit(sha);
  return found;
}

const noCommit = (sha: string): GitHubError =>
  new GitHubError('unknown-commit', 422, `No commit found for SHA: ${sha}`);

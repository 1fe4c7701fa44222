// Whether the rules of the base branch allow a pull request to be merged, and GitHub's name for its state.
import { hasPassed } from '../checks/state.ts';
import type { PullFacts } from '../git/pull.ts';
import type { PullRequest, Repository } from '../state.ts';
import type { World } from '../world.ts';
import { missingChecks, rulesetsFor, type Violation } from './changes.ts';
import { hasRole } from '../roles.ts';
import type { Rule } from './ruleset.ts';

const rulesOf = (world: World, repository: Repository, { pull }: PullRequest): Rule[] =>
  rulesetsFor(world, repository, `refs/heads/${pull.base}`).flatMap(({ rules }) => rules);

export const hasMergeQueue = (world: World, repository: Repository, issue: PullRequest): boolean =>
  rulesOf(world, repository, issue).some(({ type }) => type === 'merge_queue');

/** Whether approvals end with a push (rule `stale-approvals`). */
export const dismissesStaleApprovals = (
  world: World,
  repository: Repository,
  issue: PullRequest,
): boolean =>
  rulesOf(world, repository, issue).some(
    (rule) => rule.type === 'pull_request' && rule.parameters.dismiss_stale_reviews_on_push,
  );

/** What keeps the pull request from being merged. */
export function mergeViolations(
  world: World,
  repository: Repository,
  issue: PullRequest,
  facts: PullFacts,
): Violation[] {
  return rulesOf(world, repository, issue).flatMap((rule) => {
    if (rule.type === 'required_status_checks')
      return missingChecks(repository, rule, facts.headSha) ?? [];
    if (rule.type === 'required_signatures') {
      const found = facts.commits.map(({ sha }) => sha).filter((sha) => !world.signatures.has(sha));
      return found.length === 0
        ? []
        : [{ message: 'Commits must have verified signatures.', found }];
    }
    if (rule.type !== 'pull_request') return [];
    return [...missingReviews(repository, issue, rule), ...openThreads(repository, issue, rule)];
  });
}

type PullRule = Extract<Rule, { type: 'pull_request' }>;

/** A review that comments leaves an earlier verdict of its author (rule `latest-verdict`), and an App has no role (rule `approvals-of-apps`). */
function missingReviews(
  repository: Repository,
  issue: PullRequest,
  { parameters }: PullRule,
): Violation[] {
  const needed = parameters.required_approving_review_count;
  const latest = new Map(
    repository.reviews
      .filter((one) => one.pullNumber === issue.number && one.state !== 'COMMENTED')
      .filter(({ author }) => hasRole(repository, author, 'write'))
      .map((one) => [one.author.login, one.state]),
  );
  const states = [...latest.values()];
  const approvals = states.filter((state) => state === 'APPROVED').length;
  if (needed > 0 && states.includes('CHANGES_REQUESTED'))
    return [{ message: 'Changes were requested by reviewers with write access.', found: [] }];
  if (approvals >= needed) return [];
  const reviews = needed === 1 ? 'review is' : 'reviews are';
  const message = `At least ${needed} approving ${reviews} required by reviewers with write access.`;
  return [{ message, found: [] }];
}

function openThreads(
  repository: Repository,
  { number }: PullRequest,
  { parameters }: PullRule,
): Violation[] {
  const isOpen = repository.reviewThreads.some(
    (one) => one.pullNumber === number && one.resolvedBy === undefined,
  );
  if (!parameters.required_review_thread_resolution || !isOpen) return [];
  const message = 'A conversation must be resolved before this pull request can be merged.';
  return [{ message, found: [] }];
}

/** GitHub's `mergeable_state` (rule `mergeable-states`). */
export function mergeableState(
  world: World,
  repository: Repository,
  issue: PullRequest,
  facts: PullFacts,
): string {
  if (facts.mergeable === null) return 'unknown';
  if (!facts.mergeable) return 'dirty';
  if (issue.pull.draft) return 'draft';
  if (mergeViolations(world, repository, issue, facts).length > 0) return 'blocked';
  const isStrict = rulesOf(world, repository, issue).some(
    (rule) =>
      rule.type === 'required_status_checks' &&
      rule.parameters.strict_required_status_checks_policy,
  );
  if (isStrict && facts.startSha !== facts.baseSha) return 'behind';
  return hasPassed(repository.checks, facts.headSha) ? 'clean' : 'unstable';
}

import { GitHubError, invalid } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { emitPullEvent, touch } from '../hub.ts';
import { headSha, keepHead, pullFacts } from '../git/pull.ts';
import { mergeViolations } from '../rules/merging.ts';
import { hasRole } from '../roles.ts';
import { ruleError } from '../rules/words.ts';
import type { PullRequest, Repository, User } from '../state.ts';
import { isPull, timestamp } from '../state.ts';
import { baseDeleted } from './base-branch.ts';
import { forksOf, headRepository, pullsFrom } from './forks.ts';
import { mergeInto } from './merges.ts';
import { addIssue, checkText, closeIssue, findIssue } from './issues.ts';
import { checkPush } from './pushes.ts';
import { dismissStaleApprovals } from './reviews.ts';

export function findPull(repository: Repository, number: number): PullRequest {
  const issue = findIssue(repository, number);
  if (!isPull(issue)) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return issue;
}

export interface NewPull {
  readonly title: string;
  readonly body?: string | null | undefined;
  /** `branch`, or `owner:branch` for one in a fork. */
  readonly head: string;
  readonly base: string;
  readonly draft?: boolean | undefined;
  /** Of a pull request from a fork; true by default. */
  readonly maintainerCanModify?: boolean | undefined;
}

export async function openPull(
  hub: Hub,
  repository: Repository,
  actor: User,
  wanted: NewPull,
): Promise<PullRequest> {
  checkText(hub, wanted.title, wanted.body ?? null);
  const { from, head } = headOf(hub, repository, wanted.head);
  await checkBranches(repository, from, head, wanted.base);
  const pull = {
    id: hub.world.nextId(),
    head,
    headRepositoryId: from === repository ? undefined : from.id,
    maintainerCanModify: from !== repository && (wanted.maintainerCanModify ?? true),
    base: wanted.base,
    draft: wanted.draft ?? false,
    merged: undefined,
    requestedReviewers: [],
  };
  const issue = addIssue(hub, repository, actor, wanted.title, wanted.body ?? null, pull);
  if (!isPull(issue)) throw new Error('a pull request was added without its pull');
  await keepHead(repository, issue, from);
  hub.world.changed();
  emitPullEvent(hub, repository, actor, issue, 'opened');
  return issue;
}

/** Where the head is. Throws GitHub's 422 if its owner has no fork. */
function headOf(hub: Hub, repository: Repository, name: string) {
  const [, owner, branch] = /^([^:]+):(.+)$/.exec(name) ?? [];
  if (owner === undefined || branch === undefined) return { from: repository, head: name };
  const network = [repository, ...forksOf(hub.world, repository)];
  const from = network.find((one) => one.owner.login.toLowerCase() === owner.toLowerCase());
  if (from === undefined) throw invalidEnd('head');
  return { from, head: branch };
}

const invalidEnd = (field: string): GitHubError =>
  new GitHubError('pull-ends-exist', 422, 'Validation Failed', [
    { resource: 'PullRequest', field, code: 'invalid' },
  ]);

async function checkBranches(
  repository: Repository,
  from: Repository,
  head: string,
  base: string,
): Promise<void> {
  const [headSha, baseSha] = await Promise.all([from.git.head(head), repository.git.head(base)]);
  if (headSha === undefined) throw invalidEnd('head');
  if (baseSha === undefined) throw invalidEnd('base');
  const label = `${from.owner.login}:${head}`;
  const fork = from === repository ? undefined : from.id;
  const open = repository.issues
    .filter(isPull)
    .filter(({ state, pull }) => state === 'open' && pull.headRepositoryId === fork)
    .some(({ pull }) => pull.head === head && pull.base === base);
  if (open)
    throw invalid('pull-exists', 'PullRequest', `A pull request already exists for ${label}.`);
  if (await from.git.isAncestor(headSha, baseSha))
    throw invalid('pull-has-commits', 'PullRequest', `No commits between ${base} and ${head}`);
}

export interface Merge {
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  /** The head that is to be merged; any by default. */
  readonly sha?: string | undefined;
  readonly method?: 'merge' | 'squash' | undefined;
}

/** Creates a commit on the base branch. Throws GitHub's 405 or 409 if it cannot. */
export async function mergePull(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  options: Merge,
): Promise<string> {
  const { pull } = issue;
  if (issue.state !== 'open' || pull.merged !== undefined)
    throw new GitHubError('not-mergeable', 405, 'Pull Request is not mergeable');
  if (pull.draft && hub.world.rules.holds('draft-is-not-merged'))
    throw new GitHubError('draft-is-not-merged', 405, 'Pull Request is still a draft');
  const head = await headSha(repository, issue);
  if (options.sha !== undefined && options.sha !== head)
    throw new GitHubError(
      'merge-of-known-head',
      409,
      'Head branch was modified. Review and try the merge again.',
    );
  const violations = mergeViolations(
    hub.world,
    repository,
    issue,
    await pullFacts(repository, issue),
  );
  if (violations.length > 0) throw ruleError(405, violations);
  await keepHead(repository, issue);
  const before = await repository.git.head(pull.base);
  const { owner } = headRepository(hub.world, repository, issue) ?? repository;
  const isSquash = options.method === 'squash';
  const sha = await mergeInto(hub, repository, actor, pull.base, head, {
    message: isSquash ? squashMessage(issue, options) : mergeMessage(owner, issue, options),
    isSquash,
  });
  if (sha === undefined)
    throw new GitHubError('not-mergeable', 405, 'Pull Request is not mergeable');
  const push = { branch: pull.base, before, after: sha };
  pull.merged = { at: timestamp(), by: actor, commitSha: sha };
  repository.pushedAt = timestamp();
  await closeIssue(hub, repository, actor, issue, null);
  if (pull.base === repository.defaultBranch) await closeNamed(hub, repository, actor, issue);
  await checkPush(hub, repository, actor, push);
  return sha;
}

function mergeMessage(owner: User, issue: PullRequest, options: Merge): string {
  const title =
    options.title ?? `Merge pull request #${issue.number} from ${owner.login}/${issue.pull.head}`;
  return `${title}\n\n${options.message ?? issue.title}\n`;
}

const squashMessage = (issue: PullRequest, { title, message = '' }: Merge): string =>
  `${title ?? `${issue.title} (#${issue.number})`}\n${message === '' ? '' : `\n${message}\n`}`;

/** What the keywords of a text close. */
export const CLOSES = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#(\d+)\b/gi;

/** Closes the issues that a merged pull request says it closes, fixes or resolves. */
async function closeNamed(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
): Promise<void> {
  if (!hub.world.rules.holds('closing-keywords')) return;
  const numbers = [...(issue.body ?? '').matchAll(CLOSES)].map((match) => Number(match[1]));
  for (const named of repository.issues)
    if (numbers.includes(named.number) && !isPull(named) && named.state === 'open')
      await closeIssue(hub, repository, actor, named, 'completed');
}

/** Changes between draft and ready. Does nothing if the pull request already is what was asked for. */
export function setDraft(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  draft: boolean,
): void {
  if (issue.pull.draft === draft) return;
  issue.pull.draft = draft;
  touch(hub, issue);
  if (draft && issue.pull.autoMerge !== undefined)
    cancelMerge(hub, repository, actor, issue, 'The pull request was converted to a draft');
  const action = draft ? 'converted_to_draft' : 'ready_for_review';
  emitPullEvent(hub, repository, actor, issue, action);
}

export const denied = (rule: GitHubError['rule'], message: string): GitHubError =>
  new GitHubError(rule, 422, message);

/** Auto-merge, or its place in the queue. Throws GitHub's error if there is none. */
export function cancelMerge(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  reason: string,
): void {
  const { autoMerge } = issue.pull;
  if (autoMerge === undefined)
    throw denied('auto-merge-off', "Can't disable auto-merge for this pull request");
  issue.pull.autoMerge = undefined;
  const action = autoMerge.isQueued ? 'dequeued' : 'auto_merge_disabled';
  emitPullEvent(hub, repository, actor, issue, action, { reason });
  touch(hub, issue);
}

/** Whoever may not write to the repository cannot slip something in (rule `auto-merge-ends-by-push`). */
function endAutoMerge(hub: Hub, repository: Repository, actor: User, issue: PullRequest): void {
  const mayWrite = actor.type === 'Bot' || hasRole(repository, actor, 'write');
  if (issue.pull.autoMerge !== undefined && !mayWrite)
    cancelMerge(hub, repository, actor, issue, 'Someone without write access pushed');
}

/**
 * Updates the open pull requests of a changed branch: sends `synchronize` if it has a new head, and closes
 * them if it was deleted (rule `head-deleted`). Those that go to a deleted branch go elsewhere or are closed.
 */
async function branchMoved(
  hub: Hub,
  repository: Repository,
  actor: User,
  move: { branch: string; before: string; after: string | undefined; isByPage: boolean },
): Promise<void> {
  repository.pushedAt = timestamp();
  for (const { base, issue } of pullsFrom(hub.world, repository, move.branch)) {
    if (move.after === undefined) {
      await closeIssue(hub, base, actor, issue, null);
      continue;
    }
    await keepHead(base, issue, repository);
    endAutoMerge(hub, base, actor, issue);
    dismissStaleApprovals(hub, base, actor, issue);
    touch(hub, issue);
    const { before, after } = move;
    emitPullEvent(hub, base, actor, issue, 'synchronize', { before, after });
  }
  const { branch, before: sha, isByPage } = move;
  if (move.after === undefined)
    await baseDeleted(hub, repository, actor, { branch, sha, isByPage });
  hub.world.changed();
}

/** Sends events for every branch that has changed since `before`. */
export async function announceMoves(
  hub: Hub,
  repository: Repository,
  actor: User,
  before: Map<string, string>,
  isByPage = false,
): Promise<void> {
  const now = await repository.git.branches();
  for (const branch of new Set([...before.keys(), ...now.keys()])) {
    const [from, after] = [before.get(branch), now.get(branch)];
    if (from === after) continue;
    if (from === undefined) hub.world.changed();
    else await branchMoved(hub, repository, actor, { branch, before: from, after, isByPage });
    if (after !== undefined)
      await checkPush(hub, repository, actor, { branch, before: from, after });
  }
}

import { GitHubError, invalid } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { emitPullEvent, touch } from '../hub.ts';
import { headSha, keepHead, pullFacts } from '../git/pull.ts';
import { mergeViolations } from '../rules/merging.ts';
import { ruleError } from '../rules/words.ts';
import type { PullRequest, Repository, User } from '../state.ts';
import { isPull, timestamp } from '../state.ts';
import { mergeInto } from './merges.ts';
import { addIssue, checkText, closeIssue, findIssue } from './issues.ts';
import { checkPush } from './pushes.ts';

export function findPull(repository: Repository, number: number): PullRequest {
  const issue = findIssue(repository, number);
  if (!isPull(issue)) throw new GitHubError(404, 'Not Found');
  return issue;
}

export interface NewPull {
  readonly title: string;
  readonly body?: string | null | undefined;
  /** `branch` or `owner:branch`; the owner must be that of the repository. */
  readonly head: string;
  readonly base: string;
  readonly draft?: boolean | undefined;
}

export async function openPull(
  hub: Hub,
  repository: Repository,
  actor: User,
  wanted: NewPull,
): Promise<PullRequest> {
  checkText(wanted.title, wanted.body ?? null);
  const head = wanted.head.replace(`${repository.owner.login}:`, '');
  await checkBranches(repository, head, wanted.base);
  const pull = {
    id: hub.world.nextId(),
    head,
    base: wanted.base,
    draft: wanted.draft ?? false,
    merged: undefined,
    requestedReviewers: [],
  };
  const issue = addIssue(hub, repository, actor, wanted.title, wanted.body ?? null, pull);
  if (!isPull(issue)) throw new Error('a pull request was added without its pull');
  await keepHead(repository, issue);
  hub.world.changed();
  emitPullEvent(hub, repository, actor, issue, 'opened');
  return issue;
}

async function checkBranches(repository: Repository, head: string, base: string): Promise<void> {
  const [headSha, baseSha] = await Promise.all([
    repository.git.head(head),
    repository.git.head(base),
  ]);
  for (const [field, sha] of [
    ['head', headSha],
    ['base', baseSha],
  ])
    if (sha === undefined)
      throw new GitHubError(422, 'Validation Failed', [
        { resource: 'PullRequest', field, code: 'invalid' },
      ]);
  if (headSha === undefined || baseSha === undefined) return;
  const label = `${repository.owner.login}:${head}`;
  const open = repository.issues
    .filter(isPull)
    .some((one) => one.state === 'open' && one.pull.head === head && one.pull.base === base);
  if (open) throw invalid('PullRequest', `A pull request already exists for ${label}.`);
  if (await repository.git.isAncestor(headSha, baseSha))
    throw invalid('PullRequest', `No commits between ${base} and ${head}`);
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
    throw new GitHubError(405, 'Pull Request is not mergeable');
  if (pull.draft) throw new GitHubError(405, 'Pull Request is still a draft');
  const head = await headSha(repository, issue);
  if (options.sha !== undefined && options.sha !== head)
    throw new GitHubError(409, 'Head branch was modified. Review and try the merge again.');
  const violations = mergeViolations(
    hub.world,
    repository,
    issue,
    await pullFacts(repository, issue),
  );
  if (violations.length > 0) throw ruleError(405, violations);
  await keepHead(repository, issue);
  const before = await repository.git.head(pull.base);
  const isSquash = options.method === 'squash';
  const sha = await mergeInto(hub, repository, actor, pull.base, head, {
    message: isSquash ? squashMessage(issue, options) : mergeMessage(repository, issue, options),
    isSquash,
  });
  if (sha === undefined) throw new GitHubError(405, 'Pull Request is not mergeable');
  const push = { branch: pull.base, before, after: sha };
  pull.merged = { at: timestamp(), by: actor, commitSha: sha };
  repository.pushedAt = timestamp();
  await closeIssue(hub, repository, actor, issue, null);
  if (pull.base === repository.defaultBranch) await closeNamed(hub, repository, actor, issue);
  await checkPush(hub, repository, actor, push);
  return sha;
}

function mergeMessage({ owner }: Repository, issue: PullRequest, options: Merge): string {
  const title =
    options.title ?? `Merge pull request #${issue.number} from ${owner.login}/${issue.pull.head}`;
  return `${title}\n\n${options.message ?? issue.title}\n`;
}

const squashMessage = (issue: PullRequest, { title, message = '' }: Merge): string =>
  `${title ?? `${issue.title} (#${issue.number})`}\n${message === '' ? '' : `\n${message}\n`}`;

const CLOSES = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? +#(\d+)\b/gi;

/** Closes the issues that a merged pull request says it closes, fixes or resolves. */
async function closeNamed(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
): Promise<void> {
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
  const action = draft ? 'converted_to_draft' : 'ready_for_review';
  emitPullEvent(hub, repository, actor, issue, action);
}

/**
 * Updates the open pull requests of a changed branch: sends `synchronize` if it has a new head, and closes
 * them if it was deleted.
 */
async function branchMoved(
  hub: Hub,
  repository: Repository,
  actor: User,
  move: { branch: string; before: string; after: string | undefined },
): Promise<void> {
  repository.pushedAt = timestamp();
  const affected = repository.issues
    .filter(isPull)
    .filter((issue) => issue.state === 'open' && issue.pull.head === move.branch);
  for (const issue of affected) {
    if (move.after === undefined) {
      await closeIssue(hub, repository, actor, issue, null);
      continue;
    }
    await keepHead(repository, issue);
    touch(hub, issue);
    const { before, after } = move;
    emitPullEvent(hub, repository, actor, issue, 'synchronize', { before, after });
  }
  hub.world.changed();
}

/** Sends events for every branch that has changed since `before`. */
export async function announceMoves(
  hub: Hub,
  repository: Repository,
  actor: User,
  before: Map<string, string>,
): Promise<void> {
  const now = await repository.git.branches();
  for (const branch of new Set([...before.keys(), ...now.keys()])) {
    const [from, after] = [before.get(branch), now.get(branch)];
    if (from === after) continue;
    if (from === undefined) hub.world.changed();
    else await branchMoved(hub, repository, actor, { branch, before: from, after });
    if (after !== undefined)
      await checkPush(hub, repository, actor, { branch, before: from, after });
  }
}

// Finds what a query names, in GitHub's words for what is not there.
import { GitHubError } from '../github-error.ts';
import type { RestRequest } from '../rest/route.ts';
import type { Issue, Repository } from '../state.ts';
import { isPull, parseNodeId } from '../state.ts';
import { ownerNode } from './details.ts';
import { actorNode } from './review-threads.ts';

/** The caller. Unlike an author, an App is named with `[bot]` here (rule `graphql-bot-logins`). */
export function viewerNode({ actor }: RestRequest): object {
  if (actor.kind !== 'user' && actor.kind !== 'installation')
    throw new GitHubError('permission-denied', 403, 'Resource not accessible by integration');
  return { ...actorNode(actor.user), __typename: 'User', login: actor.user.login, name: null };
}

/** Throws GraphQL's error for a login that no person has. */
export function personNode({ services }: RestRequest, login: string): object {
  const user = services.world.user(login);
  if (user?.type === 'User') return ownerNode(user);
  throw new GitHubError(
    'graphql-not-found',
    404,
    `Could not resolve to a User with the login of '${login}'.`,
  );
}

export function findRepository({ services }: RestRequest, owner: string, name: string): Repository {
  const fullName = `${owner}/${name}`;
  const found = services.world.repositories.get(fullName.toLowerCase());
  if (found !== undefined) return found;
  throw new GitHubError(
    'graphql-not-found',
    404,
    `Could not resolve to a Repository with the name '${fullName}'.`,
  );
}

/** `undefined` for an id of something else. */
export function findIssueById(
  { services }: RestRequest,
  id: string,
): { readonly repository: Repository; readonly issue: Issue } | undefined {
  const parsed = parseNodeId(id);
  if (parsed?.kind !== 'I') return undefined;
  for (const repository of services.world.repositories.values()) {
    const issue = repository.issues.find((one) => !isPull(one) && one.id === parsed.id);
    if (issue !== undefined) return { repository, issue };
  }
  return undefined;
}

/** `undefined` for an id of something else. */
export function findCommentById({ services }: RestRequest, id: string) {
  const parsed = parseNodeId(id);
  if (parsed?.kind !== 'IC') return undefined;
  for (const repository of services.world.repositories.values()) {
    const comment = repository.comments.find((one) => one.id === parsed.id);
    const issue = repository.issues.find(({ number }) => number === comment?.issueNumber);
    if (comment !== undefined && issue !== undefined) return { repository, issue, comment };
  }
  return undefined;
}

export interface IssueFilters {
  readonly assignee?: string | null;
  readonly createdBy?: string | null;
  readonly mentioned?: string | null;
}

export function isWanted(issue: Issue, filters: IssueFilters | null | undefined): boolean {
  const { assignee, createdBy, mentioned } = filters ?? {};
  return (
    (createdBy ?? issue.author.login) === issue.author.login &&
    (!mentioned || (issue.body ?? '').includes(`@${mentioned}`)) &&
    (!assignee || issue.assignees.some(({ login }) => login === assignee))
  );
}

/** Throws GraphQL's error if there is none. */
export function findThread(
  { issues }: Repository,
  number: number,
  what: 'an Issue' | 'a PullRequest' | 'an issue or pull request' = 'an issue or pull request',
): Issue {
  const found = issues.find((one) => one.number === number);
  const isOther = found && what === (isPull(found) ? 'an Issue' : 'a PullRequest');
  if (found !== undefined && isOther !== true) return found;
  throw new GitHubError(
    'graphql-not-found',
    404,
    `Could not resolve to ${what} with the number of ${number}.`,
  );
}

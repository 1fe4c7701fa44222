// What the mutations of GitHub's own command line are about, and who may change it.
import { GitHubError, unresolved } from '../github-error.ts';
import { admit } from '../rest/access.ts';
import type { RestRequest } from '../rest/route.ts';
import type { Issue, Repository, Role, User } from '../state.ts';
import { isPull, parseNodeId } from '../state.ts';
import { findIssueById } from './lookups.ts';
import { findPullById } from './nodes.ts';

/** The caller, if they may do this to the issue or pull request. Throws GitHub's errors otherwise. */
export function admitTo(
  request: RestRequest,
  repository: Repository,
  issue: Issue,
  role: Role,
): User {
  const permission = isPull(issue) ? 'pull_requests:write' : 'issues:write';
  return admitToChange(request, repository, permission, role);
}

export function admitToChange(
  { services, actor }: RestRequest,
  repository: Repository,
  permission: string,
  role: Role,
): User {
  const user = admit(services.world, actor, repository, permission, role);
  if (repository.archived)
    throw new GitHubError('archived-is-read-only', 403, 'Repository was archived so is read-only.');
  return user;
}

const repositoriesOf = ({ services }: RestRequest): readonly Repository[] => [
  ...services.world.repositories.values(),
];

export function findRepositoryById(request: RestRequest, id: string): Repository {
  const parsed = parseNodeId(id);
  const found = repositoriesOf(request).find((one) => parsed?.kind === 'R' && one.id === parsed.id);
  if (found === undefined) throw unresolved(id);
  return found;
}

/** An issue or a pull request. */
export function findTextById(request: RestRequest, id: string) {
  const found = findIssueById(request, id);
  if (found !== undefined) return found;
  const { repository, pull } = findPullById(request, id);
  return { repository, issue: pull as Issue };
}

export const labelNames = (repository: Repository, ids: readonly string[]): string[] =>
  ids.map((id) => {
    const parsed = parseNodeId(id);
    const found = repository.labels.find((one) => parsed?.kind === 'LA' && one.id === parsed.id);
    if (found === undefined) throw unresolved(id);
    return found.name;
  });

export const usersOf = ({ services }: RestRequest, ids: readonly string[]): User[] =>
  ids.map((id) => {
    const parsed = parseNodeId(id);
    const users = [...services.world.users.values()];
    const found = users.find((one) => parsed?.kind === 'U' && one.id === parsed.id);
    if (found === undefined) throw unresolved(id);
    return found;
  });

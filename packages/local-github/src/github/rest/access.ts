// Who may call a route. Each error names its rule.
import type { Actor } from '../auth.ts';
import { allows, reaches } from '../auth.ts';
import { GitHubError, notAccessible } from '../github-error.ts';
import { hasRole } from '../roles.ts';
import type { Caller } from '../rules/changes.ts';
import type { Repository, Role, User } from '../state.ts';
import type { World } from '../world.ts';
import type { RepositoryRequest, RepositoryRoute, RestRequest, Route } from './route.ts';

export { hasRole };

/**
 * Which permission that is for each write: rule `app-permissions`. Returns who acts. If it is an installation, records that it used the permission. Throws GitHub's 401, 403
 * or 404 if the caller is not allowed to.
 */
export function admit(
  world: World,
  actor: Actor,
  repository: Repository,
  permission: string,
  role: Role,
): User {
  switch (actor.kind) {
    case 'anonymous':
      throw new GitHubError('sign-in-required', 401, 'Requires authentication');
    case 'app':
    case 'client':
      throw new GitHubError(
        'jwt-is-no-token',
        401,
        'Bad credentials: a JSON web token is not an installation token',
      );
    case 'user':
      if (!hasRole(repository, actor.user, role))
        throw new GitHubError('role-required', 403, 'Must have admin rights to Repository.');
      if (actor.isViaApp && !isGranted(world, repository, permission))
        throw notAccessible(permission);
      if (actor.grants !== undefined && !allows({ permissions: actor.grants }, permission))
        throw notAccessible(permission, 'personal access token');
      return actor.user;
    case 'installation': {
      const isWrite = permission.endsWith(':write');
      // Repositories here are public: a token reads those outside its scope (rule `public-repositories-are-readable`).
      if (!reaches(actor.token, repository) && isWrite) throw notAccessible(permission);
      if (reaches(actor.token, repository) && !allows(actor.token, permission))
        throw notAccessible(permission);
      world.usedPermissions.add(permission);
      return actor.user;
    }
  }
}

/** Whether the App may do what a person does through it: everyone can read, as repositories here are public. */
function isGranted(world: World, { installationId }: Repository, permission: string): boolean {
  const installation = world.installations.get(installationId ?? -1);
  if (permission.endsWith(':read')) return true;
  return installation !== undefined && allows(installation, permission);
}

/**
 * GitHub's redirect to a repository by id: 301 for a read, 307 for other methods, which clients must repeat
 * unchanged.
 */
function redirect(
  { services, method }: RestRequest,
  repository: Repository,
  below = '',
): GitHubError {
  const url = `${services.world.url}/api/v3/repositories/${repository.id}${below}`;
  const status = method === 'GET' ? 301 : 307;
  return new GitHubError('moved-repository', status, 'Moved Permanently', undefined, {
    location: url,
  });
}

/** Redirects requests for a transferred issue, and says which was deleted (rule `transferred-issue`). */
function leadOn(request: RestRequest, repository: Repository): void {
  if (!/\/issues\/\d+(?:\/|$)/.test(request.path)) return;
  const number = Number(request.params['number']);
  const moved = request.services.world.moves.issue(repository, number);
  if (moved === undefined) {
    const isKnown = repository.issues.some((issue) => issue.number === number);
    if (isKnown || number >= repository.nextNumber) return;
    throw new GitHubError('deleted-issue', 410, 'This issue was deleted');
  }
  const below = request.path.split(/\/issues\/\d+/)[1] ?? '';
  throw redirect(request, moved.repository, `/issues/${moved.number}${below}`);
}

/** Only Apps need a permission for workflow files. */
export const mayWriteWorkflows = ({ rules }: World, actor: Actor): boolean =>
  !rules.holds('workflow-files') ||
  actor.kind !== 'installation' ||
  allows(actor.token, 'workflows:write');

export const callerOf = ({ services, actor, user }: RepositoryRequest): Caller => ({
  user,
  mayWriteWorkflows: mayWriteWorkflows(services.world, actor),
});

/**
 * Throws GitHub's 403 if the caller may not name one of the paths (rule `workflow-file-in-tree`), whatever other branches have (rule
 * `workflow-file-in-tree-of-another-branch`).
 */
export function checkWorkflows(
  { services, actor }: RepositoryRequest,
  paths: readonly string[],
): void {
  const isWorkflow = paths.some((path) => path.startsWith('.github/workflows/'));
  if (isWorkflow && !mayWriteWorkflows(services.world, actor))
    throw notAccessible('workflows:write');
}

/** Turns a repository's route into a plain one that checks its caller first. */
export function repositoryRoute(route: RepositoryRoute): Route {
  return {
    method: route.method,
    path: `/repos/:owner/:repo${route.path}`,
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    handle: (request) => {
      const { world } = request.services;
      const { owner = '', repo = '' } = request.params;
      if (request.actor.kind === 'anonymous')
        throw new GitHubError('sign-in-required', 401, 'Requires authentication');
      const renamed = world.moves.repository(`${owner}/${repo}`);
      if (renamed !== undefined)
        throw redirect(request, renamed, request.path.split(/\/repos\/[^/]+\/[^/]+/)[1]);
      const repository = world.repository(owner, repo);
      leadOn(request, repository);
      const permission =
        typeof route.permission === 'string'
          ? route.permission
          : route.permission(request, repository);
      const user = admit(world, request.actor, repository, permission, route.role ?? 'read');
      if (repository.archived && route.method !== 'GET')
        throw new GitHubError(
          'archived-is-read-only',
          403,
          'Repository was archived so is read-only.',
        );
      return route.handle({ ...request, repository, user });
    },
  };
}

// Who may call a route, in GitHub's own refusals.
import type { Actor } from '../auth.ts';
import { allows, reaches } from '../auth.ts';
import { GitHubError } from '../github-error.ts';
import type { Repository, Role, User } from '../state.ts';
import type { World } from '../world.ts';
import type { RepositoryRoute, Route } from './route.ts';

const RANKING: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];

export function hasRole(repository: Repository, user: User, needed: Role): boolean {
  if (user.id === repository.owner.id) return true;
  const role = repository.collaborators.get(user.login) ?? 'read'; // every repository is public
  return RANKING.indexOf(role) >= RANKING.indexOf(needed);
}

/**
 * Returns who acts. Notes the permission as used when an installation acts; throws the 401, 403 or
 * 404 that GitHub answers to somebody who may not.
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
      throw new GitHubError(401, 'Requires authentication');
    case 'app':
      throw new GitHubError(401, 'Bad credentials: a JSON web token is not an installation token');
    case 'user':
      if (!hasRole(repository, actor.user, role))
        throw new GitHubError(403, 'Must have admin rights to Repository.');
      return actor.user;
    case 'installation': {
      const isWrite = permission.endsWith(':write');
      // Repositories here are public: outside of its scope a token can read what anyone can.
      if (!reaches(actor.token, repository) && isWrite)
        throw new GitHubError(403, 'Resource not accessible by integration');
      if (reaches(actor.token, repository) && !allows(actor.token, permission))
        throw new GitHubError(403, 'Resource not accessible by integration');
      world.usedPermissions.add(permission);
      return actor.user;
    }
  }
}

/** Turns a repository's route into a plain one that admits its caller first. */
export function repositoryRoute(route: RepositoryRoute): Route {
  return {
    method: route.method,
    path: `/repos/:owner/:repo${route.path}`,
    handle: (request) => {
      const { world } = request.services;
      const { owner = '', repo = '' } = request.params;
      if (request.actor.kind === 'anonymous') throw new GitHubError(401, 'Requires authentication');
      const repository = world.repository(owner, repo);
      const permission =
        typeof route.permission === 'string'
          ? route.permission
          : route.permission(request, repository);
      const user = admit(world, request.actor, repository, permission, route.role ?? 'read');
      if (repository.archived && route.method !== 'GET')
        throw new GitHubError(403, 'Repository was archived so is read-only.');
      return route.handle({ ...request, repository, user });
    },
  };
}

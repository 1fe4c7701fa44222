import { GitHubError } from '../github-error.ts';
import { MERGE_SETTINGS, repositoryPayload } from '../payloads/repository.ts';
import { userPayload } from '../payloads/user.ts';
import type { Role } from '../state.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { ok, page } from './route.ts';

/** GitHub's four legacy permissions for the five roles. */
const LEGACY: Record<Role, string> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
};

function collaboratorPermission({ repository, params, services }: RepositoryRequest) {
  const user = services.world.user(params['user'] ?? '');
  if (user === undefined || user.type === 'Organization')
    throw new GitHubError(404, `${params['user']} is not a user`);
  const isOwner = user.id === repository.owner.id;
  // The repository is public, so GitHub answers `read` for everyone else.
  const role = isOwner ? 'admin' : (repository.collaborators.get(user.login) ?? 'read');
  const order: Role[] = ['read', 'triage', 'write', 'maintain', 'admin'];
  const has = (needed: Role): boolean => order.indexOf(role) >= order.indexOf(needed);
  const permissions = {
    admin: has('admin'),
    maintain: has('maintain'),
    push: has('write'),
    triage: has('triage'),
    pull: true,
  };
  return ok({
    permission: LEGACY[role],
    user: { ...userPayload(services.world, user), permissions, role_name: role },
    role_name: role,
  });
}

function hooks(request: RepositoryRequest) {
  return page(request, request.repository.hooks, ({ id, url }) => ({
    id,
    type: 'Repository',
    name: 'web',
    active: true,
    events: ['*'],
    config: { url, content_type: 'json', insecure_ssl: '0' },
  }));
}

export const repositoryRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    path: '',
    permission: 'metadata:read',
    handle: ({ services, repository }) =>
      ok({ ...repositoryPayload(services.world, repository), ...MERGE_SETTINGS }),
  },
  {
    method: 'GET',
    path: '/hooks',
    permission: 'repository_hooks:read',
    role: 'admin',
    handle: hooks,
  },
  {
    method: 'GET',
    path: '/collaborators/:user/permission',
    permission: 'metadata:read',
    handle: collaboratorPermission,
  },
];

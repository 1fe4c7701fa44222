import { z } from 'zod';
import { changeMergeSettings } from '../actions/repositories.ts';
import { GitHubError } from '../github-error.ts';
import { mergeSettings, NETWORK_COUNTS, repositoryPayload } from '../payloads/repository.ts';
import { userPayload } from '../payloads/user.ts';
import { permissionsOf, roleOf } from '../roles.ts';
import type { Role } from '../state.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { ok, page, parseBody } from './route.ts';

/** GitHub's four legacy permissions for the five roles (rule `collaborator-permission`). */
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
    throw new GitHubError('permission-of-nobody', 404, `${params['user']} is not a user`);
  const role = roleOf(repository, user);
  const permissions = permissionsOf(repository, user);
  return ok({
    permission: LEGACY[role],
    user: { ...userPayload(services.world, user), permissions, role_name: role },
    role_name: role,
  });
}

function hooks(request: RepositoryRequest) {
  const { repository, services } = request;
  return page(request, repository.hooks, ({ id, url }) => {
    const own = `${services.world.url}/api/v3/repos/${repository.fullName}/hooks/${id}`;
    return {
      id,
      type: 'Repository',
      name: 'web',
      active: true,
      events: ['*'],
      config: { url, content_type: 'json', insecure_ssl: '0' },
      created_at: repository.createdAt,
      updated_at: repository.createdAt,
      url: own,
      test_url: `${own}/test`,
      ping_url: `${own}/pings`,
      deliveries_url: `${own}/deliveries`,
      last_response: { code: null, status: 'unused', message: null },
    };
  });
}

const shown = ({ services, repository, actor }: RepositoryRequest) =>
  ok({
    ...repositoryPayload(services.world, repository),
    ...mergeSettings(repository),
    ...NETWORK_COUNTS,
    ...(actor.kind === 'user' ? { permissions: permissionsOf(repository, actor.user) } : {}),
  });

/** What can be changed here; GitHub has more. */
const Changes = z.object({ allow_auto_merge: z.boolean() });

function change(request: RepositoryRequest) {
  const { repository, services } = request;
  changeMergeSettings(services.world, repository, parseBody(Changes, request.body));
  return shown(request);
}

export const repositoryRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    path: '',
    permission: 'metadata:read',
    handle: shown,
  },
  { method: 'PATCH', path: '', permission: 'administration:write', role: 'admin', handle: change },
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

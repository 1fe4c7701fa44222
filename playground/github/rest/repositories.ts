import { GitHubError } from '../github-error.ts';
import { apiUrl, MERGE_SETTINGS, repositoryPayload, webUrl } from '../payloads/repository.ts';
import { userPayload } from '../payloads/user.ts';
import type { TreeEntry } from '../git/repository.ts';
import type { Repository, Role } from '../state.ts';
import type { World } from '../world.ts';
import { announceMoves } from '../actions/pulls.ts';
import { resolveRef } from './history.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { noContent, ok } from './route.ts';

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

async function contents(request: RepositoryRequest) {
  const { repository, params, query, services } = request;
  const ref = query['ref'] ?? repository.defaultBranch;
  const commit = await resolveRef(repository, ref);
  if (commit === undefined) throw new GitHubError(404, `No commit found for the ref ${ref}`);
  const found = await repository.git.entries(commit, params['*'] ?? '');
  const [first] = found.list;
  if (first === undefined) throw new GitHubError(404, 'Not Found');
  const present = (entry: TreeEntry) => entryPayload(services.world, repository, entry, ref);
  if (!found.isFile) return ok(found.list.map(present));
  const content = await repository.git.blob(first.sha);
  const lines = content.toString('base64').replace(/.{60}/g, '$&\n');
  return ok({ ...present(first), encoding: 'base64', content: `${lines}\n` });
}

function entryPayload(world: World, repository: Repository, entry: TreeEntry, ref: string) {
  const name = entry.path.split('/').map(encodeURIComponent).join('/');
  const url = `${apiUrl(world, repository)}/contents/${name}?ref=${encodeURIComponent(ref)}`;
  const gitUrl = `${apiUrl(world, repository)}/git/${entry.type}s/${entry.sha}`;
  const html = `${webUrl(world, repository)}/${entry.type}/${ref}/${name}`;
  const type = entry.type === 'tree' ? 'dir' : entry.mode === '120000' ? 'symlink' : 'file';
  return {
    type,
    size: entry.size,
    name: entry.name,
    path: entry.path,
    sha: entry.sha,
    url,
    git_url: gitUrl,
    html_url: html,
    download_url: type === 'file' ? `${webUrl(world, repository)}/raw/${ref}/${name}` : null,
    _links: { self: url, git: gitUrl, html },
  };
}

const branchOf = (ref: string): string => {
  const branch = /^heads\/(.+)$/.exec(ref)?.[1];
  if (branch === undefined) throw new GitHubError(404, 'Not Found');
  return branch;
};

async function getRef({ repository, params, services }: RepositoryRequest) {
  const branch = branchOf(params['*'] ?? '');
  const sha = await repository.git.head(branch);
  if (sha === undefined) throw new GitHubError(404, 'Not Found');
  const api = apiUrl(services.world, repository);
  return ok({
    ref: `refs/heads/${branch}`,
    node_id: `REF_${Buffer.from(branch).toString('base64url')}`,
    url: `${api}/git/refs/heads/${branch}`,
    object: { sha, type: 'commit', url: `${api}/git/commits/${sha}` },
  });
}

function deleteRef({ repository, params, services, user }: RepositoryRequest) {
  const branch = branchOf(params['*'] ?? '');
  return services.world.exclusively(repository, async () => {
    const before = await repository.git.branches();
    if (!before.has(branch)) throw new GitHubError(422, 'Reference does not exist');
    await repository.git.deleteBranch(branch);
    await announceMoves(services, repository, user, before);
    return noContent;
  });
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
    path: '/collaborators/:user/permission',
    permission: 'metadata:read',
    handle: collaboratorPermission,
  },
  { method: 'GET', path: '/contents', permission: 'contents:read', handle: contents },
  { method: 'GET', path: '/contents/*', permission: 'contents:read', handle: contents },
  { method: 'GET', path: '/git/ref/*', permission: 'contents:read', handle: getRef },
  {
    method: 'DELETE',
    path: '/git/refs/*',
    permission: 'contents:write',
    role: 'write',
    handle: deleteRef,
  },
];

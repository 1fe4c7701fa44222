import type { Repository, User } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';

export function userPayload(world: World, user: User) {
  const api = `${world.url}/api/v3/users/${encodeURIComponent(user.login)}`;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId(user.type === 'Bot' ? 'BOT' : 'U', user.id),
    avatar_url: `${world.url}/avatars/${encodeURIComponent(user.login)}`,
    gravatar_id: '',
    url: api,
    html_url: `${world.url}/${user.type === 'Bot' ? `apps/${world.app.slug}` : user.login}`,
    followers_url: `${api}/followers`,
    following_url: `${api}/following{/other_user}`,
    gists_url: `${api}/gists{/gist_id}`,
    starred_url: `${api}/starred{/owner}{/repo}`,
    subscriptions_url: `${api}/subscriptions`,
    organizations_url: `${api}/orgs`,
    repos_url: `${api}/repos`,
    events_url: `${api}/events{/privacy}`,
    received_events_url: `${api}/received_events`,
    type: user.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

/** Of an account by itself: nobody here fills in a profile. */
export const profilePayload = (world: World, user: User) => ({
  ...userPayload(world, user),
  name: null,
  company: null,
  blog: '',
  location: null,
  email: null,
  hireable: null,
  bio: null,
  public_repos: 0,
  public_gists: 0,
  followers: 0,
  following: 0,
  created_at: CREATED,
  updated_at: CREATED,
});

/** What GitHub tells an account of itself. */
export const ownProfilePayload = (world: World, user: User) => ({
  ...profilePayload(world, user),
  user_view_type: 'private',
  private_gists: 0,
  total_private_repos: 0,
  owned_private_repos: 0,
  disk_usage: 0,
  collaborators: 0,
  two_factor_authentication: true,
});

const CREATED = '2026-01-01T00:00:00Z';

/** GitHub's name for the author's relation to the repository. */
export function association(repository: Repository, user: User): string {
  if (user.id === repository.owner.id) return 'OWNER';
  return repository.collaborators.has(user.login) ? 'COLLABORATOR' : 'NONE';
}

// What the API says of itself: its addresses, and what is left of a limit.
import type { Limits } from '../limits.ts';
import type { RestRequest, Route } from './route.ts';
import { ok } from './route.ts';

/** The addresses that every client begins with. Many lead nowhere here. */
const ADDRESSES = {
  current_user_url: '/user',
  current_user_authorizations_html_url: '/settings/connections/applications{/client_id}',
  authorizations_url: '/authorizations',
  code_search_url: '/search/code?q={query}{&page,per_page,sort,order}',
  commit_search_url: '/search/commits?q={query}{&page,per_page,sort,order}',
  emails_url: '/user/emails',
  emojis_url: '/emojis',
  events_url: '/events',
  feeds_url: '/feeds',
  followers_url: '/user/followers',
  following_url: '/user/following{/target}',
  gists_url: '/gists{/gist_id}',
  hub_url: '/hub',
  issue_search_url: '/search/issues?q={query}{&page,per_page,sort,order}',
  issues_url: '/issues',
  keys_url: '/user/keys',
  label_search_url: '/search/labels?q={query}&repository_id={repository_id}{&page,per_page}',
  notifications_url: '/notifications',
  organization_url: '/orgs/{org}',
  organization_repositories_url: '/orgs/{org}/repos{?type,page,per_page,sort}',
  organization_teams_url: '/orgs/{org}/teams',
  public_gists_url: '/gists/public',
  rate_limit_url: '/rate_limit',
  repository_url: '/repos/{owner}/{repo}',
  repository_search_url: '/search/repositories?q={query}{&page,per_page,sort,order}',
  current_user_repositories_url: '/user/repos{?type,page,per_page,sort}',
  starred_url: '/user/starred{/owner}{/repo}',
  starred_gists_url: '/gists/starred',
  user_url: '/users/{user}',
  user_organizations_url: '/user/orgs',
  user_repositories_url: '/users/{user}/repos{?type,page,per_page,sort}',
  user_search_url: '/search/users?q={query}{&page,per_page,sort,order}',
};

/** Clients try their tokens here, such as `gh auth status`. */
function root({ services }: RestRequest) {
  const api = `${services.world.url}/api/v3`;
  return ok(Object.fromEntries(Object.entries(ADDRESSES).map(([name, to]) => [name, api + to])));
}

const DEFAULT_REQUESTS = 5_000;
const HOUR_S = 3_600;

/** Only installations are counted; others always have all that GitHub gives them. Asking is free. */
const rateLimit =
  (limits: Limits | undefined): Route['handle'] =>
  ({ actor }) => {
    const all = {
      limit: DEFAULT_REQUESTS,
      used: 0,
      remaining: DEFAULT_REQUESTS,
      reset: Math.ceil(Date.now() / 1000) + HOUR_S,
    };
    const isCounted = actor.kind === 'installation';
    const usage = isCounted ? limits?.usage(actor.token.installation.id) : undefined;
    const { limit, used, remaining, reset } = usage ?? all;
    const core = { limit, used, remaining, reset };
    const resources = { core, search: { ...all, limit: 30, remaining: 30 }, graphql: all };
    return ok({ resources, rate: core });
  };

export const metaRoutes = (limits: Limits | undefined): readonly Route[] => [
  { method: 'GET', path: '/', handle: root },
  // Nobody has a password here.
  { method: 'GET', path: '/meta', handle: () => ok({ verifiable_password_authentication: false }) },
  { method: 'GET', path: '/rate_limit', isFree: true, handle: rateLimit(limits) },
];

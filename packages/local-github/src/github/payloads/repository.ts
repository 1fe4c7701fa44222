import type { Label, MergeSettings, Repository } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { userPayload } from './user.ts';

export const apiUrl = (world: World, repository: Repository): string =>
  `${world.url}/api/v3/repos/${repository.fullName}`;

export const webUrl = (world: World, repository: Repository): string =>
  `${world.url}/${repository.fullName}`;

/** The addresses of a repository's collections, as URI templates below its own address. */
const LINKS = {
  forks_url: '/forks',
  keys_url: '/keys{/key_id}',
  collaborators_url: '/collaborators{/collaborator}',
  teams_url: '/teams',
  hooks_url: '/hooks',
  issue_events_url: '/issues/events{/number}',
  events_url: '/events',
  assignees_url: '/assignees{/user}',
  branches_url: '/branches{/branch}',
  tags_url: '/tags',
  blobs_url: '/git/blobs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  git_refs_url: '/git/refs{/sha}',
  trees_url: '/git/trees{/sha}',
  statuses_url: '/statuses/{sha}',
  languages_url: '/languages',
  stargazers_url: '/stargazers',
  contributors_url: '/contributors',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  commits_url: '/commits{/sha}',
  git_commits_url: '/git/commits{/sha}',
  comments_url: '/comments{/number}',
  issue_comment_url: '/issues/comments{/number}',
  contents_url: '/contents/{+path}',
  compare_url: '/compare/{base}...{head}',
  merges_url: '/merges',
  archive_url: '/{archive_format}{/ref}',
  downloads_url: '/downloads',
  issues_url: '/issues{/number}',
  pulls_url: '/pulls{/number}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  labels_url: '/labels{/name}',
  releases_url: '/releases{/id}',
  deployments_url: '/deployments',
} as const;

export function repositoryPayload(world: World, repository: Repository) {
  const api = apiUrl(world, repository);
  const web = webUrl(world, repository);
  const forks = [...world.repositories.values()].filter(
    ({ parentId }) => parentId === repository.id,
  ).length;
  const openIssues = repository.issues.filter((issue) => issue.state === 'open').length;
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: repository.fullName,
    private: false,
    visibility: 'public',
    owner: userPayload(world, repository.owner),
    html_url: web,
    description: null,
    fork: repository.parentId !== undefined,
    url: api,
    ...repositoryLinks(api),
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    git_url: `${web}.git`,
    ssh_url: `${web}.git`,
    clone_url: `${web}.git`,
    svn_url: web,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    ...FEATURES,
    forks_count: forks,
    mirror_url: null,
    archived: repository.archived,
    disabled: false,
    open_issues_count: openIssues,
    license: null,
    topics: [],
    custom_properties: {},
    forks,
    open_issues: openIssues,
    watchers: 0,
    default_branch: repository.defaultBranch,
  };
}

/** What GitHub tells of a repository that an event only mentions. */
export function mentionedRepositoryPayload(world: World, repository: Repository) {
  const api = apiUrl(world, repository);
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: repository.fullName,
    private: false,
    owner: userPayload(world, repository.owner),
    html_url: webUrl(world, repository),
    description: null,
    fork: repository.parentId !== undefined,
    url: api,
    ...repositoryLinks(api),
  };
}

const FEATURES = {
  has_issues: true,
  has_projects: false,
  has_downloads: true,
  has_wiki: false,
  has_pages: false,
  has_discussions: false,
  allow_forking: true,
  is_template: false,
  web_commit_signoff_required: false,
};

/** Only told of a repository by itself. */
export const NETWORK_COUNTS = { network_count: 0, subscribers_count: 0 };

export const mergeSettings = (repository: Repository): MergeSettings => ({
  allow_squash_merge: true,
  allow_merge_commit: true,
  allow_rebase_merge: true,
  allow_auto_merge: false,
  allow_update_branch: false,
  delete_branch_on_merge: false,
  ...repository.mergeSettings,
});

function repositoryLinks(api: string): Record<keyof typeof LINKS, string> {
  const links = Object.entries(LINKS).map(([name, template]) => [name, `${api}${template}`]);
  // The type of `Object.fromEntries` loses the names of the keys.
  return Object.fromEntries(links) as Record<keyof typeof LINKS, string>;
}

export function labelPayload(world: World, repository: Repository, label: Label) {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${apiUrl(world, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

// What GraphQL shows of repositories, issues and pull requests beyond what the service asks for: see `gh-schema.ts`.
import { assignableIn } from '../actions/assignees.ts';
import { headRepository } from '../actions/forks.ts';
import { decidedFacts, pullFacts } from '../git/pull.ts';
import { issueWebUrl } from '../payloads/issue.ts';
import { mergeSettings } from '../payloads/repository.ts';
import { association } from '../payloads/user.ts';
import type { RestRequest } from '../rest/route.ts';
import { roleOf } from '../roles.ts';
import { hasMergeQueue, mergeableState } from '../rules/merging.ts';
import type { Comment, Issue, Label, PullRequest, Repository, User } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { commitNodeOf } from './commits.ts';
import { connection, type Paging } from './connection.ts';
import { reactionGroups, reviewNode } from './reactions.ts';
import { actorNode } from './review-threads.ts';

type RepositoryNodeOf = (repository: Repository) => object;

export function repositoryDetails(
  { services, actor }: RestRequest,
  repository: Repository,
  nodeOf: RepositoryNodeOf,
): object {
  const { world } = services;
  const parent = [...world.repositories.values()].find(({ id }) => id === repository.parentId);
  const settings = mergeSettings(repository);
  return {
    owner: ownerNode(repository.owner),
    description: null,
    parent: () => (parent === undefined ? null : nodeOf(parent)),
    viewerPermission:
      actor.kind === 'user' ? roleOf(repository, actor.user).toUpperCase() : 'WRITE',
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    mergeCommitAllowed: settings.allow_merge_commit,
    rebaseMergeAllowed: settings.allow_rebase_merge,
    squashMergeAllowed: settings.allow_squash_merge,
    autoMergeAllowed: settings.allow_auto_merge,
    labels: ({ query, orderBy, ...paging }: LabelQuery) => {
      const wanted = (query ?? '').toLowerCase();
      const found = repository.labels.filter(({ name }) => name.toLowerCase().includes(wanted));
      return labelConnection(found, orderBy, paging);
    },
    label: ({ name }: { readonly name: string }) => {
      const sought = name.toLowerCase();
      const found = repository.labels.find((one) => one.name.toLowerCase() === sought);
      return found === undefined ? null : labelNode(found);
    },
    assignableUsers: ({ query, ...paging }: Paging & { readonly query?: string | null }) => {
      const people = assignableIn(world, repository).filter(({ type }) => type === 'User');
      const found = people.filter(({ login }) => login.includes(query ?? ''));
      return connection('assignableUsers', found.map(ownerNode), paging);
    },
  };
}

export interface ActorsQuery extends Paging {
  /** A part of the login. */
  readonly query?: string;
}

export function suggestedActors(
  { services: { world } }: RestRequest,
  repository: Repository,
  { query = '', ...paging }: ActorsQuery,
) {
  // An App has its slug here (rule `assignable-apps`).
  const people = assignableIn(world, repository).map(actorNode);
  const found = people.filter(({ login }) => login.includes(query));
  return connection('suggestedActors', found, paging);
}

interface LabelOrder {
  readonly field: 'CREATED_AT' | 'NAME';
  readonly direction: 'ASC' | 'DESC';
}
interface LabelQuery extends Paging {
  readonly query?: string | null;
  readonly orderBy?: LabelOrder | null;
}

/** By creation if nothing else is wanted. */
function labelConnection(
  labels: readonly Label[],
  orderBy: LabelOrder | null | undefined,
  paging: Paging,
) {
  const sorted =
    orderBy?.field === 'NAME'
      ? labels.toSorted((one, other) => one.name.localeCompare(other.name))
      : labels.toSorted((one, other) => one.id - other.id);
  if (orderBy?.direction === 'DESC') sorted.reverse();
  return connection('labels', sorted.map(labelNode), paging);
}

const labelNode = ({ id, name, color, description }: Label) => ({
  __typename: 'Label',
  id: nodeId('LA', id),
  name,
  color,
  description,
});

export const ownerNode = (user: User) => ({ ...actorNode(user), name: null });

/** Of an issue or a pull request. */
export function textDetails(
  request: RestRequest,
  repository: Repository,
  issue: Issue,
): Record<string, unknown> {
  const { world } = request.services;
  return {
    url: issueWebUrl(world, repository, issue),
    author: actorNode(issue.author),
    body: issue.body ?? '',
    closed: issue.state === 'closed',
    updatedAt: issue.updatedAt,
    assignees: (paging: Paging) => connection('assignees', issue.assignees.map(ownerNode), paging),
    labels: ({ orderBy, ...paging }: LabelQuery) => labelConnection(issue.labels, orderBy, paging),
    comments: (paging: Paging) => {
      const comments = repository.comments.filter(
        ({ issueNumber }) => issueNumber === issue.number,
      );
      const nodes = comments.map((one) => issueCommentNode(request, repository, issue, one));
      return connection('comments', nodes, paging);
    },
    milestone: null,
    projectCards: (paging: Paging) => connection('projectCards', [], paging),
    reactionGroups: reactionGroups(issue.reactions),
  };
}

export const issueCommentNode = (
  { services, actor }: RestRequest,
  repository: Repository,
  issue: Issue,
  comment: Comment,
) => ({
  __typename: 'IssueComment',
  id: nodeId('IC', comment.id),
  url: `${issueWebUrl(services.world, repository, issue)}#issuecomment-${comment.id}`,
  author: actorNode(comment.author),
  authorAssociation: association(repository, comment.author),
  body: comment.body,
  createdAt: comment.createdAt,
  editor: comment.editor === undefined ? null : actorNode(comment.editor),
  includesCreatedEdit: comment.updatedAt !== comment.createdAt,
  isMinimized: false,
  minimizedReason: null,
  viewerDidAuthor: 'user' in actor && actor.user.id === comment.author.id,
  reactionGroups: reactionGroups(comment.reactions),
});

export const closedAs = ({ state, stateReason }: Issue) => ({
  state: state === 'open' ? 'OPEN' : 'CLOSED',
  stateReason: stateReason?.toUpperCase() ?? null,
});

function autoMergeDetails(world: World, repository: Repository, issue: PullRequest) {
  const { autoMerge } = issue.pull;
  return {
    isMergeQueueEnabled: hasMergeQueue(world, repository, issue),
    isInMergeQueue: autoMerge?.isQueued === true,
    autoMergeRequest:
      autoMerge === undefined || autoMerge.isQueued
        ? null
        : { enabledBy: actorNode(autoMerge.by), mergeMethod: autoMerge.method.toUpperCase() },
  };
}

export function pullDetails(
  request: RestRequest,
  repository: Repository,
  issue: PullRequest,
  nodeOf: RepositoryNodeOf,
): Record<string, unknown> {
  const { world } = request.services;
  const facts = () => pullFacts(repository, issue);
  // As by REST, the first look at two commits starts to compute whether they merge.
  const looked = async () => {
    const found = await facts();
    await decidedFacts(repository, issue);
    return found;
  };
  const sum = async (of: 'additions' | 'deletions') =>
    (await facts()).files.reduce((total, file) => total + file[of], 0);
  const head = headRepository(world, repository, issue);
  return {
    ...textDetails(request, repository, issue),
    additions: () => sum('additions'),
    deletions: () => sum('deletions'),
    maintainerCanModify: issue.pull.maintainerCanModify,
    mergeable: async () => MERGEABLE.get((await looked()).mergeable) ?? 'UNKNOWN',
    mergeStateStatus: async () =>
      mergeableState(world, repository, issue, await looked()).toUpperCase(),
    ...autoMergeDetails(world, repository, issue),
    headRepository: () => (head === undefined ? null : nodeOf(head)),
    headRepositoryOwner: head === undefined ? null : ownerNode(head.owner),
    commits: async (paging: Paging) => {
      const { commits } = await facts();
      const nodes = commits.map(({ sha }) => ({ commit: () => commitNodeOf(repository, sha) }));
      return connection('commits', nodes, paging);
    },
    reviewRequests: (paging: Paging) => {
      const nodes = issue.pull.requestedReviewers.map((one) => ({
        requestedReviewer: ownerNode(one),
      }));
      return connection('reviewRequests', nodes, paging);
    },
    reviews: (paging: Paging) => {
      const found = repository.reviews.filter(({ pullNumber }) => pullNumber === issue.number);
      const nodes = found.map((one) => reviewNode(one, repository));
      return connection('reviews', nodes, paging);
    },
  };
}

const MERGEABLE = new Map<boolean | null, string>([
  [true, 'MERGEABLE'],
  [false, 'CONFLICTING'],
]);

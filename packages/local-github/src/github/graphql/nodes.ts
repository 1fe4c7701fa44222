// What GraphQL shows of the world: each function returns an object for a type of the schema, and the methods of
// these objects resolve the fields that take arguments or check a permission.
import { findPull } from '../actions/pulls.ts';
import { placementOf, placementsOf } from '../git/placing.ts';
import { pullFacts } from '../git/pull.ts';
import { unresolved } from '../github-error.ts';
import { admit } from '../rest/access.ts';
import type { RestRequest } from '../rest/route.ts';
import type { Issue, PullRequest, Repository, ReviewThread } from '../state.ts';
import { isPull, nodeId, parseNodeId } from '../state.ts';
import { connection, type Paging } from './connection.ts';
import { findReviewById, reviewNode } from './reactions.ts';
import { commitNodeOf, refNode, refsOf, type RefQuery } from './commits.ts';
import {
  closedAs,
  issueCommentNode,
  pullDetails,
  repositoryDetails,
  suggestedActors,
  textDetails,
  type ActorsQuery,
} from './details.ts';
import { issueLinks, willClose } from './issue-links.ts';
import {
  findCommentById,
  findIssueById,
  findRepository,
  findThread,
  isWanted,
  personNode,
  viewerNode,
  type IssueFilters,
} from './lookups.ts';
import { actorNode, threadNode } from './review-threads.ts';

type WithNumber = Readonly<Record<'number', number>>;

export function queryNode(request: RestRequest) {
  return {
    viewer: () => viewerNode(request),
    user: ({ login }: { login: string }) => personNode(request, login),
    repository: ({ owner, name }: { owner: string; name: string }) =>
      repositoryNode(request, findRepository(request, owner, name)),
    node: ({ id }: { id: string }) => {
      const may = (repository: Repository, permission = 'pull_requests:read') =>
        admit(request.services.world, request.actor, repository, permission, 'read');
      const found = findReviewById(request, id);
      if (found !== undefined) {
        may(found.repository);
        return reviewNode(found.review, found.repository);
      }
      const issue = findIssueById(request, id);
      if (issue !== undefined) {
        may(issue.repository, 'issues:read');
        return textNode(request, issue.repository, issue.issue);
      }
      const said = findCommentById(request, id);
      if (said !== undefined) {
        may(said.repository, 'issues:read');
        return issueCommentNode(request, said.repository, said.issue, said.comment);
      }
      const thread = parseNodeId(id)?.kind === 'PRRT' ? findThreadById(request, id) : undefined;
      const { repository, pull } = thread ?? findPullById(request, id);
      may(repository);
      if (thread === undefined) return pullNode(request, repository, pull);
      return placedThread(request, repository, pull, thread.thread);
    },
  };
}

function repositoryNode(request: RestRequest, repository: Repository): object {
  const may = (permission: string) =>
    admit(request.services.world, request.actor, repository, permission, 'read');
  return {
    id: nodeId('R', repository.id),
    name: repository.name,
    nameWithOwner: repository.fullName,
    issue: ({ number }: WithNumber) => {
      may('issues:read');
      return textNode(request, repository, findThread(repository, number, 'an Issue'));
    },
    pullRequest: ({ number }: WithNumber) => {
      may('pull_requests:read');
      return textNode(request, repository, findThread(repository, number, 'a PullRequest'));
    },
    databaseId: repository.id,
    issueOrPullRequest: ({ number }: WithNumber) => {
      const found = findThread(repository, number);
      may(isPull(found) ? 'pull_requests:read' : 'issues:read');
      return textNode(request, repository, found);
    },
    ...repositoryDetails(request, repository, (one) => repositoryNode(request, one)),
    pullRequests: (query: PullQuery) => {
      may('pull_requests:read');
      return pullRequests(request, repository, query);
    },
    issues: ({ states, orderBy, filterBy, ...paging }: IssuesQuery) => {
      may('issues:read');
      const found = repository.issues
        .filter((issue) => !isPull(issue) && isWanted(issue, filterBy))
        .filter(({ state }) => states?.includes(state === 'open' ? 'OPEN' : 'CLOSED') !== false);
      if (orderBy?.direction === 'DESC') found.reverse();
      const nodes = found.map((issue) => issueNode(request, repository, issue));
      return connection('issues', nodes, paging);
    },
    refs: (query: RefQuery) => {
      may('contents:read');
      return refsOf(repository, query);
    },
    suggestedActors: (asked: ActorsQuery) => {
      may('metadata:read');
      return suggestedActors(request, repository, asked);
    },
    defaultBranchRef: () => {
      may('contents:read');
      return refNode(repository, repository.defaultBranch);
    },
  };
}

interface IssuesQuery extends Paging {
  readonly filterBy?: IssueFilters | null;
  readonly states?: readonly ('OPEN' | 'CLOSED')[];
  readonly orderBy?: { readonly direction: 'ASC' | 'DESC' };
}

interface PullQuery extends Paging {
  readonly baseRefName?: string | null;
  readonly headRefName?: string | null;
  readonly states?: readonly string[];
  readonly orderBy?: { readonly direction: 'ASC' | 'DESC' };
}

function pullRequests(
  request: RestRequest,
  repository: Repository,
  { states, orderBy, baseRefName, headRefName, ...paging }: PullQuery,
) {
  const found = repository.issues
    .filter(isPull)
    .filter(({ pull }) => (baseRefName ?? pull.base) === pull.base)
    .filter(({ pull }) => (headRefName ?? pull.head) === pull.head)
    .filter((pull) => states?.includes(stateOf(pull)) !== false);
  if (orderBy?.direction === 'DESC') found.reverse();
  const nodes = found.map((pull) => pullNode(request, repository, pull));
  return connection('pullRequests', nodes, paging);
}

const stateOf = ({ state, pull }: PullRequest): 'OPEN' | 'CLOSED' | 'MERGED' => {
  if (pull.merged !== undefined) return 'MERGED';
  return state === 'open' ? 'OPEN' : 'CLOSED';
};

export const textNode = (request: RestRequest, repository: Repository, issue: Issue): object =>
  isPull(issue) ? pullNode(request, repository, issue) : issueNode(request, repository, issue);

function issueNode(request: RestRequest, repository: Repository, issue: Issue): object {
  const { id, number, title, createdAt, edited } = issue;
  return {
    __typename: 'Issue',
    id: nodeId('I', id),
    number,
    title,
    createdAt,
    lastEditedAt: edited?.at ?? null,
    editor: edited === undefined ? null : actorNode(edited.by),
    ...textDetails(request, repository, issue),
    ...closedAs(issue),
    ...issueLinks(repository, issue, (other) => textNode(request, repository, other)),
  };
}

export function pullNode(request: RestRequest, repository: Repository, issue: PullRequest) {
  const { services } = request;
  const { pull } = issue;
  const node = {
    __typename: 'PullRequest',
    id: nodeId('PR', pull.id),
    number: issue.number,
    title: issue.title,
    ...pullDetails(request, repository, issue, (one) => repositoryNode(request, one)),
    state: stateOf(issue),
    isDraft: pull.draft,
    isCrossRepository: pull.headRepositoryId !== undefined,
    headRefName: pull.head,
    headRefOid: async () => (await pullFacts(repository, issue)).headSha,
    baseRefName: pull.base,
    mergeCommit: () => pull.merged && commitNodeOf(repository, pull.merged.commitSha),
    closingIssuesReferences: (paging: Paging) => {
      const closed = repository.issues
        .filter((one) => !isPull(one))
        .filter((one) => willClose(repository, issue, one));
      const nodes = closed.map((one) => issueNode(request, repository, one));
      return connection('closingIssuesReferences', nodes, paging);
    },
    createdAt: issue.createdAt,
    mergedAt: pull.merged?.at ?? null,
    repository: () => repositoryNode(request, repository),
    files: async (paging: Paging) => {
      const { files } = await pullFacts(repository, issue);
      const nodes = files.map(({ filename, additions, deletions }) => ({
        path: filename,
        additions,
        deletions,
      }));
      return connection('files', nodes, paging);
    },
    reviewThreads: async (paging: Paging) => {
      const nodes = [...(await placementsOf(repository, issue))].map(([thread, placement]) => ({
        ...threadNode(services.world, repository, thread, placement),
        pullRequest: () => node,
      }));
      return connection('reviewThreads', nodes, paging);
    },
  };
  return node;
}

/** Throws GitHub's error for an id of nothing. */
export function findPullById(
  { services }: RestRequest,
  id: string,
): { repository: Repository; pull: PullRequest } {
  const parsed = parseNodeId(id);
  for (const repository of services.world.repositories.values())
    for (const issue of repository.issues)
      if (parsed?.kind === 'PR' && isPull(issue) && issue.pull.id === parsed.id)
        return { repository, pull: issue };
  throw unresolved(id);
}

export function findThreadById(
  { services }: RestRequest,
  id: string,
): { repository: Repository; pull: PullRequest; thread: ReviewThread } {
  const parsed = parseNodeId(id);
  for (const repository of services.world.repositories.values())
    for (const thread of repository.reviewThreads)
      if (parsed?.kind === 'PRRT' && thread.id === parsed.id)
        return { repository, pull: findPull(repository, thread.pullNumber), thread };
  throw unresolved(id);
}

export async function placedThread(
  request: RestRequest,
  repository: Repository,
  issue: PullRequest,
  thread: ReviewThread,
) {
  const placement = await placementOf(repository, thread, await pullFacts(repository, issue));
  return {
    ...threadNode(request.services.world, repository, thread, placement),
    pullRequest: () => pullNode(request, repository, issue),
  };
}

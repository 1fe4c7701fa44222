// What GraphQL shows of the world: each function returns an object for a type of the schema, and the methods of
// these objects resolve the fields that take arguments or check a permission.
import { assignableIn } from '../actions/assignees.ts';
import { findIssue } from '../actions/issues.ts';
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
import { issueLinks, willClose } from './issue-links.ts';
import { actorNode, threadNode } from './review-threads.ts';

interface WithNumber {
  readonly number: number;
}

export function queryNode(request: RestRequest) {
  return {
    repository: ({ owner, name }: { owner: string; name: string }) =>
      repositoryNode(request, request.services.world.repository(owner, name)),
    node: ({ id }: { id: string }) => {
      const found = findReviewById(request, id);
      if (found !== undefined) {
        admit(
          request.services.world,
          request.actor,
          found.repository,
          'pull_requests:read',
          'read',
        );
        return reviewNode(found.review);
      }
      const thread = parseNodeId(id)?.kind === 'PRRT' ? findThreadById(request, id) : undefined;
      const { repository, pull } = thread ?? findPullById(request, id);
      admit(request.services.world, request.actor, repository, 'pull_requests:read', 'read');
      if (thread === undefined) return pullNode(request, repository, pull);
      return placedThread(request, repository, pull, thread.thread);
    },
  };
}

function repositoryNode(request: RestRequest, repository: Repository) {
  const may = (permission: string) =>
    admit(request.services.world, request.actor, repository, permission, 'read');
  return {
    id: nodeId('R', repository.id),
    name: repository.name,
    nameWithOwner: repository.fullName,
    issue: ({ number }: WithNumber) => {
      may('issues:read');
      return issueNode(request, repository, findIssue(repository, number));
    },
    pullRequest: ({ number }: WithNumber) => {
      may('pull_requests:read');
      return pullNode(request, repository, findPull(repository, number));
    },
    databaseId: repository.id,
    pullRequests: ({ states, orderBy, ...paging }: PullQuery) => {
      may('pull_requests:read');
      const found = repository.issues
        .filter(isPull)
        .filter((pull) => states === undefined || states.includes(stateOf(pull)));
      if (orderBy?.direction === 'DESC') found.reverse();
      const nodes = found.map((pull) => pullNode(request, repository, pull));
      return connection('pullRequests', nodes, paging);
    },
    issues: ({ states, orderBy, ...paging }: IssuesQuery) => {
      may('issues:read');
      const found = repository.issues
        .filter((issue) => !isPull(issue))
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

interface ActorsQuery extends Paging {
  /** A part of the login. */
  readonly query?: string;
}

function suggestedActors(
  { services: { world } }: RestRequest,
  repository: Repository,
  { query = '', ...paging }: ActorsQuery,
) {
  // An App has its slug here (rule `assignable-apps`).
  const people = assignableIn(world, repository).map((user) => {
    const { login, ...rest } = actorNode(user);
    return { ...rest, login: login.replace(/\[bot\]$/, '') };
  });
  const found = people.filter(({ login }) => login.includes(query));
  return connection('suggestedActors', found, paging);
}

interface IssuesQuery extends Paging {
  readonly states?: readonly ('OPEN' | 'CLOSED')[];
  readonly orderBy?: { readonly direction: 'ASC' | 'DESC' };
}

interface PullQuery extends Paging {
  readonly states?: readonly string[];
  readonly orderBy?: { readonly direction: 'ASC' | 'DESC' };
}

const stateOf = ({ state, pull }: PullRequest): 'OPEN' | 'CLOSED' | 'MERGED' => {
  if (pull.merged !== undefined) return 'MERGED';
  return state === 'open' ? 'OPEN' : 'CLOSED';
};

function issueNode(request: RestRequest, repository: Repository, issue: Issue): object {
  const { id, number, title, createdAt, edited } = issue;
  const nodeOf = (other: Issue): object =>
    isPull(other) ? pullNode(request, repository, other) : issueNode(request, repository, other);
  return {
    __typename: 'Issue',
    id: nodeId('I', id),
    number,
    title,
    createdAt,
    lastEditedAt: edited?.at ?? null,
    editor: edited === undefined ? null : actorNode(edited.by),
    ...issueLinks(repository, issue, nodeOf),
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
    body: issue.body ?? '',
    state: stateOf(issue),
    isDraft: pull.draft,
    isInMergeQueue: pull.queued === true,
    isCrossRepository: pull.headRepositoryId !== undefined,
    author: actorNode(issue.author),
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

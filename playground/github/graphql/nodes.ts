// What GraphQL shows of the world: each function returns an object for a type of the schema, and the methods of
// these objects resolve the fields that take arguments or check a permission.
import { findIssue } from '../actions/issues.ts';
import { findPull } from '../actions/pulls.ts';
import { placementOf, placementsOf } from '../git/placing.ts';
import { pullFacts } from '../git/pull.ts';
import { GitHubError } from '../github-error.ts';
import { admit } from '../rest/access.ts';
import type { RestRequest } from '../rest/route.ts';
import type { Issue, PullRequest, Repository, ReviewThread } from '../state.ts';
import { isPull, nodeId, parseNodeId } from '../state.ts';
import { connection, type Paging } from './connection.ts';
import { actorNode, threadNode } from './review-threads.ts';

interface WithNumber {
  readonly number: number;
}

export function queryNode(request: RestRequest) {
  return {
    repository: ({ owner, name }: { owner: string; name: string }) =>
      repositoryNode(request, request.services.world.repository(owner, name)),
    node: ({ id }: { id: string }) => {
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
      return issueNode(findIssue(repository, number));
    },
    pullRequest: ({ number }: WithNumber) => {
      may('pull_requests:read');
      return pullNode(request, repository, findPull(repository, number));
    },
  };
}

const issueNode = ({ id, number, title, edited }: Issue) => ({
  __typename: 'Issue',
  id: nodeId('I', id),
  number,
  title,
  lastEditedAt: edited?.at ?? null,
  editor: edited === undefined ? null : actorNode(edited.by),
});

export function pullNode({ services }: RestRequest, repository: Repository, issue: PullRequest) {
  const node = {
    __typename: 'PullRequest',
    id: nodeId('PR', issue.pull.id),
    number: issue.number,
    title: issue.title,
    isDraft: issue.pull.draft,
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

const unresolved = (id: string): GitHubError =>
  new GitHubError(404, `Could not resolve to a node with the global id of '${id}'`);

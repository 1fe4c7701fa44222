// What only GraphQL can do: change between draft and ready for review, and say who edited an issue.
import { z } from 'zod';
import { findIssue } from '../actions/issues.ts';
import { setDraft } from '../actions/pulls.ts';
import { GitHubError } from '../github-error.ts';
import type { PullRequest, Repository } from '../state.ts';
import { isPull, nodeId, parseNodeId } from '../state.ts';
import type { World } from '../world.ts';
import { admit } from './access.ts';
import type { RestRequest, Route } from './route.ts';
import { ok, parseBody } from './route.ts';

const GraphqlBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
});

const LAST_EDIT = /\blastEditedAt\b/;
const MUTATION = /\b(markPullRequestReadyForReview|convertPullRequestToDraft)\b/;

function handle(request: RestRequest) {
  const { query, variables } = parseBody(GraphqlBody, request.body);
  if (request.actor.kind === 'anonymous') throw new GitHubError(401, 'Requires authentication');
  if (LAST_EDIT.test(query)) return lastEdit(request, variables ?? {});
  const mutation = MUTATION.exec(query)?.[1];
  if (mutation === undefined) {
    const message =
      'The local GitHub knows lastEditedAt and two mutations only: ' + MUTATION.source;
    return ok({ errors: [{ type: 'undefinedField', message, path: [] }] });
  }
  const id = pullRequestId(query, variables ?? {});
  const found = findPullById(request.services.world, id);
  if (found === undefined) return failedMutation(mutation, 'NOT_FOUND', notResolved(id));
  return change(request, mutation, found);
}

const Issue = z.object({ owner: z.string(), name: z.string(), issue: z.int() });

function lastEdit({ services, actor }: RestRequest, variables: Record<string, unknown>) {
  const { owner, name, issue: number } = parseBody(Issue, variables);
  const repository = services.world.repository(owner, name);
  admit(services.world, actor, repository, 'issues:read', 'read');
  const { edited } = findIssue(repository, number);
  const issue = {
    lastEditedAt: edited?.at ?? null,
    editor: edited === undefined ? null : { login: edited.by.login },
  };
  return ok({ data: { repository: { issue } } });
}

function change(
  request: RestRequest,
  mutation: string,
  { repository, pull }: { repository: Repository; pull: PullRequest },
) {
  const { services, actor } = request;
  try {
    const user = admit(services.world, actor, repository, 'pull_requests:write', 'write');
    setDraft(services, repository, user, pull, mutation === 'convertPullRequestToDraft');
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    return failedMutation(mutation, 'FORBIDDEN', error.message);
  }
  const { draft: isDraft, id: pullId } = pull.pull;
  const pullRequest = { id: nodeId('PR', pullId), isDraft, number: pull.number };
  return ok({ data: { [mutation]: { clientMutationId: null, pullRequest } } });
}

const notResolved = (id: string): string =>
  `Could not resolve to a node with the global id of '${id}'`;

const failedMutation = (mutation: string, type: string, message: string) =>
  ok({
    data: { [mutation]: null },
    errors: [{ type, path: [mutation], locations: [{ line: 1, column: 1 }], message }],
  });

/** The id is in the variables (at the top or in an input), or in the query itself. */
function pullRequestId(query: string, variables: Record<string, unknown>): string {
  const values = Object.values(variables).flatMap((value) =>
    typeof value === 'object' && value !== null ? Object.values(value) : [value],
  );
  const isId = (value: unknown): value is string =>
    typeof value === 'string' && parseNodeId(value)?.kind === 'PR';
  return values.find(isId) ?? /"(PR_[\w-]+)"/.exec(query)?.[1] ?? values.map(String).join();
}

function findPullById(world: World, id: string) {
  const parsed = parseNodeId(id);
  if (parsed?.kind !== 'PR') return undefined;
  for (const repository of world.repositories.values())
    for (const issue of repository.issues)
      if (isPull(issue) && issue.pull.id === parsed.id) return { repository, pull: issue };
  return undefined;
}

export const graphqlRoute: Route = { method: 'POST', path: '/graphql', handle };

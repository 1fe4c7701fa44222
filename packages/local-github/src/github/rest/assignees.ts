// Who issues are assigned to, and who can be.
import { z } from 'zod';
import { assign, isAssignable, unassign } from '../actions/assignees.ts';
import { GitHubError } from '../github-error.ts';
import { restIssuePayload } from '../payloads/issue.ts';
import type { User } from '../state.ts';
import { issueOf, onIssue } from './issues.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, noContent, ok, parseBody } from './route.ts';

const Assignees = z.object({ assignees: z.array(z.string()).max(10) });

function wanted({ services, body }: RepositoryRequest): User[] {
  const { assignees } = parseBody(Assignees, body);
  return assignees.flatMap((login) => services.world.user(login) ?? []);
}

function add(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = issueOf(request);
  assign(services, repository, user, issue, wanted(request));
  return created(restIssuePayload(services.world, repository, issue));
}

function remove(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = issueOf(request);
  unassign(services, repository, user, issue, wanted(request));
  return ok(restIssuePayload(services.world, repository, issue));
}

function check({ services, repository, params }: RepositoryRequest) {
  const user = services.world.user(params['login'] ?? '');
  if (user === undefined || !isAssignable(services.world, repository, user))
    throw new GitHubError('assignable-people', 404, 'Not Found');
  return noContent;
}

export const assigneeRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/assignees/:login', permission: 'issues:read', handle: check },
  {
    method: 'POST',
    path: '/issues/:number/assignees',
    permission: onIssue('write'),
    role: 'triage',
    handle: add,
  },
  {
    method: 'DELETE',
    path: '/issues/:number/assignees',
    permission: onIssue('write'),
    role: 'triage',
    handle: remove,
  },
];

import { z } from 'zod';
import { addSubIssue, orderSubIssue, removeSubIssue } from '../actions/sub-issues.ts';
import { GitHubError } from '../github-error.ts';
import { restIssuePayload } from '../payloads/issue.ts';
import { withBodies } from '../payloads/body.ts';
import { childrenOf, issueWithId, parentOf, type PlacedIssue } from '../sub-issues.ts';
import { issueOf } from './issues.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, ok, page, parseBody } from './route.ts';

const present = ({ services, bodies }: RepositoryRequest, { repository, issue }: PlacedIssue) =>
  withBodies(
    restIssuePayload(services.world, repository, issue),
    bodies,
    services.world,
    repository,
  );

const placed = (request: RepositoryRequest): PlacedIssue => ({
  repository: request.repository,
  issue: issueOf(request),
});

/** 404 without a parent: rule `parent-of-an-issue`. */
function parent(request: RepositoryRequest) {
  const found = parentOf(request.services.world, issueOf(request));
  if (found === undefined) throw new GitHubError('parent-of-an-issue', 404, 'Not Found');
  return ok(present(request, found));
}

/** Those in other repositories among them: rule `sub-issues-of-other-repositories`. */
const list = (request: RepositoryRequest) =>
  page(request, childrenOf(request.services.world, issueOf(request)), (one) =>
    present(request, one),
  );

const Added = z.object({ sub_issue_id: z.int(), replace_parent: z.boolean().default(false) });

function add(request: RepositoryRequest) {
  const { services, user } = request;
  const { sub_issue_id: id, replace_parent: replacesParent } = parseBody(Added, request.body);
  addSubIssue(services, user, placed(request), { id, replacesParent });
  return created(child(request, id));
}

const Removed = z.object({ sub_issue_id: z.int() });

function remove(request: RepositoryRequest) {
  const { services, user } = request;
  const { sub_issue_id: id } = parseBody(Removed, request.body);
  removeSubIssue(services, user, placed(request), id);
  return ok(child(request, id));
}

const Moved = z.object({
  sub_issue_id: z.int(),
  after_id: z.int().optional(),
  before_id: z.int().optional(),
});

function order(request: RepositoryRequest) {
  const { sub_issue_id: id, after_id: after, before_id: before } = parseBody(Moved, request.body);
  orderSubIssue(request.services, placed(request), { id, after, before });
  return ok(present(request, placed(request)));
}

function child(request: RepositoryRequest, id: number): unknown {
  const found = issueWithId(request.services.world, id);
  return found === undefined ? {} : present(request, found);
}

/** It takes at least the role `triage`: rule `sub-issues-need-triage`. */
const WRITES = { permission: 'issues:write', role: 'triage' } as const;

export const subIssueRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/issues/:number/parent', permission: 'issues:read', handle: parent },
  { method: 'GET', path: '/issues/:number/sub_issues', permission: 'issues:read', handle: list },
  { method: 'POST', path: '/issues/:number/sub_issues', ...WRITES, handle: add },
  { method: 'DELETE', path: '/issues/:number/sub_issue', ...WRITES, handle: remove },
  { method: 'PATCH', path: '/issues/:number/sub_issues/priority', ...WRITES, handle: order },
];

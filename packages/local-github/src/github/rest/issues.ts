import { z } from 'zod';
import { addLabels, removeLabel } from '../actions/labels.ts';
import { changeIssue, findIssue, openIssue } from '../actions/issues.ts';
import { setIssueType } from '../actions/issue-types.ts';
import { lockIssue } from '../actions/moves.ts';
import { GitHubError } from '../github-error.ts';
import { eventPayload, restIssuePayload } from '../payloads/issue.ts';
import { withBodies } from '../payloads/body.ts';
import { labelPayload } from '../payloads/repository.ts';
import type { Issue, Repository } from '../state.ts';
import { isPull } from '../state.ts';
import { hasRole } from './access.ts';
import type { RepositoryRequest, RepositoryRoute, RestRequest } from './route.ts';
import { created, noContent, numberParam, ok, page, parseBody } from './route.ts';

/** On a pull request it is that for pull requests (rule `issue-or-pull-permission`). */
export const onIssue =
  (level: 'read' | 'write') =>
  (request: RestRequest, repository: Repository): string => {
    const number = Number(request.params['number']);
    const issue = repository.issues.find((one) => one.number === number);
    return issue !== undefined && isPull(issue) ? `pull_requests:${level}` : `issues:${level}`;
  };

export const issueOf = (request: RepositoryRequest): Issue =>
  findIssue(request.repository, numberParam(request, 'number'));

const Labels = z.array(z.union([z.string(), z.object({ name: z.string() })]));
const isNamed = (label: { readonly name: string }, name: string): boolean =>
  label.name.toLowerCase() === name.toLowerCase();

const namesOf = (labels: z.infer<typeof Labels>): string[] =>
  labels.map((label) => (typeof label === 'string' ? label : label.name));

const NewIssueBody = z.object({
  title: z.union([z.string(), z.number()]).transform(String),
  body: z.string().nullish(),
  labels: Labels.optional(),
  type: z.string().nullish(),
});

const IssueChangeBody = z.object({
  title: z.union([z.string(), z.number()]).transform(String).optional(),
  body: z.string().nullish(),
  state: z.enum(['open', 'closed']).optional(),
  state_reason: z.enum(['completed', 'not_planned', 'reopened']).nullish(),
  type: z.string().nullish(),
});

/** The issue in the requested media type. */
const present = ({ services, repository, bodies }: RepositoryRequest, issue: Issue) =>
  withBodies(
    restIssuePayload(services.world, repository, issue),
    bodies,
    services.world,
    repository,
  );

/** Types of others are dropped without an error (rule `issue-type-needs-push`). */
const mayType = ({ repository, user }: RepositoryRequest): boolean =>
  user.type === 'Bot' || hasRole(repository, user, 'write');

function create(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const wanted = parseBody(NewIssueBody, request.body);
  // Labels of a caller who may not label are dropped (rule `labels-need-access`).
  const labels = hasRole(repository, user, 'triage') || user.type === 'Bot' ? wanted.labels : [];
  const issue = openIssue(services, repository, user, {
    title: wanted.title,
    body: wanted.body,
    labels: namesOf(labels ?? []),
    type: mayType(request) ? (wanted.type ?? undefined) : undefined,
  });
  return created(present(request, issue));
}

/** Sorts by the last change, or by creation, which is GitHub's default. */
const newestFirst =
  (sort: string | undefined) =>
  (one: Issue, other: Issue): number =>
    sort === 'updated' && one.updatedAt !== other.updatedAt
      ? Date.parse(other.updatedAt) - Date.parse(one.updatedAt)
      : other.number - one.number;

/** Also those that were opened just now: rule `issues-listed-at-once`. */
function list(request: RepositoryRequest) {
  const { repository, query } = request;
  const state = query['state'] ?? 'open';
  const labels = (query['labels'] ?? '').split(',').filter((name) => name !== '');
  const { since = '' } = query;
  const issues = repository.issues
    .filter((issue) => issue.updatedAt >= since)
    .filter((issue) => state === 'all' || issue.state === state)
    // By rule `labels-ignore-case`.
    .filter((issue) => labels.every((name) => issue.labels.some((label) => isNamed(label, name))))
    .toSorted(newestFirst(query['sort']));
  if (query['direction'] === 'asc') issues.reverse();
  return page(request, issues, (issue) => present(request, issue));
}

async function change(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = issueOf(request);
  const wanted = parseBody(IssueChangeBody, request.body);
  const mayChange = user.id === issue.author.id || user.type === 'Bot';
  if (!mayChange && !hasRole(repository, user, 'triage'))
    throw new GitHubError('texts-of-others', 403, 'Must have admin rights to Repository.');
  await changeIssue(services, repository, user, issue, {
    title: wanted.title,
    body: wanted.body,
    state: wanted.state,
    stateReason: wanted.state_reason,
  });
  if (wanted.type !== undefined && mayType(request))
    setIssueType(services, repository, user, issue, wanted.type);
  return ok(present(request, issue));
}

function listLabels(request: RepositoryRequest) {
  const { services, repository } = request;
  return page(request, issueOf(request).labels, (label) =>
    labelPayload(services.world, repository, label),
  );
}

function label(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = issueOf(request);
  const wanted = parseBody(z.union([z.object({ labels: Labels }), Labels]), request.body);
  const names = namesOf(Array.isArray(wanted) ? wanted : wanted.labels);
  addLabels(services, repository, user, issue, names);
  return ok(issue.labels.map((one) => labelPayload(services.world, repository, one)));
}

function unlabel(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = issueOf(request);
  removeLabel(services, repository, user, issue, request.params['name'] ?? '');
  return ok(issue.labels.map((one) => labelPayload(services.world, repository, one)));
}

function listEvents(request: RepositoryRequest) {
  const { services, repository } = request;
  const issue = issueOf(request);
  return page(request, issue.events, (one) => eventPayload(services.world, repository, one));
}

/** Those of all issues and pull requests, newest first. Each names its issue. */
function listAllEvents(request: RepositoryRequest) {
  const { services, repository } = request;
  const all = repository.issues.flatMap((issue) => issue.events.map((event) => ({ issue, event })));
  const newestFirst = all.toSorted((one, other) => other.event.id - one.event.id);
  return page(request, newestFirst, ({ issue, event }) => ({
    ...eventPayload(services.world, repository, event),
    issue: restIssuePayload(services.world, repository, issue),
  }));
}

const lock = (locked: boolean) => (request: RepositoryRequest) => {
  const { services, repository, user } = request;
  lockIssue(services, repository, user, issueOf(request), locked);
  return noContent;
};

const read = (request: RepositoryRequest) => ok(present(request, issueOf(request)));

export const issueRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/issues', permission: 'issues:read', handle: list },
  { method: 'POST', path: '/issues', permission: 'issues:write', handle: create },
  { method: 'GET', path: '/issues/events', permission: 'issues:read', handle: listAllEvents },
  { method: 'GET', path: '/issues/:number', permission: onIssue('read'), handle: read },
  { method: 'PATCH', path: '/issues/:number', permission: onIssue('write'), handle: change },
  {
    method: 'GET',
    path: '/issues/:number/labels',
    permission: onIssue('read'),
    handle: listLabels,
  },
  {
    method: 'GET',
    path: '/issues/:number/events',
    permission: onIssue('read'),
    handle: listEvents,
  },
  {
    method: 'POST',
    path: '/issues/:number/labels',
    permission: onIssue('write'),
    role: 'triage',
    handle: label,
  },
  {
    method: 'DELETE',
    path: '/issues/:number/labels/:name',
    permission: onIssue('write'),
    role: 'triage',
    handle: unlabel,
  },
  {
    method: 'PUT',
    path: '/issues/:number/lock',
    permission: onIssue('write'),
    role: 'triage',
    handle: lock(true),
  },
  {
    method: 'DELETE',
    path: '/issues/:number/lock',
    permission: onIssue('write'),
    role: 'triage',
    handle: lock(false),
  },
];

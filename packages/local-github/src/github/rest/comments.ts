import { z } from 'zod';
import { addComment, deleteComment, editComment, findComment } from '../actions/comments.ts';
import { GitHubError } from '../github-error.ts';
import { withBodies } from '../payloads/body.ts';
import { commentPayload } from '../payloads/issue.ts';
import type { Comment, Repository } from '../state.ts';
import { hasRole } from './access.ts';
import { issueOf, onIssue } from './issues.ts';
import type { RepositoryRequest, RepositoryRoute, RestRequest } from './route.ts';
import { created, noContent, numberParam, ok, page, parseBody } from './route.ts';

const CommentBody = z.object({ body: z.string() });

/** The permission for a comment depends on whether it is on an issue or a pull request. */
export const onComment =
  (level: 'read' | 'write') =>
  (request: RestRequest, repository: Repository): string => {
    const id = Number(request.params['id']);
    const number = repository.comments.find((one) => one.id === id)?.issueNumber;
    const params = { ...request.params, number: String(number) };
    return onIssue(level)({ ...request, params }, repository);
  };

export const commentOf = (request: RepositoryRequest): Comment =>
  findComment(request.repository, numberParam(request, 'id'));

const present = ({ services, repository, bodies }: RepositoryRequest, comment: Comment) =>
  withBodies(
    commentPayload(services.world, repository, comment),
    bodies,
    services.world,
    repository,
  );

function list(request: RepositoryRequest) {
  const { number } = issueOf(request);
  const since = request.query['since'] ?? '';
  const comments = request.repository.comments
    .filter((one) => one.issueNumber === number)
    .filter((one) => one.updatedAt >= since);
  return page(request, comments, (comment) => present(request, comment));
}

/** Those of all issues and pull requests. */
function listAll(request: RepositoryRequest) {
  const { since = '', sort = 'created', direction } = request.query;
  const at = (comment: Comment): string =>
    sort === 'updated' ? comment.updatedAt : comment.createdAt;
  const comments = request.repository.comments
    .filter((one) => one.updatedAt >= since)
    .toSorted((one, other) => Date.parse(at(one)) - Date.parse(at(other)) || one.id - other.id);
  if (direction === 'desc') comments.reverse();
  return page(request, comments, (comment) => present(request, comment));
}

function create(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = issueOf(request);
  const { body } = parseBody(CommentBody, request.body);
  const isViaApp = request.actor.kind === 'user' && request.actor.isViaApp;
  const comment = addComment(services, repository, user, issue, { body, isViaApp });
  return created(present(request, comment));
}

/** A comment may be changed by its author and by people with write access. */
function checkMayChange({ repository, user }: RepositoryRequest, comment: Comment): void {
  if (user.id === comment.author.id || user.type === 'Bot') return;
  if (!hasRole(repository, user, 'write'))
    throw new GitHubError('texts-of-others', 403, 'Must have admin rights to Repository.');
}

function edit(request: RepositoryRequest) {
  const comment = commentOf(request);
  checkMayChange(request, comment);
  const { body } = parseBody(CommentBody, request.body);
  editComment(request.services, request.repository, request.user, comment, body);
  return ok(present(request, comment));
}

function remove(request: RepositoryRequest) {
  const comment = commentOf(request);
  checkMayChange(request, comment);
  deleteComment(request.services, request.repository, request.user, comment);
  return noContent;
}

export const commentRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/issues/comments', permission: 'issues:read', handle: listAll },
  { method: 'GET', path: '/issues/:number/comments', permission: onIssue('read'), handle: list },
  {
    method: 'POST',
    path: '/issues/:number/comments',
    permission: onIssue('write'),
    handle: create,
  },
  {
    method: 'GET',
    path: '/issues/comments/:id',
    permission: onComment('read'),
    handle: (request) => ok(present(request, commentOf(request))),
  },
  { method: 'PATCH', path: '/issues/comments/:id', permission: onComment('write'), handle: edit },
  {
    method: 'DELETE',
    path: '/issues/comments/:id',
    permission: onComment('write'),
    handle: remove,
  },
];

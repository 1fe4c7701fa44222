import { GitHubError, invalid } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { touch } from '../hub.ts';
import { commentPayload, issuePayload } from '../payloads/issue.ts';
import { hasRole } from '../rest/access.ts';
import type { Comment, Issue, Repository, User } from '../state.ts';
import { timestamp } from '../state.ts';
import type { World } from '../world.ts';

/** Maximum characters of a body. */
export const MAX_BODY = 65_536;

export const isTooLong = ({ rules }: World, body: string): boolean =>
  body.length > MAX_BODY && rules.holds('body-limit');

export function findComment(repository: Repository, id: number): Comment {
  const comment = repository.comments.find((one) => one.id === id);
  if (comment === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return comment;
}

export function addComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: Issue,
  { body, isViaApp = false }: { readonly body: string; readonly isViaApp?: boolean | undefined },
): Comment {
  checkBody(hub, body);
  const mayComment = hasRole(repository, actor, 'write') || !issue.locked;
  if (!mayComment && hub.world.rules.holds('locked-conversation'))
    throw new GitHubError(
      'locked-conversation',
      403,
      'Unable to create comment because issue is locked.',
    );
  const now = timestamp();
  const comment: Comment = {
    id: hub.world.nextId(),
    issueNumber: issue.number,
    author: actor,
    ...(isViaApp ? { isViaApp } : {}),
    body,
    createdAt: now,
    updatedAt: now,
    reactions: [],
  };
  repository.comments.push(comment);
  touch(hub, issue);
  emit(hub, repository, actor, comment, 'created');
  return comment;
}

export function editComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  comment: Comment,
  body: string,
): void {
  checkBody(hub, body);
  const changes = { body: { from: comment.body } };
  if (comment.body === body) return;
  comment.body = body;
  comment.updatedAt = timestamp();
  comment.editor = actor;
  hub.world.changed();
  emit(hub, repository, actor, comment, 'edited', { changes });
}

export function deleteComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  comment: Comment,
): void {
  repository.comments.splice(repository.comments.indexOf(comment), 1);
  hub.world.changed();
  emit(hub, repository, actor, comment, 'deleted');
}

function emit(
  hub: Hub,
  repository: Repository,
  actor: User,
  comment: Comment,
  action: string,
  more: Record<string, unknown> = {},
): void {
  const issue = repository.issues.find((one) => one.number === comment.issueNumber);
  if (issue === undefined) return;
  hub.webhooks.emit('issue_comment', repository, actor, {
    action,
    issue: issuePayload(hub.world, repository, issue),
    comment: commentPayload(hub.world, repository, comment),
    ...more,
  });
}

/** Throws GitHub's 422 if the body is empty or too long. */
function checkBody({ world }: Hub, body: string): void {
  if (body.trim() === '')
    throw invalid('comment-not-blank', 'IssueComment', 'Body cannot be blank', 'body');
  if (!isTooLong(world, body)) return;
  const message = `Body is too long (maximum is ${MAX_BODY} characters)`;
  throw new GitHubError('body-limit', 422, 'Validation Failed', [
    { resource: 'IssueComment', code: 'unprocessable', field: 'data', message },
  ]);
}

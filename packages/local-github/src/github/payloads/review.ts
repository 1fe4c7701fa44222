import type { Placement } from '../git/placing.ts';
import type { Repository, Review, ReviewComment, ReviewThread } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { reactionCounts } from './reaction.ts';
import { apiUrl, webUrl } from './repository.ts';
import { association, userPayload } from './user.ts';

export function reviewPayload(world: World, repository: Repository, review: Review) {
  const html = `${webUrl(world, repository)}/pull/${review.pullNumber}#pullrequestreview-${review.id}`;
  const pull = `${apiUrl(world, repository)}/pulls/${review.pullNumber}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: userPayload(world, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: association(repository, review.author),
    submitted_at: review.submittedAt,
    commit_id: review.commitSha,
    _links: { html: { href: html }, pull_request: { href: pull } },
  };
}

/** In webhooks, unlike in REST, the state is in lower case and an empty body is null. */
export function reviewEventPayload(world: World, repository: Repository, review: Review) {
  return {
    ...reviewPayload(world, repository, review),
    state: review.state.toLowerCase(),
    body: review.body === '' ? null : review.body,
    updated_at: review.submittedAt,
  };
}

export const threadNodeId = ({ id }: ReviewThread): string => nodeId('PRRT', id);

export function reviewCommentPayload(
  world: World,
  repository: Repository,
  comment: ReviewComment,
  thread: ReviewThread,
  { diffHunk, originalPosition, current }: Placement,
) {
  const url = `${apiUrl(world, repository)}/pulls/comments/${comment.id}`;
  const pull = `${apiUrl(world, repository)}/pulls/${comment.pullNumber}`;
  const html = `${webUrl(world, repository)}/pull/${comment.pullNumber}#discussion_r${comment.id}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId('PRRC', comment.id),
    diff_hunk: diffHunk,
    path: thread.path,
    commit_id: current?.commitSha ?? thread.commitSha,
    original_commit_id: thread.commitSha,
    ...(comment.inReplyTo === undefined ? {} : { in_reply_to_id: comment.inReplyTo }),
    user: userPayload(world, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: html,
    pull_request_url: pull,
    author_association: association(repository, comment.author),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
    reactions: reactionCounts(url, comment.reactions),
    start_line: current?.startLine ?? null,
    original_start_line: thread.startLine ?? null,
    start_side: thread.startSide ?? null,
    line: current?.line ?? null,
    original_line: thread.line ?? null,
    side: thread.side,
    position: current?.position ?? null,
    original_position: originalPosition,
    subject_type: thread.line === undefined ? 'file' : 'line',
  };
}

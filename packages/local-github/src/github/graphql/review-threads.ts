// The threads of a pull request and their comments, as GraphQL shows them.
import type { Placement } from '../git/placing.ts';
import { reviewCommentPayload, threadNodeId } from '../payloads/review.ts';
import type { Repository, ReviewComment, ReviewThread, User } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { connection, type Paging } from './connection.ts';

/** GraphQL names a bot without the `[bot]` that REST adds (rule `graphql-bot-logins`). */
export const actorNode = (user: User) => ({
  __typename: user.type,
  id: nodeId(user.type === 'Bot' ? 'BOT' : 'U', user.id),
  login: user.type === 'Bot' ? user.login.replace(/\[bot\]$/, '') : user.login,
});

export function threadNode(
  world: World,
  repository: Repository,
  thread: ReviewThread,
  placement: Placement,
) {
  const { current } = placement;
  const comments = repository.reviewComments.filter((one) => one.threadId === thread.id);
  const nodes = comments.map((comment) =>
    commentNode(world, repository, comment, thread, placement),
  );
  const isResolved = thread.resolvedBy !== undefined;
  return {
    __typename: 'PullRequestReviewThread',
    id: threadNodeId(thread),
    isResolved,
    isOutdated: current === undefined,
    isCollapsed: isResolved,
    // As rule `resolved-by` says.
    resolvedBy: thread.resolvedBy === undefined ? null : actorNode(thread.resolvedBy),
    path: thread.path,
    line: current?.line ?? null,
    originalLine: thread.line ?? null,
    startLine: current?.startLine ?? null,
    originalStartLine: thread.startLine ?? null,
    diffSide: thread.side,
    startDiffSide: thread.startSide ?? null,
    subjectType: thread.line === undefined ? 'FILE' : 'LINE',
    comments: (paging: Paging) => connection('comments', nodes, paging),
  };
}

function commentNode(
  world: World,
  repository: Repository,
  comment: ReviewComment,
  thread: ReviewThread,
  placement: Placement,
): object {
  const payload = reviewCommentPayload(world, repository, comment, thread, placement);
  const first = repository.reviewComments.find((one) => one.id === comment.inReplyTo);
  return {
    __typename: 'PullRequestReviewComment',
    id: payload.node_id,
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    author: actorNode(comment.author),
    body: comment.body,
    path: thread.path,
    line: payload.line,
    originalLine: payload.original_line,
    startLine: payload.start_line,
    originalStartLine: payload.original_start_line,
    diffHunk: payload.diff_hunk,
    outdated: placement.current === undefined,
    commit: { oid: payload.commit_id },
    originalCommit: { oid: payload.original_commit_id },
    replyTo: () =>
      first === undefined ? null : commentNode(world, repository, first, thread, placement),
    pullRequestReview: { id: nodeId('PRR', comment.reviewId), databaseId: comment.reviewId },
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    url: payload.html_url,
  };
}

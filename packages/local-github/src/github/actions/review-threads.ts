// What happens in the threads of a pull request after they began: replies, and that they are resolved.
import { pullFacts } from '../git/pull.ts';
import { placementOf } from '../git/placing.ts';
import type { Hub } from '../hub.ts';
import { touch } from '../hub.ts';
import { pullSummary } from '../payloads/pull.ts';
import { reviewCommentPayload, threadNodeId } from '../payloads/review.ts';
import type {
  PullRequest,
  Repository,
  Review,
  ReviewComment,
  ReviewThread,
  User,
} from '../state.ts';
import { timestamp } from '../state.ts';
import {
  addToThread,
  announceComment,
  beginThread,
  threadOf,
  type NewRemark,
} from './review-comments.ts';
import { announceReview } from './reviews.ts';

/** A comment outside of a review gets a review of its own (rule `remark-has-review`). */
export async function addReviewComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  wanted: NewRemark & { commitSha: string },
): Promise<ReviewComment> {
  const begin = await beginThread(hub, repository, issue, wanted, wanted.commitSha);
  const review = plainReview(hub, issue, actor, wanted.commitSha);
  return announced(hub, repository, issue, review, begin(review));
}

export async function reply(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  to: ReviewComment,
  body: string,
): Promise<ReviewComment> {
  const { headSha } = await pullFacts(repository, issue);
  const review = plainReview(hub, issue, actor, headSha);
  const comment = addToThread(hub, repository, review, threadOf(repository, to), body);
  return announced(hub, repository, issue, review, comment);
}

function plainReview(hub: Hub, issue: PullRequest, author: User, commitSha: string): Review {
  const [id, pullNumber, submittedAt] = [hub.world.nextId(), issue.number, timestamp()];
  const state = 'COMMENTED';
  return { id, pullNumber, author, state, body: '', commitSha, submittedAt, reactions: [] };
}

function announced(
  hub: Hub,
  repository: Repository,
  issue: PullRequest,
  review: Review,
  comment: ReviewComment,
): ReviewComment {
  repository.reviews.push(review);
  touch(hub, issue);
  announceReview(hub, repository, review.author, issue, review, 'submitted');
  announceComment(hub, repository, review.author, issue, comment, 'created');
  return comment;
}

/** Sends `resolved` or `unresolved`, if that is a change. */
export function setResolved(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  thread: ReviewThread,
  resolved: boolean,
): void {
  if ((thread.resolvedBy !== undefined) === resolved) return;
  thread.resolvedBy = resolved ? actor : undefined;
  touch(hub, issue);
  const comments = repository.reviewComments.filter((one) => one.threadId === thread.id);
  const fields = pullFacts(repository, issue).then(async (facts) => {
    const placement = await placementOf(repository, thread, facts);
    const present = (comment: ReviewComment) =>
      reviewCommentPayload(hub.world, repository, comment, thread, placement);
    return {
      action: resolved ? 'resolved' : 'unresolved',
      pull_request: pullSummary(hub.world, repository, issue, facts),
      thread: { node_id: threadNodeId(thread), comments: comments.map(present) },
    };
  });
  hub.webhooks.emit('pull_request_review_thread', repository, actor, fields);
}

import { GitHubError, invalid } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { touch } from '../hub.ts';
import { reviewCommentPayload, reviewEventPayload } from '../payloads/review.ts';
import { pullSummary } from '../payloads/pull.ts';
import type { PullFacts } from '../git/pull.ts';
import { pullFacts } from '../git/pull.ts';
import type {
  PullRequest,
  Repository,
  Review,
  ReviewComment,
  ReviewState,
  User,
} from '../state.ts';
import { timestamp } from '../state.ts';
import { MAX_BODY } from './comments.ts';

type ReviewEvent = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';

export interface NewReview {
  readonly event: ReviewEvent;
  readonly body?: string | undefined;
  /** Comments on lines of the files in the pull request's version. */
  readonly comments?: readonly { path: string; line: number; body: string }[] | undefined;
}

const STATES: Record<ReviewEvent, ReviewState> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

/** Submits a review. Sends `submitted`, and an event for each comment on a line. */
export async function submitReview(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  wanted: NewReview,
): Promise<Review> {
  const facts = await pullFacts(repository, issue);
  check(actor, issue, wanted, facts);
  const review: Review = {
    id: hub.world.nextId(),
    pullNumber: issue.number,
    author: actor,
    state: STATES[wanted.event],
    body: wanted.body ?? '',
    commitSha: facts.headSha,
    submittedAt: timestamp(),
  };
  repository.reviews.push(review);
  const comments = (wanted.comments ?? []).map((one) => commentOf(hub, review, one));
  repository.reviewComments.push(...comments);
  // A reviewer who has reviewed is no longer requested.
  issue.pull.requestedReviewers = issue.pull.requestedReviewers.filter(({ id }) => id !== actor.id);
  touch(hub, issue);
  const summary = pullSummary(hub.world, repository, issue, facts);
  hub.webhooks.emit('pull_request_review', repository, actor, {
    action: 'submitted',
    review: reviewEventPayload(hub.world, repository, review),
    pull_request: summary,
  });
  for (const comment of comments)
    hub.webhooks.emit('pull_request_review_comment', repository, actor, {
      action: 'created',
      comment: reviewCommentPayload(hub.world, repository, comment, hunkOf(facts, comment.path)),
      pull_request: summary,
    });
  return review;
}

/** The part of the diff above a comment on a line. */
export function hunkOf(facts: PullFacts, path: string): string {
  return facts.files.find((file) => file.filename === path)?.patch ?? '';
}

function check(actor: User, issue: PullRequest, wanted: NewReview, facts: PullFacts): void {
  const { event, body = '', comments = [] } = wanted;
  if (event === 'APPROVE' && actor.id === issue.author.id)
    throw new GitHubError(422, 'Unprocessable Entity', ['Can not approve your own pull request']);
  if (event === 'REQUEST_CHANGES' && actor.id === issue.author.id)
    throw new GitHubError(422, 'Unprocessable Entity', [
      'Can not request changes on your own pull request',
    ]);
  if (event !== 'APPROVE' && body.trim() === '' && comments.length === 0)
    throw new GitHubError(422, 'Unprocessable Entity', ['Body can not be blank']);
  if (body.length > MAX_BODY)
    throw invalid('PullRequestReview', `body is too long (maximum is ${MAX_BODY} characters)`);
  for (const comment of comments)
    if (!facts.files.some((file) => file.filename === comment.path))
      throw new GitHubError(422, 'Unprocessable Entity', ['Path could not be resolved']);
}

function commentOf(
  hub: Hub,
  review: Review,
  wanted: { path: string; line: number; body: string },
): ReviewComment {
  return {
    id: hub.world.nextId(),
    reviewId: review.id,
    pullNumber: review.pullNumber,
    author: review.author,
    path: wanted.path,
    line: wanted.line,
    body: wanted.body,
    commitSha: review.commitSha,
    createdAt: review.submittedAt,
    updatedAt: review.submittedAt,
    reactions: [],
    inReplyTo: undefined,
  };
}

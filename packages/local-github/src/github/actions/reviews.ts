// Reviews of a pull request, and the events about them.
import { GitHubError, invalid } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { emitPullEvent, recordEvent, touch } from '../hub.ts';
import { pullFacts, type PullFacts } from '../git/pull.ts';
import { pullSummary } from '../payloads/pull.ts';
import { dismissesStaleApprovals } from '../rules/merging.ts';
import { userPayload } from '../payloads/user.ts';
import { reviewEventPayload } from '../payloads/review.ts';
import type { PullRequest, Repository, Review, ReviewState, User } from '../state.ts';
import { timestamp } from '../state.ts';
import { isTooLong, MAX_BODY } from './comments.ts';
import { announceComment, beginThread, type NewRemark } from './review-comments.ts';

type ReviewEvent = 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT';

export interface NewReview {
  readonly event: ReviewEvent;
  readonly body?: string | undefined;
  /** The version that was reviewed; the head by default. */
  readonly commitSha?: string | undefined;
  /** Comments on lines of the diff. Each begins a thread. */
  readonly comments?: readonly NewRemark[] | undefined;
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
  checkReview(hub, actor, issue, wanted);
  const commitSha = wanted.commitSha ?? facts.headSha;
  const begun = await Promise.all(
    (wanted.comments ?? []).map((one) => beginThread(hub, repository, issue, one, commitSha)),
  );
  const review: Review = {
    id: hub.world.nextId(),
    pullNumber: issue.number,
    author: actor,
    state: STATES[wanted.event],
    body: wanted.body ?? '',
    commitSha,
    submittedAt: timestamp(),
    reactions: [],
  };
  repository.reviews.push(review);
  // A reviewer who has reviewed is no longer requested (rule `reviewed-is-not-requested`).
  issue.pull.requestedReviewers = issue.pull.requestedReviewers.filter(({ id }) => id !== actor.id);
  const comments = begun.map((begin) => begin(review));
  touch(hub, issue);
  announceReview(hub, repository, actor, issue, review, 'submitted');
  if (!hub.world.rules.holds('review-events')) return review;
  for (const comment of comments)
    announceComment(hub, repository, actor, issue, comment, 'created');
  return review;
}

/** Tells of each who was not asked before (rule `review-requests`). */
export function requestReviews(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  people: readonly User[],
): void {
  for (const person of people) {
    if (issue.pull.requestedReviewers.includes(person)) continue;
    issue.pull.requestedReviewers.push(person);
    touch(hub, issue);
    recordEvent(hub, issue, actor, 'review_requested', { reviewer: person });
    const asked = { requested_reviewer: userPayload(hub.world, person) };
    emitPullEvent(hub, repository, actor, issue, 'review_requested', asked);
  }
}

/** Whoever was asked has nothing to do any more (rule `review-requests`). */
export function withdrawReviewRequest(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  person: User,
): void {
  const { requestedReviewers: asked } = issue.pull;
  if (!asked.includes(person)) return;
  issue.pull.requestedReviewers = asked.filter((one) => one !== person);
  touch(hub, issue);
  recordEvent(hub, issue, actor, 'review_request_removed', { reviewer: person });
  const removed = { requested_reviewer: userPayload(hub.world, person) };
  emitPullEvent(hub, repository, actor, issue, 'review_request_removed', removed);
}

export function editReview(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  review: Review,
  body: string,
): void {
  if (body === review.body) return;
  const changes = { body: { from: review.body } };
  review.body = body;
  touch(hub, issue);
  announceReview(hub, repository, actor, issue, review, 'edited', { changes });
}

/** Only an approval or a request for changes can be dismissed. */
export function dismissReview(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  review: Review,
): void {
  if (review.state !== 'APPROVED' && review.state !== 'CHANGES_REQUESTED')
    throw new GitHubError('dismissable-reviews', 422, 'Unprocessable Entity', [
      `Can not dismiss a ${review.state.toLowerCase()} pull request review`,
    ]);
  review.state = 'DISMISSED';
  touch(hub, issue);
  announceReview(hub, repository, actor, issue, review, 'dismissed');
}

/** After a push, if a rule of the base branch says so (rule `stale-approvals`). */
export function dismissStaleApprovals(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
): void {
  if (!dismissesStaleApprovals(hub.world, repository, issue)) return;
  for (const review of repository.reviews)
    if (review.pullNumber === issue.number && review.state === 'APPROVED')
      dismissReview(hub, repository, actor, issue, review);
}

export function announceReview(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  review: Review,
  action: 'submitted' | 'edited' | 'dismissed',
  more: Record<string, unknown> = {},
): void {
  const payload = reviewEventPayload(hub.world, repository, review);
  const fields = pullFacts(repository, issue).then((facts: PullFacts) => ({
    action,
    review: payload,
    pull_request: pullSummary(hub.world, repository, issue, facts),
    ...more,
  }));
  hub.webhooks.emit('pull_request_review', repository, actor, fields);
}

function checkReview({ world }: Hub, actor: User, issue: PullRequest, wanted: NewReview): void {
  const { event, body = '', comments = [] } = wanted;
  const isOwn = actor.id === issue.author.id && world.rules.holds('own-pull-approval');
  if (event === 'APPROVE' && isOwn)
    throw new GitHubError('own-pull-approval', 422, 'Unprocessable Entity', [
      'Can not approve your own pull request',
    ]);
  if (event === 'REQUEST_CHANGES' && isOwn)
    throw new GitHubError('own-pull-approval', 422, 'Unprocessable Entity', [
      'Can not request changes on your own pull request',
    ]);
  if (event !== 'APPROVE' && body.trim() === '' && comments.length === 0)
    throw new GitHubError('review-body', 422, 'Unprocessable Entity', ['Body can not be blank']);
  if (isTooLong(world, body))
    throw invalid(
      'body-limit',
      'PullRequestReview',
      `body is too long (maximum is ${MAX_BODY} characters)`,
    );
}

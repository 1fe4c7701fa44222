// Comments on lines of a pull request. A first comment begins a thread, the others reply to it.
import { filesBetween, pullFacts } from '../git/pull.ts';
import { patchOf, placementOf } from '../git/placing.ts';
import { shownLine, shownLines, type Side } from '../git/patch.ts';
import type { RuleId } from '../behaviours/index.ts';
import { GitHubError, invalid } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { touch } from '../hub.ts';
import { pullSummary } from '../payloads/pull.ts';
import { reviewCommentPayload } from '../payloads/review.ts';
import type {
  PullRequest,
  Repository,
  Review,
  ReviewComment,
  ReviewThread,
  User,
} from '../state.ts';
import { timestamp } from '../state.ts';
import { isTooLong, MAX_BODY } from './comments.ts';

/** A comment on a line, on several, or on a whole file. */
export interface NewRemark {
  readonly path: string;
  readonly body: string;
  readonly line?: number | undefined;
  /** `RIGHT` (the new version) by default. */
  readonly side?: Side | undefined;
  readonly startLine?: number | undefined;
  readonly startSide?: Side | undefined;
  /** Instead of a line: lines below the first `@@` of the file's patch. */
  readonly position?: number | undefined;
  readonly ofFile?: boolean | undefined;
}

export function findReviewComment(repository: Repository, id: number): ReviewComment {
  const comment = repository.reviewComments.find((one) => one.id === id);
  if (comment === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return comment;
}

export function threadOf(repository: Repository, comment: ReviewComment): ReviewThread {
  const thread = repository.reviewThreads.find((one) => one.id === comment.threadId);
  if (thread === undefined) throw new Error(`the comment ${comment.id} has no thread`);
  return thread;
}

/** Checks the place. The function that it resolves with adds the thread and its first comment to a review. */
export async function beginThread(
  hub: Hub,
  repository: Repository,
  issue: PullRequest,
  wanted: NewRemark,
  commitSha: string,
): Promise<(review: Review) => ReviewComment> {
  checkBody(hub, wanted.body);
  const place = await placeIn(repository, issue, wanted, commitSha);
  return (review) => {
    const id = hub.world.nextId();
    const thread = { ...place, id, pullNumber: issue.number, resolvedBy: undefined };
    repository.reviewThreads.push(thread);
    return addToThread(hub, repository, review, thread, wanted.body);
  };
}

/** Adds a comment at the end of a thread. */
export function addToThread(
  hub: Hub,
  repository: Repository,
  review: Review,
  thread: ReviewThread,
  body: string,
): ReviewComment {
  checkBody(hub, body);
  const first = repository.reviewComments.find((one) => one.threadId === thread.id);
  const comment: ReviewComment = {
    id: hub.world.nextId(),
    reviewId: review.id,
    threadId: thread.id,
    pullNumber: review.pullNumber,
    author: review.author,
    body,
    createdAt: review.submittedAt,
    updatedAt: review.submittedAt,
    reactions: [],
    inReplyTo: first === undefined ? undefined : (first.inReplyTo ?? first.id),
  };
  repository.reviewComments.push(comment);
  return comment;
}

export function editReviewComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  comment: ReviewComment,
  body: string,
): void {
  checkBody(hub, body);
  if (body === comment.body) return;
  const changes = { body: { from: comment.body } };
  comment.body = body;
  comment.updatedAt = timestamp();
  touch(hub, issue);
  announceComment(hub, repository, actor, issue, comment, 'edited', { changes });
}

/** A thread without comments no longer exists. */
export function deleteReviewComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  comment: ReviewComment,
): void {
  announceComment(hub, repository, actor, issue, comment, 'deleted');
  const { reviewComments, reviewThreads } = repository;
  reviewComments.splice(reviewComments.indexOf(comment), 1);
  if (!reviewComments.some((one) => one.threadId === comment.threadId))
    reviewThreads.splice(reviewThreads.indexOf(threadOf(repository, comment)), 1);
  touch(hub, issue);
}

export function announceComment(
  hub: Hub,
  repository: Repository,
  actor: User,
  issue: PullRequest,
  comment: ReviewComment,
  action: 'created' | 'edited' | 'deleted',
  more: Record<string, unknown> = {},
): void {
  const thread = threadOf(repository, comment);
  const said = { ...comment };
  const fields = pullFacts(repository, issue).then(async (facts) => {
    const placement = await placementOf(repository, thread, facts);
    return {
      action,
      comment: reviewCommentPayload(hub.world, repository, said, thread, placement),
      pull_request: pullSummary(hub.world, repository, issue, facts),
      ...more,
    };
  });
  hub.webhooks.emit('pull_request_review_comment', repository, actor, fields);
}

type Place = Pick<
  ReviewThread,
  'path' | 'side' | 'line' | 'startLine' | 'startSide' | 'commitSha' | 'baseSha'
>;

/** The place in the diff of the given version. Throws GitHub's 422 if the diff does not show it. */
async function placeIn(
  repository: Repository,
  issue: PullRequest,
  wanted: NewRemark,
  commitSha: string,
): Promise<Place> {
  const { path, side = 'RIGHT', startLine, startSide = side } = wanted;
  const { baseSha: base, startSha } = await pullFacts(repository, issue);
  const baseSha = (await repository.git.mergeBase(base, commitSha)) ?? startSha;
  const files = await filesBetween(repository, baseSha, commitSha);
  if (!files.some((file) => file.filename === path))
    throw unprocessable('comment-on-diff', 'Path could not be resolved');
  const at = { path, commitSha, baseSha, side };
  if (wanted.ofFile === true)
    return { ...at, line: undefined, startLine: undefined, startSide: undefined };
  const patch = patchOf(files, path);
  if (wanted.line === undefined) return { ...at, ...placeAt(patch, wanted.position), ...NO_START };
  const shown = shownLine(patch, side, wanted.line);
  if (shown === undefined) throw unprocessable('comment-on-diff', ...NOT_SHOWN);
  if (startLine === undefined) return { ...at, line: wanted.line, ...NO_START };
  const start = shownLine(patch, startSide, startLine);
  if (start === undefined || start.hunk !== shown.hunk)
    throw unprocessable(
      'comment-on-diff',
      `${THREAD} start line must be part of the same hunk as the line.`,
    );
  if (start.position >= shown.position)
    throw unprocessable('comment-on-diff', `${THREAD} start line must precede the end line.`);
  return { ...at, line: wanted.line, startLine, startSide };
}

const NO_START = { startLine: undefined, startSide: undefined };
const THREAD = 'Pull request review thread';
const NOT_SHOWN = [
  `${THREAD} line must be part of the diff and ${THREAD} diff hunk can't be blank`,
] as const;

function placeAt(patch: string, position: number | undefined): { line: number; side: Side } {
  const shown = shownLines(patch).find((one) => one.position === position);
  if (shown?.right !== undefined) return { line: shown.right, side: 'RIGHT' };
  if (shown?.left !== undefined) return { line: shown.left, side: 'LEFT' };
  throw unprocessable('comment-on-diff', ...NOT_SHOWN);
}

const unprocessable = (rule: RuleId, ...reasons: string[]): GitHubError =>
  new GitHubError(rule, 422, 'Unprocessable Entity', reasons);

function checkBody({ world }: Hub, body: string): void {
  if (body.trim() === '') throw unprocessable('comment-not-blank', 'Body can not be blank');
  if (isTooLong(world, body))
    throw invalid(
      'body-limit',
      'PullRequestReviewComment',
      `body is too long (maximum is ${MAX_BODY} characters)`,
    );
}

import { z } from 'zod';
import { findPull } from '../actions/pulls.ts';
import {
  deleteReviewComment,
  editReviewComment,
  findReviewComment,
  threadOf,
  type NewRemark,
} from '../actions/review-comments.ts';
import { addReviewComment, reply } from '../actions/review-threads.ts';
import { placementOf } from '../git/placing.ts';
import { pullFacts, type PullFacts } from '../git/pull.ts';
import { GitHubError } from '../github-error.ts';
import { withBodies } from '../payloads/body.ts';
import { reviewCommentPayload } from '../payloads/review.ts';
import type { PullRequest, ReviewComment } from '../state.ts';
import { hasRole } from './access.ts';
import { pullOf } from './pulls.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, noContent, numberParam, ok, page, parseBody } from './route.ts';

const Side = z.enum(['LEFT', 'RIGHT']);
const Line = z.int().positive();

/** A comment on a line, as in the body of a request. */
export const Remark = z.object({
  path: z.string(),
  body: z.string(),
  line: Line.nullish(),
  side: Side.nullish(),
  start_line: Line.nullish(),
  start_side: Side.nullish(),
  position: Line.nullish(),
});

const NewComment = Remark.extend({
  commit_id: z.string(),
  subject_type: z.enum(['line', 'file']).default('line'),
});
const NewReply = z.object({ body: z.string(), in_reply_to: z.int() });
const CommentBody = z.object({ body: z.string() });

export const remarkOf = (remark: z.output<typeof Remark>): NewRemark => ({
  path: remark.path,
  body: remark.body,
  line: remark.line ?? undefined,
  side: remark.side ?? undefined,
  startLine: remark.start_line ?? undefined,
  startSide: remark.start_side ?? undefined,
  position: remark.position ?? undefined,
});

const commentOf = (request: RepositoryRequest): ReviewComment =>
  findReviewComment(request.repository, numberParam(request, 'id'));

const pullWith = ({ repository }: RepositoryRequest, { pullNumber }: ReviewComment): PullRequest =>
  findPull(repository, pullNumber);

/** The comment in the requested media type. */
async function present(
  { services, repository, bodies }: RepositoryRequest,
  comment: ReviewComment,
  facts: PullFacts,
) {
  const thread = threadOf(repository, comment);
  const placement = await placementOf(repository, thread, facts);
  const payload = reviewCommentPayload(services.world, repository, comment, thread, placement);
  return withBodies(payload, bodies, services.world, repository);
}

const presentOne = async (request: RepositoryRequest, comment: ReviewComment) =>
  present(request, comment, await pullFacts(request.repository, pullWith(request, comment)));

/** Those of one pull request. */
export function listComments(
  request: RepositoryRequest,
  select: (comment: ReviewComment) => boolean,
) {
  const { number } = pullOf(request);
  return listAll(request, (one) => one.pullNumber === number && select(one));
}

async function listAll(request: RepositoryRequest, select: (comment: ReviewComment) => boolean) {
  const { repository, query } = request;
  const { since = '', sort, direction } = query;
  const comments = repository.reviewComments
    .filter(select)
    .filter((one) => one.updatedAt >= since)
    .toSorted((one, other) =>
      sort === 'updated' && one.updatedAt !== other.updatedAt
        ? Date.parse(one.updatedAt) - Date.parse(other.updatedAt)
        : one.id - other.id,
    );
  if (sort !== undefined && direction === 'desc') comments.reverse();
  const payloads = await Promise.all(comments.map((comment) => presentOne(request, comment)));
  return page(request, payloads, (payload) => payload);
}

async function create(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const issue = pullOf(request);
  const answer = NewReply.safeParse(request.body);
  if (answer.success)
    return answerTo(request, findReviewComment(repository, answer.data.in_reply_to));
  const wanted = parseBody(NewComment, request.body);
  const comment = await addReviewComment(services, repository, user, issue, {
    ...remarkOf(wanted),
    commitSha: wanted.commit_id,
    ofFile: wanted.subject_type === 'file',
  });
  return created(await presentOne(request, comment));
}

async function answerTo(request: RepositoryRequest, to: ReviewComment) {
  const { services, repository, user } = request;
  const issue = pullOf(request);
  if (to.pullNumber !== issue.number)
    throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  const { body } = parseBody(CommentBody, request.body);
  return created(
    await presentOne(request, await reply(services, repository, user, issue, to, body)),
  );
}

/** A comment may be changed by its author and by people with write access. */
function checkMayChange({ repository, user }: RepositoryRequest, comment: ReviewComment): void {
  if (user.id === comment.author.id || user.type === 'Bot') return;
  if (!hasRole(repository, user, 'write'))
    throw new GitHubError('texts-of-others', 403, 'Must have admin rights to Repository.');
}

async function edit(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const comment = commentOf(request);
  checkMayChange(request, comment);
  const { body } = parseBody(CommentBody, request.body);
  editReviewComment(services, repository, user, pullWith(request, comment), comment, body);
  return ok(await presentOne(request, comment));
}

function remove(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const comment = commentOf(request);
  checkMayChange(request, comment);
  deleteReviewComment(services, repository, user, pullWith(request, comment), comment);
  return noContent;
}

const permission = 'pull_requests:read';
const write = 'pull_requests:write';

export const reviewCommentRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    path: '/pulls/comments',
    permission,
    handle: (request) => listAll(request, () => true),
  },
  {
    method: 'GET',
    path: '/pulls/comments/:id',
    permission,
    handle: async (request) => ok(await presentOne(request, commentOf(request))),
  },
  { method: 'PATCH', path: '/pulls/comments/:id', permission: write, handle: edit },
  { method: 'DELETE', path: '/pulls/comments/:id', permission: write, handle: remove },
  {
    method: 'GET',
    path: '/pulls/:number/comments',
    permission,
    handle: (request) => listComments(request, () => true),
  },
  { method: 'POST', path: '/pulls/:number/comments', permission: write, handle: create },
  {
    method: 'POST',
    path: '/pulls/:number/comments/:id/replies',
    permission: write,
    handle: (request) => answerTo(request, commentOf(request)),
  },
];

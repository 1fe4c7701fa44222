import { z } from 'zod';
import { hunkOf, submitReview } from '../actions/reviews.ts';
import { GitHubError } from '../github-error.ts';
import { withBodies } from '../payloads/body.ts';
import { reviewCommentPayload, reviewPayload } from '../payloads/review.ts';
import { pullFacts } from '../git/pull.ts';
import type { Review, ReviewComment } from '../state.ts';
import { pullOf } from './pulls.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { numberParam, ok, page, parseBody } from './route.ts';

const ReviewBody = z.object({
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  body: z.string().optional(),
  comments: z
    .array(z.object({ path: z.string(), line: z.number().int().positive(), body: z.string() }))
    .optional(),
});

function reviewsOf(request: RepositoryRequest) {
  const { number } = pullOf(request);
  return request.repository.reviews.filter((one) => one.pullNumber === number);
}

function findReview(request: RepositoryRequest) {
  const id = numberParam(request, 'id');
  const review = reviewsOf(request).find((one) => one.id === id);
  if (review === undefined) throw new GitHubError(404, 'Not Found');
  return review;
}

/** The review in the requested media type. */
const present = ({ services, repository, bodies }: RepositoryRequest, review: Review) =>
  withBodies(reviewPayload(services.world, repository, review), bodies, services.world, repository);

async function create(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const wanted = parseBody(ReviewBody, request.body);
  const review = await submitReview(services, repository, user, pullOf(request), wanted);
  return ok(present(request, review));
}

async function listComments(
  request: RepositoryRequest,
  select: (comment: ReviewComment) => boolean,
) {
  const { services, repository } = request;
  const pull = pullOf(request);
  const facts = await pullFacts(repository, pull);
  const comments = repository.reviewComments
    .filter((one) => one.pullNumber === pull.number)
    .filter(select);
  return page(request, comments, (comment) =>
    withBodies(
      reviewCommentPayload(services.world, repository, comment, hunkOf(facts, comment.path)),
      request.bodies,
      services.world,
      repository,
    ),
  );
}

const read = 'pull_requests:read';

export const reviewRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    path: '/pulls/:number/reviews',
    permission: read,
    handle: (request) => page(request, reviewsOf(request), (review) => present(request, review)),
  },
  {
    method: 'POST',
    path: '/pulls/:number/reviews',
    permission: 'pull_requests:write',
    handle: create,
  },
  {
    method: 'GET',
    path: '/pulls/:number/reviews/:id',
    permission: read,
    handle: (request) => ok(present(request, findReview(request))),
  },
  {
    method: 'GET',
    path: '/pulls/:number/reviews/:id/comments',
    permission: read,
    handle: (request) => {
      const { id } = findReview(request);
      return listComments(request, (comment) => comment.reviewId === id);
    },
  },
  {
    method: 'GET',
    path: '/pulls/:number/comments',
    permission: read,
    handle: (request) => listComments(request, () => true),
  },
];

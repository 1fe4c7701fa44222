import { z } from 'zod';
import { dismissReview, editReview, submitReview } from '../actions/reviews.ts';
import { GitHubError } from '../github-error.ts';
import { withBodies } from '../payloads/body.ts';
import { reviewPayload } from '../payloads/review.ts';
import type { Review } from '../state.ts';
import { pullOf } from './pulls.ts';
import { listComments, Remark, remarkOf } from './review-comments.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { numberParam, ok, page, parseBody } from './route.ts';

const ReviewBody = z.object({
  event: z.enum(['APPROVE', 'REQUEST_CHANGES', 'COMMENT']),
  body: z.string().nullish(),
  commit_id: z.string().nullish(),
  comments: z.array(Remark).nullish(),
});

function reviewsOf(request: RepositoryRequest) {
  const { number } = pullOf(request);
  return request.repository.reviews.filter((one) => one.pullNumber === number);
}

function findReview(request: RepositoryRequest) {
  const id = numberParam(request, 'id');
  const review = reviewsOf(request).find((one) => one.id === id);
  if (review === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return review;
}

/** The review in the requested media type. */
const present = ({ services, repository, bodies }: RepositoryRequest, review: Review) =>
  withBodies(reviewPayload(services.world, repository, review), bodies, services.world, repository);

async function create(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const wanted = parseBody(ReviewBody, request.body);
  const review = await submitReview(services, repository, user, pullOf(request), {
    event: wanted.event,
    body: wanted.body ?? undefined,
    commitSha: wanted.commit_id ?? undefined,
    comments: wanted.comments?.map(remarkOf),
  });
  return ok(present(request, review));
}

function edit(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const review = findReview(request);
  const { body } = parseBody(z.object({ body: z.string() }), request.body);
  if (user.id !== review.author.id)
    throw new GitHubError('texts-of-others', 403, 'Must have admin rights to Repository.');
  editReview(services, repository, user, pullOf(request), review, body);
  return ok(present(request, review));
}

function dismiss(request: RepositoryRequest) {
  const { services, repository, user } = request;
  const review = findReview(request);
  parseBody(z.object({ message: z.string().min(1) }), request.body);
  dismissReview(services, repository, user, pullOf(request), review);
  return ok(present(request, review));
}

const permission = 'pull_requests:read';
const write = 'pull_requests:write';
const path = '/pulls/:number/reviews';

export const reviewRoutes: readonly RepositoryRoute[] = [
  {
    method: 'GET',
    path,
    permission,
    handle: (request) => page(request, reviewsOf(request), (review) => present(request, review)),
  },
  { method: 'POST', path, permission: write, handle: create },
  {
    method: 'GET',
    path: `${path}/:id`,
    permission,
    handle: (request) => ok(present(request, findReview(request))),
  },
  { method: 'PUT', path: `${path}/:id`, permission: write, handle: edit },
  {
    method: 'PUT',
    path: `${path}/:id/dismissals`,
    permission: write,
    role: 'write',
    handle: dismiss,
  },
  {
    method: 'GET',
    path: `${path}/:id/comments`,
    permission,
    handle: (request) => {
      const { id } = findReview(request);
      return listComments(request, (comment) => comment.reviewId === id);
    },
  },
];

// What people do with pull requests.
import type { z } from 'zod';
import type { Arrival, ReviewVerdict } from '../contracts/intent.ts';
import { issueOf } from '../session/github-names.ts';
import { PullRequest, Review } from './payload.ts';
import { eventReader, factReader, type EventReader } from './reader.ts';

const VERDICTS: ReadonlyMap<string, ReviewVerdict> = new Map([
  ['approved', 'approved'],
  ['changes_requested', 'changes_requested'],
  ['commented', 'commented'],
]);

export const PULL_REQUEST_EVENTS: readonly EventReader[] = [
  factReader({
    name: 'pull_request.closed',
    shape: { pull_request: PullRequest },
    read: ({ pull_request: pullRequest }) => ({
      thread: threadOf(pullRequest),
      meaning: `pull_request_closed:${pullRequest.node_id}:${pullRequest.closed_at}`,
      intent: {
        kind: 'pull_request_closed',
        pullRequest: pullRequest.number,
        merged: pullRequest.merged === true,
      },
    }),
  }),

  factReader({
    name: 'pull_request.reopened',
    shape: { pull_request: PullRequest },
    read: ({ pull_request: pullRequest }) => ({
      thread: threadOf(pullRequest),
      meaning: `pull_request_reopened:${pullRequest.node_id}:${pullRequest.updated_at}`,
      intent: { kind: 'pull_request_reopened', pullRequest: pullRequest.number },
    }),
  }),

  eventReader({
    name: 'pull_request_review.submitted',
    shape: { review: Review, pull_request: PullRequest },
    nothing: 'the review has no verdict that counts.',
    read: ({ review, pull_request: pullRequest }) => {
      const verdict = VERDICTS.get(review.state.toLowerCase());
      if (verdict === undefined) return undefined;
      return {
        thread: threadOf(pullRequest),
        meaning: `review:${review.node_id}:${review.submitted_at}`,
        intent: {
          kind: 'review',
          pullRequest: pullRequest.number,
          reviewId: review.id,
          verdict,
          body: review.body ?? '',
        },
      };
    },
  }),
];

/**
 * A pull request, with the issue that its branch is for. The name of a fork's branch proves nothing: anyone can
 * choose it.
 */
function threadOf({ number, head, base }: z.output<typeof PullRequest>): Arrival['thread'] {
  const issue = head.repo?.id === base.repo.id ? issueOf(head.ref) : undefined;
  return { on: 'pull_request', number, ...(issue === undefined ? {} : { issue }) };
}

// What people do with pull requests.
import type { Arrival, ReviewVerdict } from '../contracts/intent.ts';
import { issueOf } from '../session/github-names.ts';
import { eventReader, factReader, type EventReader } from './reader.ts';

const VERDICTS: ReadonlyMap<string, ReviewVerdict> = new Map([
  ['approved', 'approved'],
  ['changes_requested', 'changes_requested'],
  ['commented', 'commented'],
]);

export const PULL_REQUEST_EVENTS: readonly EventReader[] = [
  factReader('pull_request.closed', ({ pull_request: pullRequest }) => ({
    thread: threadOf(pullRequest),
    meaning: `pull_request_closed:${pullRequest.node_id}:${pullRequest.closed_at}`,
    intent: {
      kind: 'pull_request_closed',
      pullRequest: pullRequest.number,
      merged: pullRequest.merged === true,
    },
  })),

  factReader('pull_request.reopened', ({ pull_request: pullRequest }) => ({
    thread: threadOf(pullRequest),
    meaning: `pull_request_reopened:${pullRequest.node_id}:${pullRequest.updated_at}`,
    intent: { kind: 'pull_request_reopened', pullRequest: pullRequest.number },
  })),

  eventReader('pull_request_review.submitted', ({ review, pull_request: pullRequest }) => {
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
  }),
];

interface PullRequest {
  readonly number: number;
  readonly head: { readonly ref: string; readonly repo: { readonly id: number } | null };
  readonly base: { readonly repo: { readonly id: number } };
}

/**
 * A pull request, with the issue that its branch is for. The name of a fork's branch proves nothing: anyone can
 * choose it.
 */
function threadOf({ number, head, base }: PullRequest): Arrival['thread'] {
  const issue = head.repo?.id === base.repo.id ? issueOf(head.ref) : undefined;
  return { on: 'pull_request', number, ...(issue === undefined ? {} : { issue }) };
}

// What people do with pull requests.
import type { Arrival, ReviewVerdict } from '../contracts/intent.ts';
import { issueOf } from '../session/github-names.ts';
import { common, eventReader, fact } from './reader.ts';

export const pullRequestClosed = eventReader('pull_request.closed', (payload) => {
  const { pull_request: pullRequest } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: pullRequestThread(pullRequest),
    meaning: `pull_request_closed:${pullRequest.node_id}:${pullRequest.closed_at}`,
    intent: {
      kind: 'pull_request_closed',
      pullRequest: pullRequest.number,
      merged: pullRequest.merged === true,
    },
  };
});

export const pullRequestReopened = eventReader('pull_request.reopened', (payload) => {
  const { pull_request: pullRequest } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: pullRequestThread(pullRequest),
    meaning: `pull_request_reopened:${pullRequest.node_id}:${pullRequest.updated_at}`,
    intent: { kind: 'pull_request_reopened', pullRequest: pullRequest.number },
  };
});

const VERDICTS: ReadonlyMap<string, ReviewVerdict> = new Map([
  ['approved', 'approved'],
  ['changes_requested', 'changes_requested'],
  ['commented', 'commented'],
]);

export const pullRequestReviewSubmitted = eventReader(
  'pull_request_review.submitted',
  (payload) => {
    const { review, pull_request: pullRequest } = payload;
    const from = common(payload);
    const verdict = VERDICTS.get(review.state.toLowerCase());
    if (from === undefined || verdict === undefined) return undefined;
    return {
      ...from,
      thread: pullRequestThread(pullRequest),
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
);

interface PullRequest {
  readonly number: number;
  readonly head: { readonly ref: string; readonly repo: { readonly id: number } | null };
  readonly base: { readonly repo: { readonly id: number } };
}

/**
 * A pull request, with the issue that its branch is for. A branch of a fork says nothing: anybody may
 * give it any name.
 */
function pullRequestThread({ number, head, base }: PullRequest): Arrival['thread'] {
  const issue = head.repo?.id === base.repo.id ? issueOf(head.ref) : undefined;
  return { on: 'pull_request', number, ...(issue === undefined ? {} : { issue }) };
}

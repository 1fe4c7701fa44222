import type { ReviewVerdict } from '../session/entries/intent.ts';
import { pullRequestThread } from './pull-request-thread.ts';
import { common, eventReader } from './reader.ts';

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

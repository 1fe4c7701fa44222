import { pullRequestThread } from './pull-request-thread.ts';
import { eventReader, fact } from './reader.ts';

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

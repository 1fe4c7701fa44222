import { pullRequestThread } from './pull-request-thread.ts';
import { eventReader, fact } from './reader.ts';

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

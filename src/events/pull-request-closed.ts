import { common, eventReader } from './reader.ts';

/** Closed by anybody, bots included: a merge queue's merge is a merge. */
export const pullRequestClosed = eventReader('pull_request.closed', (payload) => {
  const { pull_request: pullRequest, sender } = payload;
  const from = common({ ...payload, sender: { id: sender.id, login: sender.login } });
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'pull_request', number: pullRequest.number },
    meaning: `pull_request_closed:${pullRequest.node_id}:${pullRequest.closed_at}`,
    intent: {
      kind: 'pull_request_closed',
      pullRequest: pullRequest.number,
      merged: pullRequest.merged === true,
    },
  };
});

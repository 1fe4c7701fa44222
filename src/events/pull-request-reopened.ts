import { common, eventReader } from './reader.ts';

export const pullRequestReopened = eventReader('pull_request.reopened', (payload) => {
  const { pull_request: pullRequest, sender } = payload;
  const from = common({ ...payload, sender: { id: sender.id, login: sender.login } });
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'pull_request', number: pullRequest.number },
    meaning: `pull_request_reopened:${pullRequest.node_id}:${pullRequest.updated_at}`,
    intent: { kind: 'pull_request_reopened', pullRequest: pullRequest.number },
  };
});

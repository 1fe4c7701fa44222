import { common, eventReader } from './reader.ts';

/** Closed by anybody, bots included: the work on it is over either way. */
export const issuesClosed = eventReader('issues.closed', (payload) => {
  const { issue, sender } = payload;
  const from = common({ ...payload, sender: { id: sender.id, login: sender.login } });
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_closed:${issue.node_id}:${issue.updated_at}`,
    intent: { kind: 'issue_closed' },
  };
});

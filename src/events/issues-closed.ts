import { eventReader, fact } from './reader.ts';

export const issuesClosed = eventReader('issues.closed', (payload) => {
  const { issue } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_closed:${issue.node_id}:${issue.updated_at}`,
    intent: { kind: 'issue_closed', at: issue.updated_at },
  };
});

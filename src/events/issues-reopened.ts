import { eventReader, fact } from './reader.ts';

export const issuesReopened = eventReader('issues.reopened', (payload) => {
  const { issue } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_reopened:${issue.node_id}:${issue.updated_at}`,
    intent: { kind: 'issue_reopened', at: issue.updated_at },
  };
});

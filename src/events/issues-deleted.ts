import { eventReader, fact } from './reader.ts';

export const issuesDeleted = eventReader('issues.deleted', (payload) => {
  const { issue } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_gone:${issue.node_id}`,
    intent: { kind: 'issue_gone' },
  };
});

import { eventReader, fact } from './reader.ts';

/** The issue is in another repository now, under another number. */
export const issuesTransferred = eventReader('issues.transferred', (payload) => {
  const { issue, changes } = payload;
  const from = fact(payload);
  if (from === undefined) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `issue_gone:${issue.node_id}`,
    intent: { kind: 'issue_gone', movedTo: changes.new_issue.html_url },
  };
});

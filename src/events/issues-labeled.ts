import { common, eventReader } from './reader.ts';
import { labelledAt } from './label.ts';

/** A person labelled an issue. Which label starts work is a setting of the repository: asked later. */
export const issuesLabeled = eventReader('issues.labeled', (payload) => {
  const { issue, label } = payload;
  const from = common(payload);
  if (from === undefined || label === undefined) return undefined;
  if (issue.pull_request !== undefined || issue.state === 'closed') return undefined;
  return { ...from, ...labelledAt(issue, label.name) };
});

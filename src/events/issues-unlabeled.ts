import { QUESTION_LABEL } from '../session/github-names.ts';
import { eventReader, fact } from './reader.ts';

/** A label is gone from an issue. Whether it is the one that started the work is asked later; our own says nothing. */
export const issuesUnlabeled = eventReader('issues.unlabeled', (payload) => {
  const { issue, label } = payload;
  const from = fact(payload);
  if (from === undefined || label === undefined || label.name === QUESTION_LABEL) return undefined;
  return {
    ...from,
    thread: { on: 'issue', number: issue.number },
    meaning: `unlabeled:${issue.node_id}:${label.name}:${issue.updated_at}`,
    intent: { kind: 'unlabeled', label: label.name },
  };
});

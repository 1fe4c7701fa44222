import { common, eventReader } from './reader.ts';

export const issueCommentCreated = eventReader('issue_comment.created', (payload) => {
  const { issue, comment } = payload;
  const from = common(payload);
  if (from === undefined) return undefined;
  const on = issue.pull_request === undefined ? 'issue' : 'pull_request';
  return {
    ...from,
    thread: { on, number: issue.number },
    meaning: `comment:${comment.node_id}:${comment.updated_at}`,
    intent: { kind: 'comment', on, commentId: comment.id, body: comment.body },
  };
});

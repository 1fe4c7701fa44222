import { namesApp } from '../session/asks.ts';
import { common, eventReader } from './reader.ts';

export const issueCommentCreated = eventReader('issue_comment.created', (payload) => {
  const { issue, comment } = payload;
  const from = common(payload);
  if (from === undefined) return undefined;
  const on = issue.pull_request === undefined ? 'issue' : 'pull_request';
  const addressed = namesApp(comment.body, undefined);
  const { title, body } = issue;
  const thread = { title, body: body ?? '', isOpen: issue.state === 'open' };
  return {
    ...from,
    thread: { on, number: issue.number },
    meaning: `comment:${comment.node_id}:${comment.updated_at}`,
    intent: {
      kind: 'comment',
      on,
      commentId: comment.id,
      body: comment.body,
      at: comment.created_at,
      ...(issue.user !== null && issue.user.id === comment.user?.id ? { byAuthor: true } : {}),
      ...(addressed ? { addressed, thread } : {}),
    },
  };
});

import { requestReply } from '../../session/texts/next-step.ts';
import type { CommentToPublish, View } from './publication.ts';

/** What people asked for is answered where they asked, once for each run that ended, whatever began since. */
export const requestReplies = ({ session: { requests } }: View): CommentToPublish[] =>
  requests.replies.map((reply) => ({
    key: `reply:${reply.run}:${reply.received}`,
    body: requestReply(reply),
    mention: reply.logins,
    issue: reply.on,
  }));

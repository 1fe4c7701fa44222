// Conditional requests. GitHub's ETags belong to the token that asks: another token gets another ETag for the same answer, and never
// a 304 for the ETag of the first (GitHub Support in eclipse-csi/otterdog#201; github/docs#34689 for tokens of installations;
// seart-group/ghs#52).
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RestAnswer } from './rest/route.ts';

/** Names the answer for the one who asked, and says whether that one has it already. */
export function isUnchanged(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { status, body }: RestAnswer,
): boolean {
  if (status !== 200 || typeof body !== 'object') return false;
  const [, token = ''] = (headers.authorization ?? '').split(/\s+/, 2);
  const digest = createHash('sha256')
    .update(`${token}\n${JSON.stringify(body)}`)
    .digest('hex');
  const etag = `W/"${digest}"`;
  reply.header('etag', etag);
  return headers['if-none-match'] === etag;
}

// Conditional requests.
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
  // See rule `etag-of-a-token`.
  const token = headers.authorization?.split(/\s+/, 2)[1];
  const digest = createHash('sha256')
    .update(`${token}\n${JSON.stringify(body)}`)
    .digest('hex');
  const etag = `W/"${digest}"`;
  reply.header('etag', etag);
  return headers['if-none-match'] === etag;
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeliveryAnswer, SignedDelivery } from '../contracts/delivery.ts';
import { answer } from './answers.ts';

const WEBHOOK_PATH = '/api/github/webhooks';

/** Verifies and handles a delivery. */
export type ReceiveDelivery = (delivery: SignedDelivery) => Promise<DeliveryAnswer>;

const HEADERS = {
  id: 'x-github-delivery',
  event: 'x-github-event',
  signature: 'x-hub-signature-256',
} as const;

/** The bytes are passed on unchanged, because the signature covers the bytes. */
export function serveWebhook(
  server: FastifyInstance,
  receive: ReceiveDelivery,
  bodyLimit: number,
): void {
  void server.register(async (scope) => {
    scope.addContentTypeParser<Buffer>(
      'application/json',
      { parseAs: 'buffer' },
      (_request, body, done) => done(null, body),
    );
    scope.post<{ Body: Buffer | undefined }>(
      WEBHOOK_PATH,
      { bodyLimit, onRequest: requireHeaders },
      async (request, reply) => {
        const { status, message } = await receive({
          id: headerOf(request, HEADERS.id),
          event: headerOf(request, HEADERS.event),
          signature: headerOf(request, HEADERS.signature),
          rawBody: request.body ?? Buffer.alloc(0),
        });
        return answer(reply, status, message);
      },
    );
  });
}

/** Checked before the body is read, so that strangers cannot fill the memory. */
async function requireHeaders(request: FastifyRequest, reply: FastifyReply) {
  const missing = Object.values(HEADERS).find((name) => headerOf(request, name) === '');
  if (missing === undefined) return undefined;
  void reply.header('connection', 'close');
  return answer(reply, 400, `The header ${missing} is missing.`);
}

function headerOf({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

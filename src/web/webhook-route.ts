import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { answer } from './answers.ts';

const WEBHOOK_PATH = '/api/github/webhooks';

/** One delivery as received; nothing is verified yet. */
export interface WebhookRequest {
  /** `X-GitHub-Delivery` */
  readonly id: string;
  /** `X-GitHub-Event` */
  readonly event: string;
  /** `X-Hub-Signature-256` */
  readonly signature: string;
  readonly rawBody: Buffer;
}

/** The HTTP status to answer with, and a message for the sender. */
interface WebhookAnswer {
  readonly status: number;
  readonly message: string;
}

export type ReceiveWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;

const HEADERS = {
  id: 'x-github-delivery',
  event: 'x-github-event',
  signature: 'x-hub-signature-256',
} as const;

/** The bytes are passed on unchanged, because the signature covers the bytes. */
export function serveWebhook(
  server: FastifyInstance,
  receive: ReceiveWebhook,
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
      { bodyLimit, onRequest: refuseWithoutHeaders },
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
async function refuseWithoutHeaders(request: FastifyRequest, reply: FastifyReply) {
  const missing = Object.values(HEADERS).find((name) => headerOf(request, name) === '');
  if (missing === undefined) return undefined;
  void reply.header('connection', 'close');
  return answer(reply, 400, `The header ${missing} is missing.`);
}

function headerOf({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

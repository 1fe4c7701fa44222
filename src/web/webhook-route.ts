import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { DeliveryAnswer, RawDelivery, SignatureCheck } from '../contracts/delivery.ts';
import { measured, type Measurements } from '../lib/measurements.ts';
import { answer, MESSAGES } from './answers.ts';
import type { UnverifiedBodies, UnverifiedBody } from './unverified-bodies.ts';

export const WEBHOOK_PATH = '/api/github/webhooks';
const RETRY_AFTER_SECONDS = 30;
/** Senders fill packets. Each piece takes time, and the service answers nobody else meanwhile. */
const MOST_SMALL_PIECES = 512;
const BYTES_OF_A_PIECE = 64;
const IN_PIECES = 'The body was sent in too many small pieces.';
const COMPRESSED = 'The body must not be compressed: send it without a Content-Encoding.';

export interface Webhooks {
  /** Checks a signature while its body arrives. */
  checkSignature(signature: string): SignatureCheck;
  /** Handles a delivery whose signature is valid. */
  receive(delivery: RawDelivery): Promise<DeliveryAnswer>;
}

interface WebhookLimits {
  readonly bodies: UnverifiedBodies;
  readonly maxBodyBytes: number;
}

const HEADERS = {
  id: 'x-github-delivery',
  event: 'x-github-event',
  signature: 'x-hub-signature-256',
} as const;

/** Reads bodies within the limits, and passes on those whose signature is valid. */
export function serveWebhook(
  server: FastifyInstance,
  webhooks: Webhooks,
  limits: WebhookLimits,
  log: Logger,
): void {
  void server.register(async (scope) => {
    // The handler reads the stream itself.
    scope.addContentTypeParser('application/json', (_request, stream, done) => done(null, stream));
    const onRequest = rejectEarly(limits.maxBodyBytes);
    const signed = new WeakSet<FastifyRequest>();
    scope.addHook('onResponse', async (request, { statusCode }) =>
      measured('delivery', { outcome: outcomeOf(statusCode, signed.has(request)) }),
    );
    scope.post(WEBHOOK_PATH, { onRequest }, async (request, reply) => {
      const delivery = {
        id: headerOf(request, HEADERS.id),
        event: headerOf(request, HEADERS.event),
      };
      const check = webhooks.checkSignature(headerOf(request, HEADERS.signature));
      const arrived = await readBody(request.raw, check, limits);
      if (typeof arrived === 'number') return rejectBody(reply, arrived);
      if (!check.isValid()) {
        arrived.drop();
        log.warn(
          { delivery: delivery.id, event: delivery.event },
          'received an invalid webhook: its signature does not match WEBHOOK_SECRET',
        );
        return answer(reply, 401, MESSAGES[401]);
      }
      signed.add(request);
      const { status, message } = await webhooks.receive({ ...delivery, rawBody: arrived.take() });
      return answer(reply, status, message);
    });
  });
}

/** Only a signed webhook counts as failed, or strangers could alarm the operator. */
function outcomeOf(status: number, isSigned: boolean): Measurements['delivery']['outcome'] {
  if (status < 400) return 'accepted';
  if (status < 500) return 'invalid';
  return isSigned ? 'failed' : 'dropped';
}

/** Rejects what cannot be a delivery before its body is read. */
const rejectEarly =
  (maxBodyBytes: number) => async (request: FastifyRequest, reply: FastifyReply) => {
    const missing = Object.values(HEADERS).find((name) => headerOf(request, name) === '');
    const isTooLarge = Number(request.headers['content-length'] ?? 0) > maxBodyBytes;
    const isSigned = /^sha256=[\da-f]{64}$/.test(headerOf(request, HEADERS.signature));
    const { 'content-encoding': encoding = 'identity' } = request.headers;
    const isPlain = encoding === 'identity';
    if (missing === undefined && !isTooLarge && isSigned && isPlain) return undefined;
    void reply.header('connection', 'close');
    if (missing !== undefined) return answer(reply, 400, `The header ${missing} is missing.`);
    if (isTooLarge) return answer(reply, 413, MESSAGES[413]);
    return isSigned ? answer(reply, 415, COMPRESSED) : answer(reply, 401, MESSAGES[401]);
  };

/** The rest of the body is not read. */
function rejectBody(reply: FastifyReply, status: 400 | 413 | 503): FastifyReply {
  void reply.header('connection', 'close');
  if (status === 503) void reply.header('retry-after', RETRY_AFTER_SECONDS);
  return answer(reply, status, status === 400 ? IN_PIECES : MESSAGES[status]);
}

/** Resolves with the whole body, whose memory is counted until it is taken, or with a status. */
function readBody(
  stream: IncomingMessage,
  check: SignatureCheck,
  { bodies, maxBodyBytes }: WebhookLimits,
): Promise<UnverifiedBody | 400 | 413 | 503> {
  return new Promise((resolve) => {
    let isStopped = false;
    const stop = (status: 400 | 413 | 503): void => {
      isStopped = true;
      body.drop();
      resolve(status);
    };
    const body = bodies.open(() => stop(503));
    // It stays when the body is stopped: without a listener, the stream would store what still comes.
    const onData = (chunk: Buffer): void => {
      if (isStopped) return;
      if (body.size + chunk.length > maxBodyBytes) return stop(413);
      if (body.pieces > MOST_SMALL_PIECES + body.size / BYTES_OF_A_PIECE) {
        stream.socket.pause();
        return stop(400);
      }
      check.update(chunk);
      body.add(chunk);
    };
    const onBroken = (): void => stop(400);
    stream.on('data', onData);
    stream.once('error', onBroken);
    stream.once('close', onBroken);
    stream.once('end', () => {
      stream.off('close', onBroken);
      resolve(body);
    });
  });
}

function headerOf({ headers }: FastifyRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

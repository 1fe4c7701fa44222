import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { DeliveryAnswer, RawDelivery, SignatureCheck } from '../contracts/delivery.ts';
import { measured, type Measurements } from '../lib/measurements.ts';
import { answer, MESSAGES } from './answers.ts';

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

// The memory that senders may fill before their signatures are checked, of all connections together.

/** What a chunk that is kept costs besides its bytes. */
const CHUNK_OVERHEAD = 512;
/** Shorter chunks are copied into blocks: each by itself would take kilobytes outside of its bytes. */
const LEAST_KEPT = 4096;
const BLOCK = 32 * 1024;

/** A body that is arriving. */
export interface UnverifiedBody {
  /** The bytes so far, without overhead. */
  readonly size: number;
  /** How often bytes were added. */
  readonly pieces: number;
  /** May end this or other bodies to make room. */
  add(chunk: Buffer): void;
  /** The whole body. Its memory is no longer counted. */
  take(): Buffer;
  /** Drops the body. Safe to repeat. */
  drop(): void;
}

interface HeldBody {
  readonly since: number;
  readonly end: () => void;
  chunks: Buffer[];
  /** The block that small chunks are copied into, and how much of it is used. */
  block: Buffer | undefined;
  used: number;
  size: number;
  pieces: number;
  cost: number;
}

/**
 * A limit for all bodies together. When it is reached, the body that has used the most memory for the longest
 * time (bytes × age) is ended: a genuine delivery is small and arrives at once, so strangers who hold memory
 * lose theirs first.
 */
export class UnverifiedBodies {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #bodies = new Set<HeldBody>();
  #cost = 0;

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** The bytes that all bodies take now. Never more than the limit. */
  get cost(): number {
    return this.#cost;
  }

  /** `end` is called if the body is ended to make room. */
  open(end: () => void): UnverifiedBody {
    const nothing = { chunks: [], block: undefined, used: 0, size: 0, pieces: 0, cost: 0 };
    const body: HeldBody = { since: this.#now(), end, ...nothing };
    this.#bodies.add(body);
    return {
      get size() {
        return body.size;
      },
      get pieces() {
        return body.pieces;
      },
      add: (chunk) => this.#add(body, chunk),
      take: () => {
        closeBlock(body);
        const whole = Buffer.concat(body.chunks);
        this.#drop(body);
        return whole;
      },
      drop: () => this.#drop(body),
    };
  }

  #add(body: HeldBody, chunk: Buffer): void {
    if (!this.#bodies.has(body)) return;
    const isKept = chunk.length >= LEAST_KEPT;
    const hasRoom = !isKept && body.block !== undefined && body.used + chunk.length <= BLOCK;
    if (!hasRoom && !this.#hold(body, (isKept ? chunk.length : BLOCK) + CHUNK_OVERHEAD)) return;
    if (!hasRoom) closeBlock(body);
    if (isKept) body.chunks.push(chunk);
    else copyInto(body, chunk);
    body.size += chunk.length;
    body.pieces += 1;
  }

  /** Whether the body is still there once there was room for more of it. */
  #hold(body: HeldBody, cost: number): boolean {
    while (this.#cost + cost > this.#limit && this.#bodies.has(body)) this.#endWorst(body);
    if (!this.#bodies.has(body)) return false;
    body.cost += cost;
    this.#cost += cost;
    return true;
  }

  #endWorst(newest: HeldBody): void {
    const now = this.#now();
    let worst = newest;
    let most = -1;
    for (const body of this.#bodies) {
      const use = body.cost * (now - body.since);
      if (body.cost === 0 || use <= most) continue;
      worst = body;
      most = use;
    }
    this.#drop(worst);
    worst.end();
  }

  #drop(body: HeldBody): void {
    if (!this.#bodies.delete(body)) return;
    this.#cost -= body.cost;
    body.chunks = [];
    body.block = undefined;
  }
}

function copyInto(body: HeldBody, chunk: Buffer): void {
  body.block ??= Buffer.allocUnsafeSlow(BLOCK);
  body.used += chunk.copy(body.block, body.used);
}

function closeBlock(body: HeldBody): void {
  if (body.block !== undefined) body.chunks.push(body.block.subarray(0, body.used));
  body.block = undefined;
  body.used = 0;
}

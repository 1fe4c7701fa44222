// What can become of an answer on its way from a server of the playground to its client.
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Each happens to a request that has taken effect. */
export type Distortion =
  /** Another answer comes. */
  | {
      readonly kind: 'replaced';
      readonly status: number;
      /** A text, or what is sent as JSON. */
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection is closed without an answer. */
  | { readonly kind: 'reset' }
  /** The connection is closed in the middle of the body. */
  | { readonly kind: 'cut' }
  /** The body comes in small pieces. */
  | { readonly kind: 'dripping'; readonly overMs: number }
  /** Nothing comes, and the connection is closed after that time. */
  | { readonly kind: 'silent'; readonly forMs: number }
  /** This many bytes come before the end of the body. */
  | { readonly kind: 'huge'; readonly bytes: number };

export interface DistortionOrder {
  readonly how: Distortion;
  readonly matches: (method: string, path: string) => boolean;
  /** So many matching requests are answered first; 0 by default. */
  readonly after?: number;
  /** Infinity: until the server closes. 1 by default. */
  readonly times?: number;
}

/** An order, and how often it was carried out so far. */
export interface Distorted {
  readonly count: number;
  end(): void;
}

interface Pending {
  readonly order: DistortionOrder;
  skipped: number;
  count: number;
  isOver: boolean;
}

const PIECES = 20;
const CHUNK = Buffer.alloc(1024 * 1024, ' ');

export class Distortions {
  readonly #pending: Pending[] = [];
  readonly #closing = new AbortController();

  add(order: DistortionOrder): Distorted {
    const pending: Pending = { order, skipped: 0, count: 0, isOver: false };
    this.#pending.push(pending);
    return {
      get count() {
        return pending.count;
      },
      end: () => void (pending.isOver = true),
    };
  }

  /** Ends what takes its time. */
  close(): void {
    this.#closing.abort();
  }

  /** `pathOf` returns what orders are matched with. */
  install(server: FastifyInstance, pathOf: (request: FastifyRequest) => string): void {
    server.addHook('onSend', async (request, reply, payload) => {
      const how = this.#take(request.method, pathOf(request));
      return how === undefined ? payload : this.#distort(how, request, reply, payload);
    });
  }

  #take(method: string, path: string): Distortion | undefined {
    const due = this.#pending
      .filter(({ isOver, count, order }) => !isOver && count < (order.times ?? 1))
      .filter(({ order }) => order.matches(method, path));
    const [first] = due.filter((one) => (one.skipped += 1) > (one.order.after ?? 0));
    if (first === undefined) return undefined;
    first.count += 1;
    return first.order.how;
  }

  async #distort(
    how: Distortion,
    request: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): Promise<unknown> {
    switch (how.kind) {
      case 'replaced':
        return replaced(how, reply);
      case 'reset':
        request.raw.socket.destroy();
        return payload;
      case 'silent':
        await this.#pause(how.forMs);
        request.raw.socket.destroy();
        return payload;
      case 'cut':
        return cut(await bytesOf(payload), reply);
      case 'dripping':
        return Readable.from(this.#dripped(await bytesOf(payload), how.overMs));
      case 'huge':
        return Readable.from(padded(await bytesOf(payload), how.bytes));
      default:
        return how satisfies never;
    }
  }

  async *#dripped(body: Buffer, overMs: number): AsyncGenerator<Buffer> {
    const size = Math.max(1, Math.ceil(body.length / PIECES));
    for (let at = 0; at < body.length; at += size) {
      await this.#pause(overMs / PIECES);
      yield body.subarray(at, at + size);
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal } = this.#closing;
    await pause(ms, undefined, { signal }).catch(() => {});
  }
}

function replaced(
  { status, body, headers = {} }: Extract<Distortion, { kind: 'replaced' }>,
  reply: FastifyReply,
): string {
  void reply.code(status).headers({ 'content-type': 'application/json', ...headers });
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Announces the whole body, if there is one. */
function cut(body: Buffer, reply: FastifyReply): Readable {
  void reply.header('content-length', Math.max(body.length, 2));
  return Readable.from(firstHalf(body));
}

async function* firstHalf(body: Buffer): AsyncGenerator<Buffer> {
  yield body.length === 0 ? Buffer.from('{') : body.subarray(0, Math.ceil(body.length / 2));
  await pause(1);
  throw new Error('the connection breaks here');
}

/** Blanks after the first line, which every format of the playground's servers allows. */
async function* padded(body: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left);
  yield body;
}

async function bytesOf(payload: unknown): Promise<Buffer> {
  if (payload === undefined || payload === null) return Buffer.alloc(0);
  if (typeof payload === 'string' || payload instanceof Uint8Array) return Buffer.from(payload);
  const chunks: Buffer[] = [];
  for await (const chunk of payload as Readable) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

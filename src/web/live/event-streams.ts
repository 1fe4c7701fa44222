// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HEADERS, sendMistake, send } from '../page-answers.ts';
import { unknownSession } from '../pages/notices.ts';
import { SESSION_ID } from '../session-source.ts';
import type { SessionFeed, Update } from './session-feed.ts';

export interface StreamLimits {
  /** Streams that are open at once. Each costs some 60 KB. */
  readonly most: number;
  /** Of them, those of one person. */
  readonly each: number;
  /** Bytes that wait for a slow reader. */
  readonly pending: number;
  /** Milliseconds after which a stream ends. Its page opens another one, and is asked again whether it may. */
  readonly age: number;
}

const LIMITS: StreamLimits = { most: 300, each: 30, pending: 2_000_000, age: 10 * 60_000 };
/** Proxies close connections on which nothing is said. */
const BEAT_MS = 20_000;
const RETRY_MS = 2000;
const BUSY = 'So many pages are open that this one is not updated now.';

interface Parts {
  readonly feed: SessionFeed;
  readonly isKnown: (request: FastifyRequest, id: string) => Promise<boolean>;
  /** `undefined`: whoever has the operator's token. */
  readonly loginOf: (request: FastifyRequest) => string | undefined;
  readonly mayWrite: (request: FastifyRequest, id: string) => Promise<boolean>;
  readonly limits?: Partial<StreamLimits> | undefined;
}

/** `/sessions/ID/events`: the news of a session after `Last-Event-ID`, or after `?after=`. */
export function serveEvents(
  server: FastifyInstance,
  { feed, isKnown, loginOf, mayWrite, ...parts }: Parts,
): void {
  const limits = { ...LIMITS, ...parts.limits };
  const open = new Map<ServerResponse, string | undefined>();
  const isFull = (login: string | undefined): boolean =>
    open.size >= limits.most ||
    (login !== undefined &&
      [...open.values()].filter((one) => one === login).length >= limits.each);
  const beat = setInterval(
    () => [...open.keys()].forEach((stream) => stream.write(':\n\n')),
    BEAT_MS,
  ).unref();
  server.addHook('preClose', async () => {
    clearInterval(beat);
    for (const stream of open.keys()) stream.end();
  });
  server.get<{ Params: { id: string } }>(
    '/sessions/:id/events',
    // An answer without an end.
    { exposeHeadRoute: false },
    async (request, reply) => {
      const { id } = request.params;
      const after = lastSeenBy(request);
      if (after === undefined || !SESSION_ID.test(id) || !(await isKnown(request, id)))
        return send(reply, 404, unknownSession());
      const isWriter = await mayWrite(request, id);
      const login = loginOf(request);
      if (isFull(login))
        return sendMistake(reply.header('retry-after', RETRY_MS / 1000), 503, BUSY);
      const stream = begin(reply);
      open.set(stream, login);
      const leave = feed.watch(id, after, {
        update: (news) => tell(stream, news, limits.pending),
        end: () => stream.end(),
        mayWrite: isWriter,
      });
      const tooOld = setTimeout(() => stream.end(), limits.age).unref();
      stream.once('close', () => {
        clearTimeout(tooOld);
        leave();
        open.delete(stream);
      });
      return reply;
    },
  );
}

function lastSeenBy({ headers, query }: FastifyRequest): number | undefined {
  const { after } = query as { readonly after?: unknown };
  const given = headers['last-event-id'] ?? after;
  return typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : undefined;
}

function begin(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const stream = reply.raw;
  stream.writeHead(200, {
    ...HEADERS,
    'content-type': 'text/event-stream; charset=utf-8',
    // nginx would collect the events before it sends them.
    'x-accel-buffering': 'no',
  });
  stream.write(`retry: ${RETRY_MS}\n\n`);
  return stream;
}

/** A reader that does not keep up is cut off: it comes back with the last entry that it has. */
function tell(stream: ServerResponse, { seq, html, isLast }: Update, pending: number): void {
  if (stream.writableLength > pending) {
    stream.destroy();
    return;
  }
  stream.write(
    html === undefined
      ? `event: reload\nid: ${seq}\ndata:\n\n`
      : `id: ${seq}\ndata: ${JSON.stringify(html)}\n\n`,
  );
  if (isLast) stream.end();
}

// Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { HEADERS, send, sendMistake, unknownSession } from '../page-answers.ts';
import { SESSION_ID } from '../session-source.ts';
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';

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

interface StreamOptions {
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
  { feed, isKnown, loginOf, mayWrite, ...parts }: StreamOptions,
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

// Tells open pages what is new. However many pages show a session, it is read and rendered once for all of them.

/** What a page that has all up to one entry needs to have all up to `seq`. */
export interface Update {
  readonly seq: number;
  /** A document with the parts that changed; `undefined`: so much is new that the page is better loaded again. */
  readonly html: string | undefined;
  /** Nothing follows until someone asks for more work. */
  readonly isLast: boolean;
}

export interface FeedSource {
  /** The `seq` of the newest entry of each of these sessions, as far as they exist. */
  newest(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** `mayWrite`: for someone with write access. `undefined`: the session was deleted. */
  update(id: string, after: number, mayWrite: boolean): Promise<Update | undefined>;
}

export interface Watcher {
  update(news: Update): void;
  /** The session is gone. */
  end(): void;
  /** It is the page of someone with write access. */
  readonly mayWrite?: boolean;
}

interface Watch {
  readonly watcher: Watcher;
  /** The last entry that it has. */
  after: number;
}

const INTERVAL_MS = 1000;

/** Asks for news of all watched sessions together, once a second, and only while someone watches. */
export class SessionFeed {
  readonly #source: FeedSource;
  readonly #log: Logger;
  readonly #intervalMs: number;
  readonly #watched = new Map<string, Set<Watch>>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Someone came while it looked. */
  #isAsked = false;

  constructor(source: FeedSource, log: Logger, intervalMs = INTERVAL_MS) {
    this.#source = source;
    this.#log = log;
    this.#intervalMs = intervalMs;
  }

  /** The watcher is told at once what it lacks, then what is new. Returns a function that ends this. */
  watch(id: string, after: number, watcher: Watcher): () => void {
    const watch: Watch = { watcher, after };
    this.#watched.set(id, (this.#watched.get(id) ?? new Set()).add(watch));
    this.#ask(0);
    return () => {
      const watches = this.#watched.get(id);
      watches?.delete(watch);
      if (watches?.size === 0) this.#watched.delete(id);
    };
  }

  #ask(delayMs: number): void {
    this.#isAsked ||= delayMs === 0;
    if (this.#isLooking) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), delayMs).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isAsked = false;
    try {
      // Who comes meanwhile is told at the next look.
      const ids = [...this.#watched.keys()];
      const newest = await this.#source.newest(ids);
      for (const id of ids) await this.#tell(id, this.#watched.get(id), newest.get(id));
    } catch (error) {
      this.#log.warn({ reason: messageOf(error) }, 'failed to read what is new for open pages');
    }
    this.#isLooking = false;
    if (this.#watched.size > 0) this.#ask(this.#isAsked ? 0 : this.#intervalMs);
  }

  async #tell(
    id: string,
    watches: ReadonlySet<Watch> | undefined,
    newest: number | undefined,
  ): Promise<void> {
    if (watches === undefined) return;
    if (newest === undefined) return this.#end(watches);
    const behind = [...watches].filter(({ after }) => after < newest);
    // Pages of one kind are told the same.
    const kinds = Map.groupBy(behind, (one) => `${one.after} ${one.watcher.mayWrite ?? false}`);
    for (const group of kinds.values()) {
      const [{ after, watcher }] = group as [Watch];
      const news = await this.#source.update(id, after, watcher.mayWrite ?? false);
      if (news === undefined) return this.#end(watches);
      for (const watch of group) {
        watch.after = news.seq;
        if (watches.has(watch)) watch.watcher.update(news);
      }
    }
  }

  #end(watches: ReadonlySet<Watch>): void {
    for (const { watcher } of watches) watcher.end();
  }
}

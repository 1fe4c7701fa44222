// A model that follows a script, behind the wire formats of the vendors.
import { Readable } from 'node:stream';
import { setImmediate as turnOfTheLoop, setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Fastify from 'fastify';
import type { Logger } from 'pino';
import { Distortions } from '../distortions.ts';
import { Script } from './script.ts';
import type { PlayedModel } from './played-model.ts';
import { ScriptedModel } from './scripted-model.ts';
import { chat } from './wires/chat.ts';
import { WIRES } from './wires/index.ts';
import type { Frames, Problem, Wire } from './wires/wire.ts';

/** An unparsed request. */
interface SeenRequest {
  readonly wire: string;
  /** Includes the query. */
  readonly path: string;
  readonly body: string;
}

export interface ModelServer {
  /** `http://127.0.0.1:PORT`. The APIs are below it, at the same paths as at their vendors. */
  readonly url: string;
  /** Oldest first, without the requests that had no key. */
  readonly requests: readonly SeenRequest[];
  /** Of answers. Their paths include the query. */
  readonly distortions: Distortions;
  /** Resolves when this many requests have arrived; the last one may not be answered yet. */
  untilAsked(times: number): Promise<void>;
  /** Answers the requests with such bodies only once they are released. */
  hold(matches: (body: string) => boolean): HeldAnswers;
  /** From now on, requests with any other key are answered with 401. */
  acceptOnly(key: string): void;
  close(): Promise<void>;
}

export interface HeldAnswers {
  /** Answers them, and holds no further ones. */
  release(): void;
}

export interface ModelServerOptions {
  /** Or who answers. */
  readonly scripts: readonly Script[] | PlayedModel;
  readonly log?: Logger;
  /** A free port by default. */
  readonly port?: number;
}

const BODY_LIMIT = 64 * 1024 * 1024;
const MODELS = {
  object: 'list',
  data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'playground' }],
};

/** Throws a ZodError if a script is invalid. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const model = modelOf(options);
  const seen = new Seen();
  const distortions = new Distortions();
  const holds = new Holds();
  const only: { key?: string } = {};
  const server = Fastify({ bodyLimit: BODY_LIMIT, forceCloseConnections: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) =>
    done(null, body),
  );
  distortions.install(server, ({ url }) => url);
  for (const wire of WIRES)
    serve(server, wire, only, async (path, body, reply) => {
      seen.add({ wire: wire.name, path, body });
      await holds.untilReleased(body);
      const closed = new AbortController();
      reply.raw.once('close', () => closed.abort());
      const outcome = await model.answer(wire, path, body, closed.signal);
      if ('problem' in outcome) {
        options.log?.warn({ ...outcome.problem }, 'the scripted model rejected a request');
        return sendError(reply, wire, outcome.problem);
      }
      const { answer, request, dies } = outcome;
      if (!request.streams) return reply.send(wire.whole?.(await answer));
      const framed = Promise.resolve(answer).then((given) => wire.frames(given, request));
      const isEvents = wire.contentType === 'text/event-stream';
      const stream = Readable.from(sending(framed, dies, isEvents && 'then' in answer));
      return reply.type(wire.contentType).header('cache-control', 'no-cache').send(stream);
    });
  server.get('/v1/models', { onRequest: keyChecked(chat, only) }, () => MODELS);
  answerErrors(server);
  const url = await server.listen({ host: '127.0.0.1', port: options.port ?? 0 });
  return {
    url,
    requests: seen.requests,
    distortions,
    untilAsked: (times) => seen.untilAsked(times),
    hold: (matches) => holds.hold(matches),
    acceptOnly: (key) => void (only.key = key),
    close: async () => {
      holds.close();
      model.close();
      distortions.close();
      await server.close();
    },
  };
}

const modelOf = ({ scripts }: ModelServerOptions): PlayedModel =>
  'answer' in scripts ? scripts : new ScriptedModel(scripts.map((script) => Script.parse(script)));

function serve(
  server: FastifyInstance,
  wire: Wire,
  only: { key?: string },
  answer: (path: string, body: string, reply: FastifyReply) => Promise<FastifyReply>,
): void {
  for (const url of wire.routes)
    server.post<{ Body: string | undefined }>(
      url,
      { onRequest: keyChecked(wire, only) },
      (request, reply) => answer(request.url, request.body ?? '', reply),
    );
}

/** `only`: the one key that is right; any, if it has none. */
function keyChecked(wire: Wire, only: { key?: string }) {
  const { key } = wire;
  return async ({ headers }: FastifyRequest, reply: FastifyReply) => {
    if (key === undefined) return undefined;
    const { key: right = '' } = only;
    const isRight = Object.values(headers).some((value) => String(value).endsWith(right));
    return key.isGiven(headers) && isRight ? undefined : sendError(reply, wire, key.missing);
  };
}

const sendError = (reply: FastifyReply, wire: Wire, problem: Problem) =>
  reply.code(problem.status).send(wire.errorBody(problem));

function answerErrors(server: FastifyInstance): void {
  server.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) =>
    sendError(reply, chat, { status: error.statusCode ?? 500, message: error.message }),
  );
  server.setNotFoundHandler((request, reply) =>
    sendError(reply, chat, { status: 404, message: `Unknown request URL: ${request.url}` }),
  );
}

const HEARTBEAT_MS = 5_000;

/** A comment, which every client of such streams ignores. */
const HEARTBEAT = ': waiting\n\n';

/** A stream that dies throws after its first half, which closes the connection. `waits`: the answer may take long. */
async function* sending(
  framed: Promise<Frames>,
  dies: boolean,
  waits: boolean,
): AsyncGenerator<string> {
  if (waits) yield* heartbeats(framed);
  const { content, end } = await framed;
  yield* dies ? content.slice(0, Math.ceil(content.length / 2)) : [...content, ...end];
  if (!dies) return;
  await turnOfTheLoop();
  throw new Error('the script breaks off here');
}

/** Clients and proxies close connections that stay silent. */
async function* heartbeats(until: Promise<unknown>): AsyncGenerator<string> {
  const ended = until.then(
    () => true,
    () => true,
  );
  do yield HEARTBEAT;
  while (!(await Promise.race([ended, delay(HEARTBEAT_MS, false, { ref: false })])));
}

class Seen {
  readonly requests: SeenRequest[] = [];
  #waiting: { readonly times: number; readonly resolve: () => void }[] = [];

  add(request: SeenRequest): void {
    this.requests.push(request);
    this.#tellWaiting();
  }

  untilAsked(times: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ times, resolve });
      this.#tellWaiting();
    });
  }

  #tellWaiting(): void {
    const due = this.#waiting.filter(({ times }) => times <= this.requests.length);
    this.#waiting = this.#waiting.filter((one) => !due.includes(one));
    for (const { resolve } of due) resolve();
  }
}

class Holds {
  readonly #holds = new Set<{
    readonly matches: (body: string) => boolean;
    readonly released: PromiseWithResolvers<void>;
  }>();

  hold(matches: (body: string) => boolean): HeldAnswers {
    const hold = { matches, released: Promise.withResolvers<void>() };
    this.#holds.add(hold);
    return {
      release: () => {
        this.#holds.delete(hold);
        hold.released.resolve();
      },
    };
  }

  async untilReleased(body: string): Promise<void> {
    const holds = [...this.#holds].filter(({ matches }) => matches(body));
    await Promise.all(holds.map(({ released }) => released.promise));
  }

  close(): void {
    for (const { released } of this.#holds) released.resolve();
  }
}

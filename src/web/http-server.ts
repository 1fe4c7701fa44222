import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { hasCode } from '../lib/errors.ts';
import {
  answer as answerInJson,
  answerMistakes,
  MESSAGES,
  rejectConnection,
  logRequests,
  type SendMessage,
  type Methods,
} from './answers.ts';

/** All in milliseconds. */
export interface HttpTimeouts {
  /** Until the headers and the body of a request have arrived. GitHub gives up after 10 s. */
  readonly arrival: number;
  /** For running requests to end when the server drains. */
  readonly drain: number;
}

export interface HttpServer {
  /** Resolves with the address, such as `http://127.0.0.1:3000`. Waits a few seconds for a port that is in use. */
  listen(host: string, port: number): Promise<string>;
  /** Accepts no new connections. Resolves when the running requests are answered, or after the drain timeout. */
  drain(): Promise<void>;
  /** Closes all remaining connections. */
  close(): Promise<void>;
}

export interface HttpServerOptions {
  readonly log: Logger;
  readonly methods: Methods;
  /** How mistakes are answered; in JSON by default. */
  readonly answer?: SendMessage | undefined;
  readonly timeouts?: Partial<HttpTimeouts> | undefined;
  /** Addresses and networks of proxies, whose word on the address of a sender counts; nobody's by default. */
  readonly proxies?: readonly string[] | undefined;
}

const TIMEOUTS: HttpTimeouts = { arrival: 12_000, drain: 10_000 };
const PORT_WAIT_MS = 3000;
const PORT_STEP_MS = 100;
const MAX_HEADER_BYTES = 16 * 1024;
/** A connection costs some 30 KB besides what is sent over it. */
const MAX_CONNECTIONS = 1000;

/** What both servers have in common: limits, errors, the log, draining. Add routes before it listens. */
export function createHttpServer({
  log,
  methods,
  answer = answerInJson,
  proxies = [],
  ...options
}: HttpServerOptions) {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const owed = owedAnswers();
  const server = createFastify({ log, answer, proxies, arrivalMs: timeouts.arrival, owed });
  const drain = createDrain(server, timeouts.drain);
  limitConnections(server.server, owed);
  answerMistakes(server, { methods, answer }, logRequests(server, log));
  server.addHook('onSend', async (_request, reply) => {
    void reply.header('x-content-type-options', 'nosniff');
    if (drain.isDraining()) void reply.header('connection', 'close');
  });
  const controls: HttpServer = {
    listen: (host, port) => listenOnceFree(server, { host, port }),
    drain: drain.begin,
    close: async () => {
      server.server.closeAllConnections();
      await drain.closed();
    },
  };
  return { routes: server, isDraining: drain.isDraining, controls };
}

/** A child that a process was just starting when it was killed has its port for a moment longer. */
async function listenOnceFree(
  server: FastifyInstance,
  at: { readonly host: string; readonly port: number },
): Promise<string> {
  for (let waited = 0; ; waited += PORT_STEP_MS) {
    try {
      return await server.listen(at);
    } catch (error) {
      if (!hasCode(error, 'EADDRINUSE') || waited >= PORT_WAIT_MS) throw error;
    }
    await delay(PORT_STEP_MS);
  }
}

interface RouteOptions {
  readonly log: Logger;
  readonly answer: SendMessage;
  readonly proxies: readonly string[];
  readonly arrivalMs: number;
  readonly owed: OwedAnswers;
}

function createFastify({ log, answer, proxies, arrivalMs, owed }: RouteOptions): FastifyInstance {
  const server = Fastify({
    // While it drains, requests on open connections are answered as usual.
    return503OnClosing: false,
    trustProxy: proxies.length === 0 ? false : [...proxies],
    requestTimeout: arrivalMs,
    http: {
      headersTimeout: arrivalMs,
      connectionsCheckingInterval: Math.max(50, Math.min(1000, arrivalMs / 4)),
      maxHeaderSize: MAX_HEADER_BYTES,
      // Node would answer without a word.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => {
      // Whoever waits for an answer to an earlier request would take this one for it.
      const last = owed.on(socket).at(-1);
      if (last === undefined) rejectConnection(error, socket, log);
      else last.once('close', () => socket.destroy());
    },
    frameworkErrors: (_error, _request, reply) => {
      void answer(reply, 400, 'Invalid URL.');
    },
  });
  server.removeAllContentTypeParsers();
  owed.listen(server.server);
  server.server.on('checkExpectation', (_request, response) => {
    response.writeHead(417, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ message: MESSAGES[417] }));
  });
  server.addHook('onRequest', async ({ raw }, reply) => {
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return undefined;
    return answer(reply.header('connection', 'close'), 400, 'The Host header is missing.');
  });
  return server;
}

type OwedAnswers = ReturnType<typeof owedAnswers>;

/** The answers to requests that have arrived whole. */
function owedAnswers() {
  const bySocket = new WeakMap<Duplex, Set<ServerResponse>>();
  return {
    listen: (server: Server): void => {
      server.on('request', ({ socket }, response) => {
        const responses = bySocket.get(socket) ?? new Set();
        bySocket.set(socket, responses.add(response));
        response.once('close', () => responses.delete(response));
      });
    },
    on: (socket: Duplex): ServerResponse[] =>
      [...(bySocket.get(socket) ?? [])].filter(({ req }) => req.complete),
  };
}

/**
 * Closes the oldest connection if there are too many: GitHub opens a new one and is done with it at once. Those that wait
 * for no answer are closed first, so that strangers who say nothing close no page that is told what is new.
 */
function limitConnections(server: Server, owed: OwedAnswers): void {
  const oldestFirst = new Set<Socket>();
  server.on('connection', (socket) => {
    oldestFirst.add(socket);
    socket.once('close', () => oldestFirst.delete(socket));
    if (oldestFirst.size <= MAX_CONNECTIONS) return;
    const [oldest] = oldestFirst;
    const idle = [...oldestFirst].find((one) => owed.on(one).length === 0);
    (idle === socket ? oldest : (idle ?? oldest))?.destroy();
  });
}

function createDrain(server: FastifyInstance, deadlineMs: number) {
  const requests = countRequests(server.server);
  let closing: Promise<void> | undefined;
  const closed = (): Promise<void> => (closing ??= server.close());
  return {
    isDraining: () => closing !== undefined,
    closed,
    begin: async () => {
      void closed();
      server.server.closeIdleConnections();
      await requests.none(deadlineMs);
    },
  };
}

/** Counts requests between their headers and the end of their answers. */
function countRequests(server: Server) {
  let underWay = 0;
  let whenNone = (): void => {};
  server.on('request', (_request, response) => {
    underWay += 1;
    response.once('close', () => {
      underWay -= 1;
      if (underWay === 0) whenNone();
    });
  });
  return {
    /** Resolves when no request is running, or after the deadline. */
    none: (deadlineMs: number): Promise<void> =>
      new Promise((resolve) => {
        if (underWay === 0) return resolve();
        const timer = setTimeout(resolve, deadlineMs);
        whenNone = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

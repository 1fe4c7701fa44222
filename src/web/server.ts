import type { Server } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { answer, answerMistakes, rejectConnection } from './answers.ts';
import { serveHealth } from './health-routes.ts';
import type { ServicePause } from '../contracts/service-pause.ts';
import { servePages } from './page-routes.ts';
import { logRequests } from './request-log.ts';
import type { Renderings } from './pages/value.ts';
import type { SessionSource } from './session-source.ts';
import { serveWebhook, type ReceiveDelivery } from './webhook-route.ts';

/** All in milliseconds. */
interface WebTimeouts {
  /** Until the headers of a request have arrived. */
  readonly headers: number;
  /** Until the whole request has arrived. */
  readonly request: number;
  /** For `ready` to resolve. */
  readonly ready: number;
  /** For running requests to end when the server drains. */
  readonly drain: number;
}

export interface WebServerOptions {
  readonly log: Logger;
  /** Called with each delivery that has all headers. Must verify it. A rejection becomes a 500. */
  readonly webhook: ReceiveDelivery;
  /** Rejects if a dependency of the service does not answer. */
  readonly ready: () => Promise<void>;
  /** The operator's pause of the service, if there is one. */
  readonly paused?: (() => Promise<ServicePause | undefined>) | undefined;
  readonly pages: SessionSource;
  /** The address of GitHub, for links to issues. */
  readonly githubUrl?: string | undefined;
  /** How the pages show the arguments and results of tools; as plain text by default. */
  readonly renderings?: Renderings | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly timeouts?: Partial<WebTimeouts> | undefined;
}

export interface WebServer {
  /** Resolves with the address, such as `http://127.0.0.1:3000`. */
  listen(host: string, port: number): Promise<string>;
  /**
   * Accepts no new connections and reports not ready. Resolves when the running requests are answered, or
   * after the drain timeout.
   */
  drain(): Promise<void>;
  /** Closes all remaining connections. */
  close(): Promise<void>;
}

/** GitHub's limit for the payload of a webhook. */
const MAX_BODY_BYTES = 25 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const TIMEOUTS: WebTimeouts = { headers: 10_000, request: 30_000, ready: 2_000, drain: 10_000 };

/** Creates the service's HTTP server. It does not listen yet. */
export function createWebServer(options: WebServerOptions): WebServer {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const server = createFastify(options.log, timeouts);
  const drain = createDrain(server, timeouts.drain);

  answerMistakes(server, logRequests(server, options.log));
  server.addHook('onSend', async (_request, reply) => {
    void reply.header('x-content-type-options', 'nosniff');
    if (drain.isDraining()) void reply.header('connection', 'close');
  });
  serveHealth(server, {
    ready: options.ready,
    paused: options.paused ?? (() => Promise.resolve(undefined)),
    isDraining: drain.isDraining,
    deadlineMs: timeouts.ready,
    log: options.log,
  });
  serveWebhook(server, options.webhook, options.maxBodyBytes ?? MAX_BODY_BYTES);
  const { githubUrl = 'https://github.com', renderings = new Map() } = options;
  servePages(server, options.pages, githubUrl, renderings);

  return {
    listen: (host, port) => server.listen({ host, port }),
    drain: drain.begin,
    close: async () => {
      server.server.closeAllConnections();
      await drain.closed();
    },
  };
}

function createFastify(log: Logger, { headers, request }: WebTimeouts): FastifyInstance {
  const server = Fastify({
    // While it drains, requests on open connections are answered as usual.
    return503OnClosing: false,
    requestTimeout: request,
    http: {
      headersTimeout: headers,
      connectionsCheckingInterval: Math.max(50, Math.min(1000, headers / 4)),
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    clientErrorHandler: (error, socket) => rejectConnection(error, socket, log),
    frameworkErrors: (_error, _request, reply) => {
      void answer(reply, 400, 'This is no valid address.');
    },
  });
  server.removeAllContentTypeParsers();
  return server;
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

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { withoutUndefined } from '../lib/without-undefined.ts';

const MAX_PATH_LENGTH = 200;

export interface RequestLog {
  /** Adds the error to the log line of the request. */
  failed(request: FastifyRequest, error: unknown): void;
}

/** Logs one line per request, without bodies, signatures and queries. */
export function logRequests(server: FastifyInstance, log: Logger): RequestLog {
  const errors = new WeakMap<FastifyRequest, unknown>();
  server.addHook('onResponse', async (request, reply) => {
    const { statusCode: status } = reply;
    const err = errors.get(request);
    const line = {
      method: request.method,
      path: requestPath(request),
      status,
      took: Math.round(reply.elapsedTime),
      ...deliveryOf(request),
      ...sessionOf(request),
      ...withoutUndefined({ err }),
    };
    log[levelOf(reply)](line, 'request handled');
  });
  return {
    failed: (request, error) => {
      errors.set(request, error);
    },
  };
}

export const requestPath = ({ url }: FastifyRequest): string =>
  (url.split('?', 1)[0] ?? '').slice(0, MAX_PATH_LENGTH);

function deliveryOf({ headers }: FastifyRequest): { delivery?: string; event?: string } {
  const { 'x-github-delivery': delivery, 'x-github-event': event } = headers;
  return {
    ...(typeof delivery === 'string' ? { delivery: delivery.slice(0, MAX_PATH_LENGTH) } : {}),
    ...(typeof event === 'string' ? { event: event.slice(0, MAX_PATH_LENGTH) } : {}),
  };
}

function sessionOf({ routeOptions, params }: FastifyRequest): { session?: string } {
  const { id } = (params ?? {}) as { readonly id?: unknown };
  const isOfSession = routeOptions.url?.startsWith('/sessions/:id') === true;
  return isOfSession && typeof id === 'string' ? { session: id.slice(0, MAX_PATH_LENGTH) } : {};
}

/** What strangers ask for without harm: pages before they have signed in, and addresses that do not exist. */
const OF_STRANGERS: ReadonlySet<number> = new Set([401, 404, 405]);

/** Only failures matter: pages and health checks repeat, and a delivery that counts has a line of its own. */
function levelOf({ statusCode }: FastifyReply) {
  if (statusCode >= 500 && statusCode !== 503) return 'error';
  return statusCode >= 400 && !OF_STRANGERS.has(statusCode) ? 'warn' : 'debug';
}

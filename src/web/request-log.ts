import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';

const LONGEST = 200;

export interface RequestLog {
  /** The reason of a failure belongs to the request's one line. */
  failed(request: FastifyRequest, error: unknown): void;
}

/** One line for each request, without bodies, signatures and queries. */
export function logRequests(server: FastifyInstance, log: Logger): RequestLog {
  const errors = new WeakMap<FastifyRequest, unknown>();
  server.addHook('onResponse', async (request, reply) => {
    const { statusCode: status } = reply;
    const err = errors.get(request);
    const line = {
      method: request.method,
      path: pathOf(request),
      status,
      took: Math.round(reply.elapsedTime),
      ...deliveryOf(request),
      ...(err === undefined ? {} : { err }),
    };
    log[levelOf(request, reply)](line, 'request handled');
  });
  return {
    failed: (request, error) => {
      errors.set(request, error);
    },
  };
}

export const pathOf = ({ url }: FastifyRequest): string =>
  (url.split('?', 1)[0] ?? '').slice(0, LONGEST);

function deliveryOf({ headers }: FastifyRequest): { delivery?: string; event?: string } {
  const { 'x-github-delivery': delivery, 'x-github-event': event } = headers;
  return {
    ...(typeof delivery === 'string' ? { delivery: delivery.slice(0, LONGEST) } : {}),
    ...(typeof event === 'string' ? { event: event.slice(0, LONGEST) } : {}),
  };
}

/** Requests that an orchestrator or an open page repeats every few seconds are only logged if they fail. */
function levelOf(request: FastifyRequest, { statusCode }: FastifyReply) {
  if (statusCode >= 500 && statusCode !== 503) return 'error';
  if (statusCode >= 400) return 'warn';
  return request.method === 'POST' ? 'info' : 'debug';
}

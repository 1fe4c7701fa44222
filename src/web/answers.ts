// What all servers answer and log by themselves.
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { withoutUndefined } from '../lib/without-undefined.ts';

/** The methods of each address that exists. */
export type Methods = readonly (readonly [path: RegExp, methods: string])[];

export const MESSAGES = {
  400: 'Invalid request.',
  401: 'The signature does not match the body and the webhook secret.',
  413: 'The body is too large.',
  417: 'No expectation but 100-continue can be met.',
  415: 'The body must be application/json. Set this as the content type of the webhook.',
  503: 'Too much is being sent at once by senders that are not verified yet. Redeliver it later.',
} as const;

/** Sends a message to whoever asked. */
export type SendMessage = (reply: FastifyReply, status: number, message: string) => FastifyReply;

/** For programs. */
export const answer: SendMessage = (reply, status, message) =>
  reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify({ message }));

/** Unknown addresses, wrong methods and errors; details of internal errors stay in the log. */
export function answerMistakes(
  server: FastifyInstance,
  { methods, answer }: { readonly methods: Methods; readonly answer: SendMessage },
  log: RequestLog,
): void {
  server.setNotFoundHandler((request, reply) => {
    endConnectionAfterUnreadBody(request, reply);
    const allowed = methods.find(([path]) => path.test(requestPath(request)))?.[1];
    const isAllowed = allowed?.split(', ').includes(request.method) === true;
    if (allowed === undefined || isAllowed) return answer(reply, 404, 'Not found.');
    void reply.header('allow', allowed);
    return answer(reply, 405, `Method not allowed. Use ${allowed}.`);
  });
  server.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500)
      return answer(reply, status, status === 415 ? MESSAGES[415] : MESSAGES[400]);
    log.failed(request, error);
    return answer(reply, 500, 'Internal error. The operator can find the details in the log.');
  });
}

/** Otherwise the server would read the rest of the body only to discard it. */
function endConnectionAfterUnreadBody({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers['content-length'] ?? headers['transfer-encoding']) {
    void reply.header('connection', 'close');
  }
}

const UNREADABLE: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
};

/** Answers an invalid or incomplete HTTP request and closes the connection. */
export function rejectConnection(
  error: Error & { code?: string },
  socket: Socket,
  log: Logger,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = UNREADABLE[error.code ?? ''] ?? [
    '400 Bad Request',
    'Invalid HTTP request.',
  ];
  // Browsers open connections ahead of what they might ask for.
  const level = socket.bytesRead === 0 ? 'debug' : 'warn';
  log[level](
    { code: error.code, status: Number.parseInt(status, 10) },
    'received an invalid request',
  );
  const body = JSON.stringify({ message });
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`, () => socket.destroy());
}

// The log of requests.

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

import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { pathOf, type RequestLog } from './request-log.ts';

/** The methods of each address that exists. */
const METHODS: readonly (readonly [path: RegExp, methods: string])[] = [
  [/^\/api\/github\/webhooks$/, 'POST'],
  [/^\/(?:healthz|readyz|sessions|sessions\/[^/]+)$/, 'GET, HEAD'],
];

const WORDS: Readonly<Record<number, string>> = {
  400: 'The request could not be read.',
  413: 'The body is too large.',
  415: 'The body has to be application/json: set that as the content type of the webhook.',
};

/** Every answer in words that is no page. */
export const answer = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify({ message }));

/** Unknown addresses, wrong methods and errors; what went wrong inside stays in the log. */
export function answerMistakes(server: FastifyInstance, log: RequestLog): void {
  server.setNotFoundHandler((request, reply) => {
    endConnectionAfterUnreadBody(request, reply);
    const allowed = METHODS.find(([path]) => path.test(pathOf(request)))?.[1];
    if (allowed === undefined) return answer(reply, 404, 'There is nothing at this address.');
    void reply.header('allow', allowed);
    return answer(reply, 405, `This address takes ${allowed} only.`);
  });
  server.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 400 && status < 500)
      return answer(reply, status, WORDS[status] ?? 'Bad request.');
    log.failed(request, error);
    return answer(reply, 500, 'This failed inside Issuewright. Its operator finds why in the log.');
  });
}

/** What the client still sends would otherwise be read, and thrown away, to its end. */
function endConnectionAfterUnreadBody({ headers }: FastifyRequest, reply: FastifyReply): void {
  if (headers['content-length'] ?? headers['transfer-encoding']) {
    void reply.header('connection', 'close');
  }
}

const UNREADABLE: Readonly<Record<string, readonly [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
};

/** Answers what is no HTTP request, or does not become one in time, and ends the connection. */
export function refuseConnection(
  error: Error & { code?: string },
  socket: Socket,
  log: Logger,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = UNREADABLE[error.code ?? ''] ?? ['400 Bad Request', 'This is no HTTP.'];
  log.warn({ code: error.code, status: Number.parseInt(status, 10) }, 'request refused');
  const body = JSON.stringify({ message });
  const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`, () => socket.destroy());
}

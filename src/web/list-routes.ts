import type { FastifyInstance } from 'fastify';
import { sendNew } from './page-answers.ts';
import { sessionList } from './pages/session-list.ts';
import type { SessionSource } from './session-source.ts';

/** `/sessions`: what there is. */
export function serveList(server: FastifyInstance, source: SessionSource): void {
  server.get('/sessions', async (request, reply) => {
    const known = request.headers['if-none-match'];
    return sendNew(reply, known, sessionList(await source.list()));
  });
}

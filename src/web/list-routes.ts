import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendNew, send } from './page-answers.ts';
import { STATE_NAMES } from './pages/layout.ts';
import { sessionList } from './pages/session-list.ts';
import { SPANS, totalsPage } from './pages/totals-page.ts';
import { SESSION_ID, type ListQuery, type SessionSource } from './session-source.ts';

const DAY_MS = 24 * 60 * 60_000;

/** `/sessions`: what there is. `/totals`: what came of it. */
export function serveList(
  server: FastifyInstance,
  sourceFor: (request: FastifyRequest) => Pick<SessionSource, 'list' | 'totals'>,
): void {
  server.get('/sessions', async (request, reply) => {
    const query = queryOf(request.query as Given);
    const known = request.headers['if-none-match'];
    const list = await sourceFor(request).list(query);
    return sendNew(reply, known, sessionList(list, query, new Date()));
  });
  server.get('/totals', async (request, reply) => {
    const { days } = request.query as Given;
    const span = SPANS.find((one) => String(one) === days);
    const since = span === undefined ? undefined : new Date(Date.now() - span * DAY_MS);
    return send(reply, 200, totalsPage(await sourceFor(request).totals(since), span));
  });
}

/** A query of an address, which anyone may have written. */
type Given = Readonly<Record<string, unknown>>;

const MAX_SEARCH = 200;

/** What cannot be meant is left out. */
function queryOf({ state, repository, model, q, after }: Given): ListQuery {
  const isState = typeof state === 'string' && STATE_NAMES.has(state);
  const isNumber = typeof repository === 'string' && /^[1-9]\d{0,14}$/.test(repository);
  const search = textOf(q);
  return {
    ...(isState ? { state } : {}),
    ...(isNumber ? { repositoryId: Number(repository) } : {}),
    ...(textOf(model) === '' ? {} : { model: textOf(model) }),
    ...(search === '' ? {} : { search }),
    ...(typeof after === 'string' && SESSION_ID.test(after) ? { after } : {}),
  };
}

/** PostgreSQL takes no NUL, and no halves of characters. */
const textOf = (given: unknown): string =>
  typeof given === 'string'
    ? given.slice(0, MAX_SEARCH).replaceAll('\0', '').toWellFormed().trim()
    : '';

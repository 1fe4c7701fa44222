import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { sharedNow, sharedTime } from '../lib/clock.ts';
import { messageOf, TellPerson, TryLater } from '../lib/errors.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import type { StreamLimits } from './live/event-streams.ts';
import { HEADERS, notSignedIn, send, sendMistake, sendNew } from './page-answers.ts';
import { accountPage, NOTICES, signInPage } from './pages/account-page.ts';
import type { Renderings } from './pages/value.ts';
import { serveComments, asked, isOwnForm, sendTooMany, serveSignIn } from './people/routes.ts';
import { signInWith, type TokenSignIn } from './people/cookies.ts';
import { networkOf, RateLimit } from './people/rate-limit.ts';
import { CALLBACK_PATH, SIGN_IN_PATH, SignIns, type PeopleOptions } from './people/sign-ins.ts';
import { requestPath } from './answers.ts';
import { serveSessions } from './session-routes.ts';
import {
  OPERATOR,
  SESSION_ID,
  visibleTo,
  type ListQuery,
  type SessionSource,
  type Viewer,
} from './session-source.ts';
import { STATE_NAMES } from './pages/layout.ts';
import { sessionList } from './pages/session-list.ts';
import { SPANS, totalsPage } from './pages/totals-page.ts';

const METHODS = [
  [/^\/sessions\/[^/]+\/comments$/, 'POST'],
  [/^\/(?:totals|account|sign-in(?:\/callback)?|sessions(?:\/.*)?)?$/, 'GET, HEAD'],
  [/^\/sign-out$/, 'POST'],
] as const;

export interface PageServerOptions {
  readonly log: Logger;
  readonly pages: SessionSource;
  /** Opens the pages, and shows all sessions. */
  readonly token: string;
  /** Where people reach the pages; by default where the server listens, on loopback. */
  readonly publicUrl?: string | undefined;
  /** Those that say where requests come from; those on this machine by default. */
  readonly proxies?: readonly string[] | undefined;
  /** How people sign in with GitHub; `undefined`: only the token opens the pages. */
  readonly people?: PeopleOptions | undefined;
  /** The address of GitHub, for links to issues. */
  readonly githubUrl?: string | undefined;
  /** How the pages show the arguments and results of tools; as plain text by default. */
  readonly renderings?: Renderings | undefined;
  readonly streams?: Partial<StreamLimits> | undefined;
  readonly limits?: Partial<RequestLimits> | undefined;
}

/** Requests in a minute. */
interface RequestLimits {
  /** Of one address or network, to sign in. */
  readonly signIn: number;
  /** Of one address or network, without a sign-in. */
  readonly stranger: number;
  readonly person: number;
  /** Of one person, to write comments. */
  readonly comment: number;
}

const LIMITS: RequestLimits = { signIn: 30, stranger: 120, person: 600, comment: 20 };
/** A stream is asked again whether it may; so one that may not any more ends. */
const STREAM_AGE_MS = 60_000;
/** Of the longest answer, each sign of which may take nine bytes in a form. */
const LONGEST_FORM = 100_000;

/** The server of the session pages. It does not listen yet. */
export function createPageServer(options: PageServerOptions): HttpServer {
  const { log, pages, people, githubUrl = 'https://github.com', proxies = ['loopback'] } = options;
  const { routes, controls } = createHttpServer({
    log,
    methods: METHODS,
    answer: sendMistake,
    proxies,
  });
  const origin = (): string => options.publicUrl ?? ownOrigin(routes);
  const limits = { ...LIMITS, ...options.limits };
  const signIns = people && new SignIns({ ...people, log, origin });
  const isSecure = options.publicUrl?.startsWith('https:') ?? false;
  const token = signInWith(options.token, isSecure);
  const viewers = requireViewer(routes, {
    token,
    signIns,
    limits,
    log,
  });
  const sourceFor = (request: FastifyRequest) => visibleTo(viewers.of(request), pages);
  routes.get('/', (_request, reply) => reply.redirect('/sessions'));
  const viewerOf = (request: FastifyRequest) => viewers.of(request);
  if (signIns !== undefined) {
    serveSignIn(routes, { signIns, token, limit: new RateLimit(limits.signIn), log });
    const limit = new RateLimit(limits.comment);
    serveComments(routes, { signIns, sourceFor, viewerOf, limit, log });
  }
  serveAccount(routes, viewers, signIns !== undefined);
  serveList(routes, sourceFor);
  const streams = people === undefined ? {} : { age: STREAM_AGE_MS };
  serveSessions(routes, {
    ...options,
    githubUrl,
    sourceFor,
    viewerOf,
    streams: { ...streams, ...options.streams },
  });
  return controls;
}

/** For an address of this machine, whatever name a browser gives it. */
function ownOrigin(server: FastifyInstance): string {
  const address = server.server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen yet');
  return `http://${address.address === '::1' ? '[::1]' : '127.0.0.1'}:${address.port}`;
}

interface Doors {
  readonly token: TokenSignIn;
  readonly signIns: SignIns | undefined;
  readonly limits: RequestLimits;
  readonly log: Logger;
}

interface Viewers {
  of(request: FastifyRequest): Viewer;
  /** Ends what the browser is signed in with. Returns what clears its cookies. */
  signOut(request: FastifyRequest): Promise<readonly string[]>;
}

/** Lets nobody in but those who have the token or are signed in: also not to addresses without a page. */
function requireViewer(server: FastifyInstance, { token, signIns, limits, log }: Doors): Viewers {
  const viewers = new WeakMap<FastifyRequest, Viewer>();
  const strangers = new RateLimit(limits.stranger);
  const people = new RateLimit(limits.person);
  const turnAway = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const seconds = signIns && strangers.take(networkOf(request.ip));
    if (seconds !== undefined) return sendTooMany(reply, seconds);
    return send(reply, 401, signIns === undefined ? notSignedIn() : signInPage(asked(request)));
  };
  server.addHook('onRequest', async (request, reply) => {
    void reply.headers(HEADERS);
    const { token: given } = request.query as { readonly token?: unknown };
    const isLink = requestPath(request) === '/' && request.method === 'GET';
    const cookie = isLink ? token.cookieFor(given) : undefined;
    if (cookie !== undefined) return reply.header('set-cookie', cookie).redirect('/sessions', 303);
    if (OPEN.has(request.routeOptions.url ?? '')) return undefined;
    try {
      const viewer = token.isSignedIn(request.headers)
        ? OPERATOR
        : await signIns?.viewer(request.headers.cookie);
      if (viewer === undefined) return turnAway(request, reply);
      const seconds = viewer.login === undefined ? undefined : people.take(viewer.login);
      if (seconds !== undefined) return sendTooMany(reply, seconds);
      viewers.set(request, viewer);
      return undefined;
    } catch (error) {
      if (error instanceof TryLater) return send(reply, 503, NOTICES.away);
      if (!(error instanceof TellPerson)) throw error;
      log.warn({ reason: messageOf(error) }, 'failed to look up access');
      return send(reply, 403, NOTICES.denied);
    }
  });
  return {
    of: (request) => {
      const viewer = viewers.get(request);
      if (viewer === undefined) throw new Error('a page was asked for by nobody');
      return viewer;
    },
    signOut: async ({ headers }) =>
      [token.clear(headers), ...((await signIns?.end(headers.cookie)) ?? [])].filter(
        (cookie) => cookie !== undefined,
      ),
  };
}

const SIGN_OUT_PATH = '/sign-out';
/** What people need before they are signed in; and to sign out, whatever GitHub says of them by now. */
const OPEN: ReadonlySet<string> = new Set([SIGN_IN_PATH, CALLBACK_PATH, SIGN_OUT_PATH]);

function serveAccount(server: FastifyInstance, viewers: Viewers, hasSignIn: boolean): void {
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: LONGEST_FORM },
    (_request, text, done) => done(null, new URLSearchParams(String(text))),
  );
  server.get('/account', (request, reply) =>
    send(reply, 200, accountPage(viewers.of(request), hasSignIn)),
  );
  server.post(SIGN_OUT_PATH, async (request, reply) => {
    if (!isOwnForm(request)) return send(reply, 403, NOTICES.foreign);
    const cookies = await viewers.signOut(request);
    return reply.header('set-cookie', [...cookies]).redirect('/sessions', 303);
  });
}

const DAY_MS = 24 * 60 * 60_000;

/** `/sessions`: what there is. `/totals`: what came of it. */
function serveList(
  server: FastifyInstance,
  sourceFor: (request: FastifyRequest) => Pick<SessionSource, 'list' | 'totals'>,
): void {
  server.get('/sessions', async (request, reply) => {
    const query = queryOf(request.query as QueryParameters);
    const known = request.headers['if-none-match'];
    const list = await sourceFor(request).list(query);
    return sendNew(reply, known, sessionList(list, query, sharedTime()));
  });
  server.get('/totals', async (request, reply) => {
    const { days } = request.query as QueryParameters;
    const span = SPANS.find((one) => String(one) === days);
    const since = span === undefined ? undefined : new Date(sharedNow() - span * DAY_MS);
    return send(reply, 200, totalsPage(await sourceFor(request).totals(since), span));
  });
}

/** A query of an address, which anyone may have written. */
type QueryParameters = Readonly<Record<string, unknown>>;

const MAX_SEARCH = 200;

/** What cannot be meant is left out. */
function queryOf({ state, repository, model, q, after }: QueryParameters): ListQuery {
  const isState = typeof state === 'string' && STATE_NAMES.has(state);
  const isNumber = typeof repository === 'string' && /^[1-9]\d{0,14}$/.test(repository);
  return withoutUndefined({
    state: isState ? state : undefined,
    repositoryId: isNumber ? Number(repository) : undefined,
    model: queryText(model) || undefined,
    search: queryText(q) || undefined,
    after: typeof after === 'string' && SESSION_ID.test(after) ? after : undefined,
  });
}

/** PostgreSQL takes no NUL, and no halves of characters. */
const queryText = (given: unknown): string =>
  typeof given === 'string'
    ? given.slice(0, MAX_SEARCH).replaceAll('\0', '').toWellFormed().trim()
    : '';

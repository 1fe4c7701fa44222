import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { createHttpServer, type HttpServer } from './http-server.ts';
import type { StreamLimits } from './live/event-streams.ts';
import { HEADERS, send, sendMistake } from './page-answers.ts';
import { notSignedIn } from './pages/notices.ts';
import type { Renderings } from './pages/value.ts';
import { pathOf } from './request-log.ts';
import { serveList } from './list-routes.ts';
import { serveSessions } from './session-routes.ts';
import type { SessionSource } from './session-source.ts';
import { signInWith, type SignIn } from './sign-in.ts';

const METHODS = [[/^\/(?:totals|sessions(?:\/.*)?)?$/, 'GET, HEAD']] as const;

export interface PageServerOptions {
  readonly log: Logger;
  readonly pages: SessionSource;
  /** Opens the pages. */
  readonly token: string;
  /** Whether people reach the pages by https only. */
  readonly isSecure?: boolean | undefined;
  /** The address of GitHub, for links to issues. */
  readonly githubUrl?: string | undefined;
  /** How the pages show the arguments and results of tools; as plain text by default. */
  readonly renderings?: Renderings | undefined;
  readonly streams?: Partial<StreamLimits> | undefined;
}

/** The server of the read-only session pages, for people who have the token. It does not listen yet. */
export function createPageServer(options: PageServerOptions): HttpServer {
  const { log, pages, token, isSecure = false, githubUrl = 'https://github.com' } = options;
  const { routes, controls } = createHttpServer({ log, methods: METHODS, answer: sendMistake });
  requireSignIn(routes, signInWith(token, isSecure));
  routes.get('/', (_request, reply) => reply.redirect('/sessions'));
  serveList(routes, pages);
  serveSessions(routes, { ...options, pages, githubUrl });
  return controls;
}

/** Every address needs the token, those without a page too. */
function requireSignIn(server: FastifyInstance, signIn: SignIn): void {
  server.addHook('onRequest', async (request, reply) => {
    const { token } = request.query as { readonly token?: unknown };
    const cookie = pathOf(request) === '/' ? signIn.cookieFor(token) : undefined;
    if (cookie !== undefined)
      return reply.headers(HEADERS).header('set-cookie', cookie).redirect('/sessions', 303);
    return signIn.isSignedIn(request.headers) ? undefined : send(reply, 401, notSignedIn());
  });
}

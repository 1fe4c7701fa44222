// The page that creates the App, for the browser of whoever started `issuewright setup`.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';
import type { Html } from '../../lib/text/html.ts';
import { createHttpServer, type HttpServer } from '../http-server.ts';
import { contentPolicy } from '../page-answers.ts';
import { requestPath, type SendMessage } from '../answers.ts';
import { signInWith } from '../people/cookies.ts';
import { isOwnForm } from '../people/routes.ts';
import { pageDigest, SETUP_SCRIPT, setupPage, type SetupView } from './setup-page.ts';
import { spellCommand } from '../../lib/program-name.ts';

/** What the page shows and does. */
export interface SetupSource {
  view(): SetupView;
  /** The browser has got the page of this view. */
  shown(view: SetupView): void;
  /** Resolves with what is wrong with the address; `undefined` if it is taken. */
  giveAddress(address: string): string | undefined;
  /** What GitHub leads back with. @throws {Error} for people */
  accept(code: string, state: string): Promise<void>;
}

export interface SetupServerOptions {
  readonly log: Logger;
  readonly source: SetupSource;
  /** Opens the page, once. */
  readonly token: string;
  readonly githubUrl: string;
}

const METHODS = [
  [/^\/(?:setup(?:\/(?:created|state))?)?$/, 'GET, HEAD'],
  [/^\/setup\/address$/, 'POST'],
] as const;
const LONGEST_FORM = 10_000;
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/;

/** It does not listen yet; it must listen on loopback only. */
export function createSetupServer(options: SetupServerOptions): HttpServer {
  const headers = headersFor(new URL(options.githubUrl).origin);
  const send = (reply: FastifyReply, status: number, content: Html): FastifyReply =>
    reply.code(status).headers(headers).type('text/html; charset=utf-8').send(content.text);
  const answer: SendMessage = (reply, status, message) =>
    send(reply, status, setupPage({ step: 'failed', why: message }));
  const { routes, controls } = createHttpServer({ log: options.log, methods: METHODS, answer });
  requireOpener(routes, options.token, answer);
  servePage(routes, options.source, send);
  return controls;
}

/** The link works once: the cookie that it gives is worth nothing after this process has ended. */
function requireOpener(server: FastifyInstance, token: string, answer: SendMessage): void {
  const session = randomBytes(32).toString('base64url');
  const signIn = signInWith(session, false);
  let isOpened = false;
  server.addHook('onRequest', async (request, reply) => {
    // Another name of this machine would be that of a page elsewhere (DNS rebinding).
    if (!LOOPBACK.test(request.headers.host ?? ''))
      return answer(reply, 403, 'This page answers on this machine only.');
    const { token: given } = request.query as { readonly token?: unknown };
    const isLink = requestPath(request) === '/' && request.method === 'GET' && !isOpened;
    if (isLink && typeof given === 'string' && timingSafeEqual(digestOf(given), digestOf(token))) {
      isOpened = true;
      const cookie = signIn.cookieFor(session);
      return reply.header('set-cookie', cookie).redirect('/setup', 303);
    }
    if (signIn.isSignedIn(request.headers)) return undefined;
    return answer(
      reply,
      401,
      `Open the link that \`${spellCommand('setup')}\` printed. It works once: run the command again for a new one.`,
    );
  });
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

function servePage(
  server: FastifyInstance,
  source: SetupSource,
  send: (reply: FastifyReply, status: number, content: Html) => FastifyReply,
): void {
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: LONGEST_FORM },
    (_request, text, done) => done(null, Object.fromEntries(new URLSearchParams(String(text)))),
  );
  server.get('/', (_request, reply) => reply.redirect('/setup', 303));
  server.get('/setup', (_request, reply) => {
    const view = source.view();
    reply.raw.once('finish', () => source.shown(view));
    return send(reply, 200, setupPage(view));
  });
  server.get('/setup/state', (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ state: pageDigest(source.view()) }),
  );
  server.post('/setup/address', (request, reply) => {
    // Of another port of this machine too: browsers send it the same cookies.
    if (!isOwnForm(request)) return send(reply, 403, setupPage({ step: 'failed', why: FOREIGN }));
    const { address = '' } = Object(request.body) as { readonly address?: unknown };
    const fault = source.giveAddress(String(address));
    if (fault === undefined) return reply.redirect('/setup', 303);
    return send(reply, 422, setupPage({ step: 'address', fault, given: String(address) }));
  });
  server.get('/setup/created', async (request, reply) => {
    const { code, state } = request.query as Readonly<Record<string, unknown>>;
    try {
      await source.accept(String(code), String(state));
    } catch (error) {
      return send(reply, 400, setupPage({ step: 'failed', why: messageOf(error) }));
    }
    return reply.redirect('/setup', 303);
  });
}

const FOREIGN = 'This form was not sent by this page, so it was ignored. Load the page again.';

/** A form may lead to GitHub, and nothing else may leave the page. */
const headersFor = (github: string): Readonly<Record<string, string>> => ({
  'content-security-policy': contentPolicy(SETUP_SCRIPT, github),
  'cache-control': 'no-store',
  'referrer-policy': 'strict-origin',
  'x-frame-options': 'DENY',
});

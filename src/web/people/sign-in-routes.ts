import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { messageOf, TryLater } from '../../lib/errors.ts';
import { HEADERS, send } from '../page-answers.ts';
import { NOTICES } from '../pages/account-page.ts';
import { requestPath } from '../request-log.ts';
import type { TokenSignIn } from './cookies.ts';
import { networkOf, type RateLimit } from './rate-limit.ts';
import { CALLBACK_PATH, safeBack, SIGN_IN_PATH, type SignIns } from './sign-ins.ts';

export interface SignInRoutes {
  readonly signIns: SignIns;
  /** Of the operator: a sign-in takes its place. */
  readonly token: Pick<TokenSignIn, 'clear'>;
  /** For each address or network. */
  readonly limit: RateLimit;
  readonly log: Logger;
}

/** `/sign-in` leads to GitHub, which leads back to `/sign-in/callback`. */
export function serveSignIn(
  server: FastifyInstance,
  { signIns, token, limit, log }: SignInRoutes,
): void {
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    const seconds = limit.take(networkOf(request.ip));
    return seconds === undefined ? undefined : sendTooMany(reply, seconds);
  };
  const options = { onRequest, exposeHeadRoute: false };
  server.get(SIGN_IN_PATH, options, async (request, reply) => {
    const { back, led } = request.query as { readonly back?: unknown; readonly led?: unknown };
    // The cookie has to be there when GitHub leads back: under another name of this service it would not be. Only once,
    // because a proxy may call us by a name of its own.
    if (led === undefined && request.headers.host !== new URL(signIns.origin).host) {
      const query = new URLSearchParams({ back: safeBack(back), led: '1' });
      return redirect(reply, `${signIns.origin}${SIGN_IN_PATH}?${query.toString()}`);
    }
    const { address, cookie } = await signIns.begin(back);
    return redirect(reply.header('set-cookie', cookie), address);
  });
  server.get(CALLBACK_PATH, options, async (request, reply) => {
    const query = request.query as Readonly<Record<string, unknown>>;
    try {
      const finished = await signIns.finish(query, request.headers.cookie);
      if (finished.outcome !== 'signed in') return send(reply, 403, NOTICES[finished.outcome]);
      const cookies = [...finished.cookies, token.clear(request.headers)];
      const set = cookies.filter((cookie) => cookie !== undefined);
      return redirect(reply.header('set-cookie', set), finished.back);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'a sign-in on the session pages failed');
      if (error instanceof TryLater) return send(reply, 503, NOTICES.away);
      return send(reply, 403, NOTICES.invalid);
    }
  });
}

export const sendTooMany = (reply: FastifyReply, seconds: number): FastifyReply =>
  send(reply.header('retry-after', seconds), 429, NOTICES.tooMany);

/** Says nothing of where the browser comes from. */
const redirect = (reply: FastifyReply, address: string): FastifyReply =>
  reply.headers(HEADERS).redirect(address, 303);

/** Whether these pages sent a form themselves. Browsers say it, and no page can change what they say. */
export function isOwnForm({ headers }: FastifyRequest): boolean {
  const { origin = '', host = '', 'sec-fetch-site': site } = headers;
  // Over http they say only the origin.
  return site === undefined ? URL.parse(origin)?.host === host : site === 'same-origin';
}

/** The page that was asked for, or whose form was sent, to come back to. */
export const asked = (request: FastifyRequest): string => {
  const [, query] = request.url.split('?', 2);
  const path = requestPath(request).replace(/\/(?:comments|events)$/, '');
  return query === undefined ? path : `${path}?${query}`;
};

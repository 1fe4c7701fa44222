// What people send to the session pages: their sign-in with GitHub, and the buttons of a session.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { TryLater, messageOf } from '../../lib/errors.ts';
import { HEADERS, notice, send, unknownSession } from '../page-answers.ts';
import { NOTICES } from '../pages/account-page.ts';
import { actionPressed, commentFor, LONGEST_ANSWER } from '../pages/actions.ts';
import { mayWrite, SESSION_ID, type SessionSource, type Viewer } from '../session-source.ts';
import { html } from '../../lib/text/html.ts';
import { requestPath } from '../answers.ts';
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

export interface CommentRoute {
  readonly signIns: SignIns;
  readonly sourceFor: (request: FastifyRequest) => SessionSource;
  readonly viewerOf: (request: FastifyRequest) => Viewer;
  /** For each person. */
  readonly limit: RateLimit;
  readonly log: Logger;
}

/** `/sessions/ID/comments`: a button of the page, as a comment of the person. */
export function serveComments(server: FastifyInstance, parts: CommentRoute): void {
  const { sourceFor, viewerOf, limit } = parts;
  server.post<{ Params: { id: string } }>('/sessions/:id/comments', async (request, reply) => {
    if (!isOwnForm(request)) return send(reply, 403, NOTICES.foreign);
    const { id } = request.params;
    const viewer = viewerOf(request);
    const part = SESSION_ID.test(id) ? await sourceFor(request).part(id, {}) : undefined;
    if (part === undefined) return send(reply, 404, unknownSession());
    const { thread } = part.session;
    if (!mayWrite(viewer, thread.repository.id)) return send(reply, 403, READ_ONLY);
    const seconds = limit.take(viewer.login ?? '');
    if (seconds !== undefined) return sendTooMany(reply, seconds);
    const form = new URLSearchParams(request.body instanceof URLSearchParams ? request.body : '');
    const action = actionPressed(part.session, form);
    if (action === undefined)
      return reply.headers(HEADERS).redirect(`/sessions/${id}?outdated=1`, 303);
    const body = commentFor(action, form.get('text'));
    if (body === undefined) return send(reply, 422, NO_ANSWER);
    return say(request, reply, {
      ...parts,
      id,
      comment: { repositoryId: thread.repository.id, issue: thread.issue, body },
    });
  });
}

interface ButtonComment extends CommentRoute {
  readonly id: string;
  readonly comment: Parameters<SignIns['comment']>[1];
}

async function say(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { signIns, log, id, comment }: ButtonComment,
): Promise<FastifyReply> {
  try {
    await signIns.comment(headers.cookie, comment);
  } catch (error) {
    log.warn({ session: id, reason: messageOf(error) }, 'failed to write a comment for a person');
    return error instanceof TryLater ? send(reply, 503, UNSURE) : send(reply, 403, DENIED);
  }
  return reply.headers(HEADERS).redirect(`/sessions/${id}?said=1`, 303);
}

const READ_ONLY = notice(
  'You cannot do this',
  html`<p>
    It needs write access to the repository on GitHub, and a sign-in with GitHub: the operator's
    link names nobody.
  </p>`,
);

const NO_ANSWER = notice(
  'Nothing was done',
  html`<p>
    The answer is empty or longer than ${LONGEST_ANSWER.toLocaleString('en')} characters. Go back
    and change it.
  </p>`,
);

const UNSURE = notice(
  'GitHub did not answer',
  html`<p>
    So it is not known whether your comment is there. Look at the issue on GitHub before you press
    the button again.
  </p>`,
);

const DENIED = notice(
  'GitHub did not take the comment',
  html`<p>
    Perhaps the conversation is locked, or the App may not write issues. Write your comment on the
    issue on GitHub.
  </p>`,
);

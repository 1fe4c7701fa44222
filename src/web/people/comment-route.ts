import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { messageOf, TryLater } from '../../lib/errors.ts';
import { HEADERS, notice, send, unknownSession } from '../page-answers.ts';
import { NOTICES } from '../pages/account-page.ts';
import { actionPressed, commentFor, LONGEST_ANSWER } from '../pages/actions.ts';
import { mayWrite, SESSION_ID, type SessionSource, type Viewer } from '../session-source.ts';
import { html } from '../../lib/text/html.ts';
import type { RateLimit } from './rate-limit.ts';
import { isOwnForm, sendTooMany } from './sign-in-routes.ts';
import type { SignIns } from './sign-ins.ts';

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

// Where a person lets the App act in their name, and where the App gets its token for that.
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html } from '../../../../../src/lib/text/html.ts';
import { GitHubError } from '../github-error.ts';
import { parseBody, type Services } from '../rest/route.ts';
import { answerTo } from '../user-sign-in.ts';
import { chooser, type Viewer } from './forms.ts';
import { checkHost, checkOrigin } from './guard.ts';
import { sendPage } from './layout.ts';
import { viewerOf, type Address } from './page-request.ts';

const Query = z.record(z.string(), z.string());
const Decision = z.object({ query: z.string(), as: z.string(), decision: z.enum(['yes', 'no']) });

export function registerSignInPages(server: FastifyInstance, services: Services): void {
  const { world, authentication } = services;
  const { userSignIn } = authentication;

  server.get<Address>('/login/oauth/authorize', (request, reply) => {
    checkHost(request);
    const { redirectUri } = userSignIn.read(Query.parse(request.query));
    return sendPage(reply, {
      title: 'Authorize application',
      version: world.version,
      path: html``,
      main: authorizeForm(world.app.name, redirectUri, {
        query: request.url.split('?')[1] ?? '',
        viewer: viewerOf(services, request),
      }),
      formTarget: new URL(redirectUri).origin,
    });
  });
  server.post('/login/oauth/authorize', (request, reply) => {
    checkOrigin(request);
    const { query, as, decision } = parseBody(Decision, request.body);
    const asked = userSignIn.read(Object.fromEntries(new URLSearchParams(query)));
    if (decision === 'no') return reply.redirect(answerTo(asked, DENIED), 302);
    const user = world.user(as);
    if (user?.type !== 'User') throw new GitHubError('own', 404, `There is no user named ${as}.`);
    const cookie = `as=${encodeURIComponent(user.login)}; Path=/; SameSite=Strict; HttpOnly`;
    return reply.header('set-cookie', cookie).redirect(userSignIn.authorize(asked, user), 302);
  });
  server.post('/login/oauth/access_token', (request, reply) => {
    const given = { ...Query.parse(request.query), ...Query.parse(request.body ?? {}) };
    const answer = userSignIn.exchange(given);
    if (request.headers.accept?.includes('json') === true) return reply.send(answer);
    const form = new URLSearchParams();
    for (const [name, value] of Object.entries(answer)) form.set(name, String(value));
    return reply.type('application/x-www-form-urlencoded; charset=utf-8').send(form.toString());
  });
}

const DENIED = {
  error: 'access_denied',
  error_description: 'The user has denied your application access.',
};

interface AuthorizationView {
  /** Of the address that the App led to. */
  readonly query: string;
  readonly viewer: Viewer;
}

const authorizeForm = (
  name: string,
  redirectUri: string,
  { query, viewer }: AuthorizationView,
): Html =>
  html`<h1 class="title">Authorize ${name}</h1>
    <p class="muted">
      It will know who you are and what you can read. It leads back to
      <code>${redirectUri}</code>.
    </p>
    <form class="box" method="post" action="/login/oauth/authorize">
      <input type="hidden" name="query" value="${query}" />
      <div class="buttons">
        ${chooser(viewer)}<button name="decision" value="no">Cancel</button
        ><button class="main" name="decision" value="yes">Authorize ${name}</button>
      </div>
    </form>`;

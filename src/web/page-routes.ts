import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html, type Html } from '../lib/html.ts';
import { isFromThisMachine } from './loopback.ts';
import { page } from './pages/layout.ts';
import { SCRIPT } from './pages/script.ts';
import { promptPage, type PromptPage } from './pages/prompt-page.ts';
import { sessionList } from './pages/session-list.ts';
import { sessionPage } from './pages/session-page.ts';
import { STYLE } from './pages/style.ts';
import type { Renderings } from './pages/value.ts';
import type { SessionSource } from './session-source.ts';

const SESSION_ID = /^[\w-]{1,64}$/;

/** The read-only pages, for users of this machine. */
export function servePages(
  server: FastifyInstance,
  source: SessionSource,
  githubUrl: string,
  renderings: Renderings,
): void {
  const headers = pageHeaders();
  const send = (reply: FastifyReply, status: number, content: Html): FastifyReply =>
    reply.code(status).headers(headers).type('text/html; charset=utf-8').send(content.text);
  /** An open page polls every few seconds, so unchanged content is answered with 304. */
  const sendNew = (reply: FastifyReply, known: string | undefined, content: Html): FastifyReply => {
    const tag = `"${hashOf(content.text)}"`;
    void reply.header('etag', tag);
    return known === tag ? reply.code(304).headers(headers).send() : send(reply, 200, content);
  };

  void server.register(async (scope) => {
    scope.addHook('onRequest', async ({ socket, headers: asked, raw }, reply) => {
      const { remoteAddress } = socket;
      const { httpVersion } = raw;
      if (isFromThisMachine({ remoteAddress, headers: asked, httpVersion })) return undefined;
      return send(reply, 403, notFromHere());
    });
    scope.get('/', (_request, reply) => reply.redirect('/sessions'));
    scope.get('/sessions', async (request, reply) => {
      const known = request.headers['if-none-match'];
      return sendNew(reply, known, sessionList(await source.list()));
    });
    scope.get<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
      const { id } = request.params;
      const entries = SESSION_ID.test(id) ? await source.journal(id) : undefined;
      if (entries === undefined || entries.length === 0) return send(reply, 404, unknownSession());
      const known = request.headers['if-none-match'];
      return sendNew(reply, known, sessionPage(id, entries, githubUrl, renderings));
    });
    scope.get<{ Params: { id: string; '*': string } }>(
      '/sessions/:id/prompt*',
      async ({ params: { id, '*': rest } }, reply) => {
        const found = await requestOf(source, id, rest);
        return found === undefined
          ? send(reply, 404, unknownSession())
          : send(reply, 200, promptPage(found));
      },
    );
  });
}

/** The prompt of a reply (`/SEQ`), or the next prompt. */
async function requestOf(
  source: SessionSource,
  id: string,
  rest: string,
): Promise<PromptPage | undefined> {
  if (!SESSION_ID.test(id) || !/^(?:\/\d{1,9})?$/.test(rest)) return undefined;
  const entries = (await source.journal(id)) ?? [];
  const reply = rest === '' ? undefined : Number(rest.slice(1));
  const at = entries.findIndex(({ type, seq }) => type === 'reply' && seq === reply);
  if (entries.length === 0 || (reply !== undefined && at === -1)) return undefined;
  const before = reply === undefined ? entries : entries.slice(0, at);
  return { id, entries, reply, prompt: source.prompt(before) };
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** Only this server's own scripts and styles may run, and no page may be framed. */
function pageHeaders(): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(STYLE)}'`,
    `script-src 'sha256-${hashOf(SCRIPT)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
}

const notFromHere = (): Html =>
  page({
    title: 'Only available on this machine',
    live: false,
    content: html`<section class="notice">
      <h1>Only available on this machine</h1>
      <p>
        Session pages show private content of your repositories and have no login. They are only
        available on the machine that Issuewright runs on, at
        <code>http://localhost:PORT/sessions</code>, and not through a proxy.
      </p>
      <p>To open them from another machine, use an SSH tunnel and the same address:</p>
      <pre>ssh -L 3000:localhost:3000 you@the-machine</pre>
    </section>`,
  });

const unknownSession = (): Html =>
  page({
    title: 'Session not found',
    live: false,
    content: html`<section class="notice">
      <h1>Session not found</h1>
      <p>It may be in another database. <a href="/sessions">All sessions</a></p>
    </section>`,
  });

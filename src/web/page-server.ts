import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import type { Html } from '../lib/text/html.ts';
import type { Answer } from './answers.ts';
import { createHttpServer, type HttpServer } from './http-server.ts';
import { mistake, notSignedIn, unknownSession } from './pages/notices.ts';
import { SCRIPT } from './pages/script.ts';
import { memoryPage } from './pages/memory-page.ts';
import { promptPage, type PromptPage } from './pages/prompt-page.ts';
import { sessionList } from './pages/session-list.ts';
import { sessionPage } from './pages/session-page.ts';
import { STYLE } from './pages/style.ts';
import type { Renderings } from './pages/value.ts';
import { pathOf } from './request-log.ts';
import type { SessionSource } from './session-source.ts';
import { signInWith, type SignIn } from './sign-in.ts';

const SESSION_ID = /^[\w-]{1,64}$/;

const METHODS = [[/^\/(?:sessions(?:\/.*)?)?$/, 'GET, HEAD']] as const;

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
}

/** The server of the read-only session pages, for people who have the token. It does not listen yet. */
export function createPageServer(options: PageServerOptions): HttpServer {
  const { log, token, isSecure = false } = options;
  const { routes, controls } = createHttpServer({ log, methods: METHODS, answer: sendMistake });
  requireSignIn(routes, signInWith(token, isSecure));
  servePages(routes, options);
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

const send = (reply: FastifyReply, status: number, content: Html): FastifyReply =>
  reply.code(status).headers(HEADERS).type('text/html; charset=utf-8').send(content.text);

const sendMistake: Answer = (reply, status, message) =>
  send(reply, status, mistake(status, message));

/** An open page polls every few seconds, so unchanged content is answered with 304. */
function sendNew(reply: FastifyReply, known: string | undefined, content: Html): FastifyReply {
  const tag = `"${hashOf(content.text)}"`;
  void reply.header('etag', tag);
  return known === tag ? reply.code(304).headers(HEADERS).send() : send(reply, 200, content);
}

function servePages(
  server: FastifyInstance,
  {
    pages: source,
    githubUrl = 'https://github.com',
    renderings = new Map(),
  }: Omit<PageServerOptions, 'token'>,
): void {
  server.get('/', (_request, reply) => reply.redirect('/sessions'));
  server.get('/sessions', async (request, reply) => {
    const known = request.headers['if-none-match'];
    return sendNew(reply, known, sessionList(await source.list()));
  });
  server.get<{ Params: { id: string } }>('/sessions/:id', async (request, reply) => {
    const { id } = request.params;
    const after = seqOf(request.query, 'after');
    const before = seqOf(request.query, 'before');
    const isId = SESSION_ID.test(id);
    if (isId && after !== undefined && (await source.newest(id)) === after)
      return reply.code(304).headers(HEADERS).send();
    const range = after === undefined ? (before === undefined ? {} : { before }) : { after };
    const part = isId ? await source.part(id, range) : undefined;
    if (part === undefined) return send(reply, 404, unknownSession());
    const isEarlier = before !== undefined;
    const content = sessionPage(id, part, githubUrl, { renderings, after, isEarlier });
    return sendNew(reply, request.headers['if-none-match'], content);
  });
  server.get<{ Params: { id: string } }>('/sessions/:id/memory', async (request, reply) => {
    const { id } = request.params;
    const found = SESSION_ID.test(id) ? await source.memories(id) : undefined;
    return found === undefined
      ? send(reply, 404, unknownSession())
      : send(reply, 200, memoryPage(id, found));
  });
  server.get<{ Params: { id: string; '*': string } }>(
    '/sessions/:id/prompt*',
    async ({ params: { id, '*': rest } }, reply) => {
      const found = await requestOf(source, id, rest);
      return found === undefined
        ? send(reply, 404, unknownSession())
        : send(reply, 200, promptPage(found));
    },
  );
}

/** `?after=SEQ`: the last entry that an open page has. `?before=SEQ`: the first one that the page after this one has. */
function seqOf(query: unknown, name: 'after' | 'before'): number | undefined {
  const value = (query as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
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
function pageHeaders(): Readonly<Record<string, string>> {
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

const HEADERS = pageHeaders();

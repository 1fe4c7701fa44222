// How pages are sent: what their headers allow a browser to do with them.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { html, type Html } from '../lib/text/html.ts';
import type { SendMessage } from './answers.ts';
import { SCRIPT } from './pages/script.ts';
import { STYLE } from './pages/style.ts';
import { page } from './pages/layout.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');

/** Only our style and this script may run, forms go to this server and there alone, and no page may be framed. */
export const contentPolicy = (script: string, ...forms: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${hashOf(STYLE)}'`,
    `script-src 'sha256-${hashOf(script)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    ["form-action 'self'", ...forms].join(' '),
    "frame-ancestors 'none'",
  ].join('; ');

/** Of every answer of the page server. */
export const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': contentPolicy(SCRIPT),
  'cache-control': 'no-store',
  // Without a referrer, browsers name no origin in forms either.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

export const send = (reply: FastifyReply, status: number, content: Html): FastifyReply =>
  reply.code(status).type('text/html; charset=utf-8').send(content.text);

/** Also before any hook, for an address that cannot be read. */
export const sendMistake: SendMessage = (reply, status, message) =>
  send(reply.headers(HEADERS), status, mistake(status, message));

/** A page that asks again gets 304 while nothing has changed. */
export function sendNew(reply: FastifyReply, known: string | undefined, content: Html) {
  const tag = `"${hashOf(content.text)}"`;
  void reply.header('etag', tag);
  return known === tag ? reply.code(304).send() : send(reply, 200, content);
}

// Pages that only say why there is nothing else to see.

export const notice = (title: string, content: Html, tab = title): Html =>
  page({
    title: tab,
    live: false,
    content: html`<section class="notice">
      <h1>${title}</h1>
      ${content}
    </section>`,
  });

const LIST = html`<a href="/sessions">All sessions</a>`;

export const notSignedIn = (): Html =>
  notice(
    'Open the link that Issuewright printed first',
    html`<p>
        Session pages show private content of your repositories. Issuewright prints a link with a
        token when it starts. Open that link once in this browser, then come back to this page.
      </p>
      <p>Ask the operator of this service for the link if you do not have it.</p>`,
    'Not signed in',
  );

export const unknownSession = (): Html =>
  notice(
    'Session not found',
    html`<p>
        This service has no session with this ID, or you may not see it. People who sign in with
        GitHub see the sessions of repositories that they have access to there.
      </p>
      <p>${LIST} · <a href="/account">Your account</a></p>`,
  );

/** What an HTTP status says by itself. */
const mistake = (status: number, message: string): Html =>
  status === 404
    ? notice('Page not found', html`<p>No page has this address. ${LIST}</p>`)
    : notice(`Error ${status}`, html`<p>${message} ${LIST}</p>`);

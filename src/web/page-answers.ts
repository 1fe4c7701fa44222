// How pages are sent: what their headers allow a browser to do with them.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Html } from '../lib/text/html.ts';
import type { SendMessage } from './answers.ts';
import { mistake } from './pages/notices.ts';
import { SCRIPT } from './pages/script.ts';
import { STYLE } from './pages/style.ts';

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

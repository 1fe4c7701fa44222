// The layout of every page, and the script that keeps an open page up to date.
import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Html } from '../../../../../src/lib/text/html.ts';
import { html, trusted } from '../../../../../src/lib/text/html.ts';
import type { GitHubError } from '../github-error.ts';
import { STYLE } from './style.ts';

/**
 * Polls the version once a second. If it has grown, fetches the page and replaces its live parts, except one
 * in which the user is typing. The page of a form may have no address to fetch it from, and has no such parts.
 */
const REFRESH = `
let seen = document.body.dataset.version;
const isTyping = (part) => part.contains(document.activeElement) && document.activeElement !== document.body
  || [...part.querySelectorAll('textarea, input[type=text]')].some((field) => field.value !== field.defaultValue);
setInterval(async () => {
  if (document.hidden || !document.querySelector('[data-live]')) return;
  try {
    const version = await (await fetch('/ui/version')).text();
    if (version === seen) return;
    const page = new DOMParser().parseFromString(await (await fetch(location.href)).text(), 'text/html');
    seen = page.body.dataset.version;
    for (const part of document.querySelectorAll('[data-live]')) {
      const fresh = page.getElementById(part.id);
      if (fresh && !isTyping(part) && fresh.innerHTML !== part.innerHTML) part.replaceWith(fresh);
    }
  } catch {}
}, 1000);
`;

/** Why there is no page, or what a form did not do. */
export const sendError = (reply: FastifyReply, error: GitHubError, version: number): FastifyReply =>
  sendPage(reply.code(error.status), {
    title: error.message,
    version,
    path: html``,
    main: html`<h1 class="title">${error.message}</h1>
      <p>Status ${error.status}. Go back, or go to the <a href="/">list of repositories</a>.</p>`,
  });

export function sendPage(
  reply: FastifyReply,
  page: {
    title: string;
    version: number;
    path: Html;
    main: Html;
    /** Where a form may lead, besides here. */
    formTarget?: string;
  },
): FastifyReply {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; form-action 'self' ${page.formTarget ?? ''}; base-uri 'none'; frame-ancestors 'none'`;
  const { text } = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <link rel="icon" href="data:," />
        <title>${page.title}</title>
        <style>
          ${trusted(STYLE)}
        </style>
      </head>
      <body data-version="${page.version}">
        <header class="top">
          <div>
            <a href="/">Local GitHub</a>${page.path}<span class="where">on this machine only</span>
          </div>
        </header>
        <main>${page.main}</main>
        <script nonce="${nonce}">
          ${trusted(REFRESH)};
        </script>
      </body>
    </html>`;
  return reply
    .headers({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    })
    .type('text/html; charset=utf-8')
    .send(text);
}

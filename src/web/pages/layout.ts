import { html, trusted, type Html } from '../../lib/html.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

export interface Page {
  readonly title: string;
  readonly content: Html;
  /** The page keeps itself up to date while it is open. */
  readonly live: boolean;
}

const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2f6f4f"/><path d="M5 11.5 11 4.5M4.5 8l3 3" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>',
  );

/** A whole document. Without its script it still works: it reloads itself. */
export const page = ({ title, content, live }: Page): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Issuewright</title>
<link rel="icon" href="${ICON}">
<style>${trusted(STYLE)}</style>
${live ? html`<noscript><meta http-equiv="refresh" content="5" /></noscript>` : ''}
</head>
<body${live ? trusted(' data-live') : ''}>
<header class="top"><a href="/sessions">Issuewright</a></header>
<main>${content}</main>
<script>${trusted(SCRIPT)}</script>
</body>
</html>
`;

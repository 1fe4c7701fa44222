import { html, trusted, type Html } from '../../lib/text/html.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import type { JournalIndex } from './journal-index.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import type { Renderings } from './value.ts';

export interface Page {
  readonly title: string;
  readonly content: Html;
  /** The page updates itself while it is open. */
  readonly live: boolean;
  /** The last entry that a live page shows: it then asks for newer ones only. */
  readonly seq?: number | undefined;
  /** For a page that is open: without style sheet and script, which it has. */
  readonly isUpdate?: boolean | undefined;
}

const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2f6f4f"/><path d="M5 11.5 11 4.5M4.5 8l3 3" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>',
  );

const LOOKS = html`<meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" />
  <link rel="icon" href="${ICON}" />
  ${trusted(`<style>${STYLE}</style>`)}`;

const TOP = html`<a class="skip" href="#main">Skip to the content</a>
  <header class="top">
    <nav aria-label="Issuewright">
      <a href="/sessions">Issuewright</a>
      <span><a href="/totals">Totals</a> <a href="/account">Account</a></span>
    </nav>
  </header>
  <p class="said" role="status" id="said"></p>`;

/** A complete document. Without scripts, a live page reloads itself. */
export const page = ({ title, content, live, seq, isUpdate = false }: Page): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title} · Issuewright</title>
${isUpdate ? '' : LOOKS}
${live && !isUpdate ? html`<noscript><meta http-equiv="refresh" content="5" /></noscript>` : ''}
</head>
<body${live ? trusted(' data-live') : ''}${seq === undefined ? '' : html` data-seq="${seq}"`}>
${isUpdate ? '' : TOP}
<main id="main" tabindex="-1">${content}</main>
${isUpdate ? '' : trusted(`<script>${SCRIPT}</script>`)}
</body>
</html>
`;

/** How each entry is shown in the timeline; `undefined`: not as an entry of its own. */
export type Items = {
  readonly [Type in Entry['type']]: (
    entry: EntryOf<Type>,
    index: JournalIndex,
    renderings: Renderings,
  ) => Html | undefined;
};

/** An entry in the timeline. `kind` is a class of the style sheet. */
export function item({ seq, at }: Entry, kind: string, content: Html): Html {
  const id = `entry-${seq}`;
  const shown = at.slice(11, 19);
  return html`<li class="${kind}" id="${id}" data-part>
    <time datetime="${at}" title="${at}"><a href="#${id}">${shown}</a></time
    >${content}
  </li>`;
}

export const note = (words: string, more: Html | string = ''): Html =>
  html`<div class="note"><strong>${words}</strong> ${more}</div>`;

export const noteItem = (entry: Entry, words: string, more: Html | string = ''): Html =>
  item(entry, '', note(words, more));

/** The names of states, to choose from. What a session is called is in `headline`. */
export const STATE_NAMES: ReadonlyMap<string, string> = new Map([
  ['ignored', 'Not started'],
  ['queued', 'Queued'],
  ['working', 'Working'],
  ['waiting(answer)', 'Waiting for an answer'],
  ['waiting(approval)', 'Waiting for approval'],
  ['waiting(review)', 'In review'],
  ['waiting(pause)', 'Paused'],
  ['waiting(person)', 'Waiting for a person'],
  ['waiting(sub-issues)', 'Working on sub-issues'],
  ['done', 'Done'],
  ['failed', 'Failed'],
  ['stopped', 'Stopped'],
]);

/** A session in a list, in the words of its own page. */
export const listedAs = ({
  state,
  outcome,
}: {
  readonly state: string;
  readonly outcome: string;
}) => outcome || (STATE_NAMES.get(state) ?? state);

export function stateBadge(state: string, words: string): Html {
  const tone = (state.match(/\w+/g) ?? []).map((word) => `state-${word}`).join(' ');
  return html`<span class="badge ${tone}">${words}</span>`;
}

import { html, type Html } from '../../lib/html.ts';
import { cutCharacters } from '../../lib/text.ts';
import { tokens } from '../../session/views/words.ts';

const PREVIEW_CHARACTERS = 1_500;
const PREVIEW_LINES = 24;
/** Of a longer text the page holds no more; all of it stands in the journal. */
const MOST_CHARACTERS = 60_000;

/** Prose with its code spans shown as code. */
export const prose = (text: string): Html =>
  html`${text
    .split(/(`[^`\n]+`)/)
    .map((piece, at) => (at % 2 === 1 ? html`<code>${piece.slice(1, -1)}</code>` : piece))}`;

/** Prose of any length. `key` is unique on the page: what is unfolded stays so. */
export const longProse = (key: string, text: string): Html =>
  long(key, text, (part) => html`<div class="text">${prose(part)}</div>`);

/** Text as it is, such as a file. */
export const longCode = (key: string, text: string): Html =>
  long(key, text, (part) => html`<pre>${part}</pre>`);

function long(key: string, text: string, show: (part: string) => Html): Html {
  const preview = previewOf(text);
  if (preview === text) return show(text);
  const all = `Show all ${tokens(text.length)} characters`;
  return html`${show(`${preview}\n…`)}${folded(key, all, show(cutCharacters(text, MOST_CHARACTERS)))}`;
}

function previewOf(text: string): string {
  const lines = text.split('\n', PREVIEW_LINES + 1);
  const few = lines.length > PREVIEW_LINES ? lines.slice(0, PREVIEW_LINES).join('\n') : text;
  return cutCharacters(few, PREVIEW_CHARACTERS, '');
}

export const folded = (key: string, summary: string, content: Html): Html =>
  html`<details class="more" data-key="${key}">
    <summary>${summary}</summary>
    <div class="body">${content}</div>
  </details>`;

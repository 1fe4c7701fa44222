import { html, webAddress, type Html } from '../../lib/text/html.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { tokens } from '../../session/texts/format.ts';
import type { NumberedImage } from '../../contracts/image.ts';
import type { Session } from '../../session/session.ts';

const PREVIEW_CHARACTERS = 1_500;
const PREVIEW_LINES = 24;
/** Longer texts are cut on the page; the journal has all of them. */
const MAX_CHARACTERS = 60_000;

/** Prose with code spans. */
export const prose = (text: string): Html =>
  html`${text
    .split(/(`[^`\n]+`)/)
    .map((piece, at) => (at % 2 === 1 ? html`<code>${piece.slice(1, -1)}</code>` : piece))}`;

/** Preformatted text, such as a file. */
export const longCode = (key: string, text: string): Html =>
  long(key, text, (part) => html`<pre>${part}</pre>`);

/** A text of any length. If it is long, shows its beginning, with the complete text folded. */
export function long(key: string, text: string, show: (part: string) => Html): Html {
  const preview = previewOf(text);
  if (preview === text) return show(text);
  const all = `Show all ${tokens(text.length)} characters`;
  return html`${show(`${preview}\n…`)}${foldedSection(key, all, show(cutCharacters(text, MAX_CHARACTERS)))}`;
}

function previewOf(text: string): string {
  const lines = text.split('\n', PREVIEW_LINES + 1);
  const few = lines.length > PREVIEW_LINES ? lines.slice(0, PREVIEW_LINES).join('\n') : text;
  return cutCharacters(few, PREVIEW_CHARACTERS, '');
}

export const foldedSection = (key: string, summary: string, content: Html): Html =>
  html`<details class="more" data-key="${key}">
    <summary>${summary}</summary>
    <div class="body">${content}</div>
  </details>`;

/** A link, if the address is one of the web. */
export function linked(url: string, words: Html | string): Html {
  const href = webAddress(url);
  return href === undefined
    ? html`${words}`
    : html`<a href="${href}" rel="noreferrer">${words}</a>`;
}

/** "Image 2: PNG, 640 × 480 pixels, 12 kB" */
export const imageLine = ({ number, type, width, height, bytes }: NumberedImage): string =>
  `Image ${number}: ${type.slice('image/'.length).toUpperCase()}, ${width} × ${height} pixels, ${Math.ceil(bytes / 1000)} kB`;

// Where a session page leads to.

export interface Links {
  readonly repository: string;
  readonly issue: string;
  /** What the model was sent before this reply or call, or is sent after this entry. */
  request(seq: number): string;
  commit(sha: string): string;
  /** Of a thread of review, by its number; `undefined` if it is not known where it is. */
  reviewThread(number: number): string | undefined;
}

export function linksOf(id: string, { thread, reviews }: Session, githubUrl: string): Links {
  const { owner, name } = thread.repository;
  const place = [owner, name].map(encodeURIComponent).join('/');
  const repository = `${githubUrl.replace(/(?<!\/)\/+$/, '')}/${place}`;
  const pull = thread.pullRequest?.number ?? thread.adopted?.number;
  return {
    repository,
    issue: `${repository}/issues/${thread.issue}`,
    request: (seq) => `/sessions/${id}/prompt/${seq}`,
    commit: (sha) => `${repository}/commit/${encodeURIComponent(sha)}`,
    reviewThread: (number) => {
      const root = reviews.threads.find((one) => one.number === number)?.root;
      if (root === undefined || pull === undefined) return undefined;
      return `${repository}/pull/${pull}#discussion_r${root}`;
    },
  };
}

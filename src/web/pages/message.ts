import { html, type Html } from '../../lib/text/html.ts';
import type { EntryOf } from '../../session/entry.ts';
import type { LineComment } from '../../contracts/shown-text.ts';
import type { Intent, ReviewCause } from '../../contracts/intent.ts';
import type { JournalIndex } from './journal-index.ts';
import { longMarkdown } from './markdown.ts';
import { foldedSection, longCode, prose } from './text.ts';

export type WrittenIntent = Extract<Intent, { kind: 'start' | 'comment' | 'edited' | 'review' }>;

const VERDICTS = {
  approved: 'approved the pull request',
  changes_requested: 'requested changes',
  commented: 'reviewed the pull request',
} as const;

/** What a person wrote, and whether it was admitted. */
export function message(
  { seq, sender }: EntryOf<'received'>,
  intent: WrittenIntent,
  index: JournalIndex,
): Html {
  const judged = index.verdictOn(seq);
  const lines = judged?.type === 'admitted' ? judged.lineComments : [];
  const { text, comments } = seenText(intent.body);
  const hidden = hiddenFrom(judged?.type === 'admitted' ? judged : undefined);
  return html`<div class="card${judged?.type === 'rejected' ? ' is-rejected' : ''}">
    <header>
      <span><strong>@${sender.login}</strong> ${deed(intent)}</span>${verdict(judged)}
    </header>
    ${text === '' ? '' : longMarkdown(`said-${seq}`, text)}${lineComments(seq, lines)}${hiddenWords(`removed-${seq}`, hidden.length === 0 ? comments : hidden)}
  </div>`;
}

function deed(intent: WrittenIntent): Html {
  switch (intent.kind) {
    case 'start':
      if (intent.review !== undefined && intent.label === '')
        return html`${REVIEW_DEEDS[intent.review]}`;
      if (intent.assignee !== undefined)
        return html`assigned “${prose(intent.title)}” to <code>${intent.assignee}</code>`;
      if (intent.type !== undefined)
        return html`gave “${prose(intent.title)}” the type <code>${intent.type}</code>`;
      if (intent.label === '') return html`requested work in “${prose(intent.title)}”`;
      return html`added the label <code>${intent.label}</code> to “${prose(intent.title)}”`;
    case 'comment':
      return html`commented on the ${intent.on === 'issue' ? 'issue' : 'pull request'}`;
    case 'edited':
      return html`edited what they said`;
    case 'review':
      return html`${VERDICTS[intent.verdict ?? 'commented']}`;
    default:
      return intent satisfies never;
  }
}

const REVIEW_DEEDS: Readonly<Record<ReviewCause, string>> = {
  label: 'labelled the pull request',
  request: 'requested a review',
  opened: 'opened the pull request',
  ready: 'marked the pull request as ready',
  pushed: 'pushed to the pull request',
};

function verdict(judged: ReturnType<JournalIndex['verdictOn']>): Html {
  if (judged === undefined) return html`<span class="faint verdict">not processed yet</span>`;
  let word: string = judged.type;
  if (judged.type === 'rejected' && judged.background !== undefined) word = 'background';
  return html`<span class="faint verdict">${word}</span>`;
}

export const lineComments = (seq: number, lines: readonly LineComment[]): Html | string =>
  lines.length === 0
    ? ''
    : html`<ul class="lines">
        ${lines.map(
          ({ path, line, body }, at) =>
            html`<li>
              <span class="mono soft">${path}${line === null ? '' : `:${line}`}</span
              >${longMarkdown(`line-${seq}-${at}`, body)}
            </li>`,
        )}
      </ul>`;

/** Code, which is left as it is; an HTML comment; or an image. */
const PART =
  /(`{3,}|~{3,})[^]*?(?:\1|$)|`[^`\n]*`|<!--[^]*?(?:-->|$)|!\[([^\]\n]{0,1000})\]\(([^()\s]+)(?:[^\S\n][^()\n]*)?\)|<img\b[^<>]*>/gi;

/** Those that people paste into a text. Of any other, people see where it is. */
const OF_GITHUB =
  /^https:\/\/(?:github\.com\/user-attachments|[\w-]+\.githubusercontent\.com)\/[^\s?#]*$/;

interface SeenText {
  readonly text: string;
  readonly comments: readonly string[];
}

/** As people see it on GitHub, who do not see HTML comments, and see images instead of their Markdown. */
function seenText(body: string): SeenText {
  const comments: string[] = [];
  const text = body.replaceAll(PART, (part: string, _fence, alt?: string, address?: string) => {
    if (part.startsWith('<!--')) {
      comments.push(part);
      return '';
    }
    if (part.startsWith('![')) return imageWords(alt, address);
    return part.startsWith('<') ? imageWords(valueIn(part, 'alt'), valueIn(part, 'src')) : part;
  });
  return { text: text.trim(), comments };
}

const valueIn = (tag: string, name: string): string =>
  new RegExp(String.raw`\s${name}="([^"]*)"`, 'i').exec(tag)?.[1] ?? '';

function imageWords(alt = '', address = ''): string {
  const words = [alt.trim(), OF_GITHUB.test(address) ? '' : address].filter((one) => one !== '');
  return `[image${words.length === 0 ? '' : `: ${words.join(', ')}`}]`;
}

/** Words that GitHub does not show, so that the model does not read them either. */
function hiddenFrom(admitted: EntryOf<'admitted'> | undefined): readonly string[] {
  if (admitted === undefined) return [];
  const { shown, issue, earlier = [], lineComments } = admitted;
  return [issue, issue?.parent, shown, ...earlier, ...lineComments].flatMap(
    (text) => text?.hidden ?? [],
  );
}

function hiddenWords(key: string, hidden: readonly string[]): Html | string {
  const removed = hidden.filter((words) => words !== '');
  if (removed.length === 0) return '';
  return foldedSection(
    key,
    'Hidden on GitHub, and not shown to the model',
    hiddenList(key, removed),
  );
}

const hiddenList = (key: string, removed: readonly string[]): Html =>
  html`<ul>
    ${removed.map((words, at) => html`<li>${longCode(`${key}-${at}`, words)}</li>`)}
  </ul>`;

// Text from others as part of our comments: it may be bold or code, but cannot change the layout around
// it. Mentions and closing keywords are not handled here: the gate checks every write to GitHub.
import { splitCode } from '../../lib/markdown-code.ts';
import { cutCharacters, cutWords } from '../../lib/text.ts';

const ONE_LINE = 120;
const PATH = 240;
const MAX_FENCE = 3;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

/** On one line of at most 120 characters; code stays code, all other Markdown is shown as text. */
export function oneLine(text: string): string {
  const line = cutWords(text.toWellFormed().replaceAll(BREAKS, ' ').trim(), ONE_LINE);
  return line
    .split(/(`[^`]+`)/)
    .map((piece, at) => (at % 2 === 1 ? withoutMarkup(piece) : literal(piece)))
    .join('');
}

/** Whether `oneLine` shows all of it. */
export const isOneLine = (text: string): boolean =>
  text.trim().length <= ONE_LINE && !/[\r\n]/.test(text.trim());

const literal = (prose: string): string =>
  prose
    .replaceAll(/[\\`*_[\]~$]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;');

/**
 * As a quotation of at most `limit` characters, the quotation's own signs included. HTML in it is
 * shown as text, since a closing tag would end the quotation; so are footnotes, which GitHub moves
 * out of it.
 */
export function quoted(text: string, limit: number): string {
  const lines = neutral(text.toWellFormed().trim()).split(/\r\n?|[\n\u2028\u2029]/);
  const quotation = lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n');
  return cutCharacters(quotation, limit);
}

/**
 * In code, HTML is text. Combined with other texts it may stop being code, and a comment that it opens
 * would then hide everything after it.
 */
const withoutMarkup = (source: string): string => source.replaceAll(/<(?=[!?])/g, '‹');

const neutral = (text: string): string =>
  splitCode(text)
    .map((piece) =>
      piece.code
        ? withoutMarkup(piece.text)
        : piece.text.replaceAll(/<(?=[a-z/!?])/gi, '&lt;').replaceAll('[^', String.raw`\[^`),
    )
    .join('');

/** As code on one line, such as a path; backticks in it do not end it. */
export function code(text: string): string {
  const whole = withoutMarkup(text.toWellFormed().replaceAll(BREAKS, ' '));
  const line = cutCharacters(whole, PATH, '…') || ' ';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest > MAX_FENCE) return code(line.replaceAll('`', "'"));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** Folded away under a summary; `body` is Markdown. */
export const details = (summary: string, body: string): string =>
  `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;

/** A person by name, who is notified if the gate allows it. */
export const mention = (login: string): string => `@${login.replaceAll(/[^\w-]/g, '')}`;

/** Sections with a blank line between them; empty ones are left out. */
export const sections = (...parts: readonly string[]): string =>
  parts.filter((part) => part !== '').join('\n\n');

// Short texts from others within our own sentences: they may be code, but cannot change the layout around
// them. They are escaped as plain text and need no check by GitHub: the status comment has many, and is edited
// often. The gate takes out mentions, closing keywords and foreign addresses, as it does in all sections.
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { cutCharacters, cutWords } from '../../lib/text/text.ts';

const ONE_LINE = 120;
const PATH = 240;
const MAX_FENCE = 3;
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\s]+/gu;

/** On one line of at most 120 characters; code stays code, all other Markdown is shown as text. */
export const oneLine = (text: string): string => wholeLine(cutWords(joinedLines(text), ONE_LINE));

const joinedLines = (text: string): string => text.toWellFormed().replaceAll(BREAKS, ' ').trim();

/** The same at its whole length: what people approve. */
export function wholeLine(text: string): string {
  return joinedLines(text)
    .split(/(`[^`]+`)/)
    .map((piece, at) => (at % 2 === 1 ? withoutMarkup(piece) : literal(piece)))
    .join('')
    .replace(/^(?=#{1,6} |[-+] |>)|(?<=^\d{1,9})(?=[.)] )/, '\\');
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
 * In code, HTML is text. Combined with other texts it may stop being code, and a comment that it opens
 * would then hide everything after it.
 */
const withoutMarkup = (source: string): string => source.replaceAll(/<(?=[!?])/g, '‹');

/** As code on one line, such as a path; backticks in it do not end it. */
export function code(text: string): string {
  const whole = withoutMarkup(escapeUnseen(text.toWellFormed().replaceAll(BREAKS, ' ')));
  const line = cutCharacters(whole, PATH, '…') || ' ';
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  if (longest > MAX_FENCE) return code(line.replaceAll('`', "'"));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$/.test(line) ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** With a fence that nothing in it closes. */
export function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text.trimEnd()}\n${fence}`;
}

/** A person by name, who is notified if the gate allows it. */
export const mention = (login: string): string => `@${login.replaceAll(/[^\w-]/g, '')}`;

// A comment of ours or a pull request's body, as sections: our own Markdown, and texts that a model or a person
// wrote. Those are made safe one by one, on the way to GitHub.
import type { Session } from '../session.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { blockquote, cutCharacters, cutWords } from '../../lib/text/text.ts';

/** Text from others. A quotation keeps it apart from our words; without one it is the last section, or `isBetween`. */
export interface BodyText {
  readonly text: string;
  readonly isQuoted: boolean;
  /** Its HTML and footnotes are shown as text, so that nothing in it reaches the sections after it. */
  readonly isBetween?: true;
  /** Characters, the signs of the quotation included. Without it, as many as GitHub takes. */
  readonly limit?: number;
}

/** A text that people copy, as a block of code: nothing changes it but the redaction of secrets. */
export interface VerbatimText {
  readonly code: string;
  readonly language: string;
}

export type Section = string | BodyText | VerbatimText;
export type Body = readonly Section[];

/** Sections with a blank line between them; empty ones are left out. */
export const sections = (...parts: readonly (Section | Body)[]): Body =>
  parts
    .flatMap((part) => (typeof part === 'string' || !isBody(part) ? [part] : [...part]))
    .filter((part) => part !== '');

const isBody = (part: Section | Body): part is Body => Array.isArray(part);

/** Folded away under a summary. */
export const details = (summary: string, section: Section): Body => [
  `<details><summary>${summary}</summary>`,
  section,
  '</details>',
];

/** As a quotation of at most `limit` characters. HTML in it is shown as text. */
export const quotation = (text: string, limit: number): BodyText => ({
  text,
  isQuoted: true,
  limit,
});

/** Not apart from our words, in at most `limit` characters. HTML in it is shown as text. */
export const between = (text: string, limit: number): BodyText => ({
  text,
  isQuoted: false,
  isBetween: true,
  limit,
});

/** As it is. It has to be the last section. */
export const unquoted = (text: string): BodyText => ({ text, isQuoted: false });

/** All of it, with the texts of others as they wrote them: to compare, not to publish. */
export const plainBody = (body: Body): string => body.map(plainText).join('\n\n');

function plainText(section: Section): string {
  if (typeof section === 'string') return section;
  if ('code' in section) return codeBlock(section.code, section.language);
  const text = section.text.trim();
  return section.isQuoted ? blockquote(text) : text;
}

// Short texts from others within our own sentences: they may be code, but cannot change the layout around
// them. They are escaped as plain text and need no check by GitHub: the status comment has many, and is edited
// often. The gate takes out mentions, closing keywords and foreign addresses, as it does in all sections.

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

/** To the person who requested the work. */
export const addressed = ({ requests: { requester } }: Session, opening: string): string =>
  requester === undefined ? opening : `${mention(requester.login)} ${opening}`.trim();

// A comment of ours or a pull request's body, as sections: our own Markdown, and texts that a model or a person
// wrote. Those are made safe one by one, on the way to GitHub.
import { blockquote } from '../../lib/text/text.ts';
import { codeBlock } from './markdown.ts';

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

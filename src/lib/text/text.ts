import { stripVTControlCharacters } from 'node:util';

/** Marks the place where a text was cut. */
export const CUT_MARK = '\n\n… (cut here: the rest was too long)';

/**
 * The text in at most `limit` UTF-16 units, the mark included. A cut falls between code points.
 * `limit` must be longer than the mark.
 */
export function cutCharacters(text: string, limit: number, mark = CUT_MARK): string {
  if (text.length <= limit) return text;
  const room = limit - mark.length;
  const last = text.charCodeAt(room - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, splitsPair ? room - 1 : room) + mark;
}

/**
 * The text in at most `limit` UTF-16 units. It is cut after a sentence, or else between words, if that
 * keeps more than half of the limit; otherwise anywhere.
 */
export function cutWords(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = text.slice(0, limit - ' …'.length);
  const sentence = /^[^]*[.!?](?=\s)/.exec(head)?.[0] ?? '';
  const words = head.slice(0, Math.max(0, head.lastIndexOf(' '))).trimEnd();
  const whole = [sentence, words].find((some) => some.length > limit / 2);
  return whole === undefined ? cutCharacters(text, limit, '…') : `${whole} …`;
}

/** The text in at most `limit` bytes of UTF-8, the mark included. A cut falls between code points. */
export function cutBytes(text: string, limit: number, mark = CUT_MARK): string {
  if (Buffer.byteLength(text) <= limit) return text;
  const room = new Uint8Array(limit - Buffer.byteLength(mark));
  const { read } = new TextEncoder().encodeInto(text, room);
  return text.slice(0, read) + mark;
}

/** The head and the tail of a text in at most `limit` UTF-16 units, the mark included. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const mark = `\n… (${text.length - limit} characters left out)\n`;
  const half = Math.max(0, Math.floor((limit - mark.length) / 2));
  return `${text.slice(0, half)}${mark}${text.slice(text.length - half)}`.toWellFormed();
}

/** Without the given characters at its end. A regular expression would take quadratic time. */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** With `> ` before every line. Nothing in the text can begin a line without it, whatever ends its lines. */
export const quoteLines = (text: string): string =>
  text.replaceAll(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n').replaceAll(/^/gm, '> ');

/** As a block quote in Markdown; an empty line gets no blank after its sign. */
export const blockquote = (text: string): string =>
  text.replaceAll(/^/gm, '> ').replaceAll(/^> $/gm, '>');

const MAX_SERVER_TEXT = 500;

/** A server's text, made safe for a message: one line, no control characters, limited length. */
export function cleanServerText(text: string): string {
  const line = stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  return line.length > MAX_SERVER_TEXT ? `${line.slice(0, MAX_SERVER_TEXT)}…` : line;
}

/** Letters to insert, remove or change to get from one word to the other. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at += 1) {
    const next = [at + 1];
    for (let column = 0; column < other.length; column += 1) {
      const changed = (row[column] ?? 0) + (one[at] === other[column] ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** An expression that matches just this text, with or without the flag `u`. */
export const escapeExpression = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

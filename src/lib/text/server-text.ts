import { stripVTControlCharacters } from 'node:util';

const MAX_SERVER_TEXT = 500;

/** A server's text, made safe for a message: one line, no control characters, limited length. */
export function cleanServerText(text: string): string {
  const line = stripVTControlCharacters(text)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replaceAll(/\p{Cf}/gu, '')
    .trim();
  return line.length > MAX_SERVER_TEXT ? `${line.slice(0, MAX_SERVER_TEXT)}…` : line;
}

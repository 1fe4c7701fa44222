import type { Cursor } from './cursor.ts';
import { fail } from './cursor.ts';

/** What opens a string, and what closes it then. */
const QUOTES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['“', '”'],
  ['”', '”'],
  ['‘', '’'],
  ['’', '’'],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

const UNICODE = /\\u([0-9a-f]{4})/iy;
/** What Python reads otherwise than JSON. */
const PYTHON = /\\(?:x[0-9a-fA-F]{2}|[0-7]|[av/]|N\{|U[0-9a-fA-F]{8})/y;

export const isQuote = (char: string | undefined): boolean =>
  char !== undefined && QUOTES.has(char);

/**
 * A string in quotes of any kind, from the cursor on. Line breaks and other control characters may
 * stand in it as they are. A backslash that begins no escape stands for itself; where it could be
 * the one as well as the other, the string is refused.
 */
export function readString(cursor: Cursor): string | undefined {
  const { text } = cursor;
  const start = cursor.at;
  const close = QUOTES.get(text.charAt(start)) ?? '';
  let value = '';
  let from = start + 1;
  for (cursor.at = from; cursor.at < text.length;) {
    const char = text[cursor.at];
    if (char !== close && char !== '\\') {
      cursor.at++;
      continue;
    }
    value += text.slice(from, cursor.at);
    if (char === close) {
      cursor.at++;
      return value;
    }
    const escape = readEscape(cursor, close);
    if (escape === undefined) return undefined;
    value += escape;
    from = cursor.at;
  }
  const end = text.length;
  return fail(cursor, `the string that begins at character ${start + 1} has no closing quote`, end);
}

function readEscape(cursor: Cursor, close: string): string | undefined {
  const { text, at } = cursor;
  const next = text.charAt(at + 1);
  if (isAmbiguous(text, at, close)) {
    return fail(cursor, 'this backslash must be doubled, or left out');
  }
  const meant = next === close ? next : ESCAPES.get(next);
  if (meant !== undefined) {
    cursor.hasEscapes ||= next !== close;
    cursor.at += 2;
    return meant;
  }
  UNICODE.lastIndex = at;
  const code = UNICODE.exec(text)?.[1];
  if (code !== undefined) {
    cursor.hasEscapes = true;
    cursor.at += 6;
    return String.fromCharCode(Number.parseInt(code, 16));
  }
  if (cursor.loneBackslash < 0) cursor.loneBackslash = at;
  cursor.at++;
  return '\\';
}

/**
 * `\'` in double quotes is a shell's idiom or was escaped in vain; `\x1b` in single quotes may be
 * Python's escape or four characters of somebody's source; `\/` there keeps its backslash in Python
 * and loses it in JavaScript.
 */
function isAmbiguous(text: string, at: number, close: string): boolean {
  const next = text.charAt(at + 1);
  if (next === close) return false;
  PYTHON.lastIndex = at;
  return isQuote(next) || (close === "'" && PYTHON.test(text));
}

import { type Cursor, type Signs, fail } from './cursor.ts';

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
 * A string in quotes of any kind, from the cursor on. It may contain unescaped line breaks and other control
 * characters, and a backslash that begins no escape is literal.
 */
export function readString(cursor: Cursor): string | undefined {
  const { text, signs } = cursor;
  const start = cursor.at;
  const close = QUOTES.get(text.charAt(start)) ?? '';
  let value = '';
  let from = start + 1;
  for (cursor.at = from; cursor.at < text.length;) {
    const char = text[cursor.at];
    if (char === close) return value + text.slice(from, cursor.at++);
    if (char === '\\') {
      value += text.slice(from, cursor.at);
      const escape = readEscape(cursor, close);
      if (escape === undefined) return undefined;
      value += escape;
      from = cursor.at;
    } else {
      if (char === '\n' && signs.lineBreak < 0) signs.lineBreak = cursor.at;
      cursor.at++;
    }
  }
  const end = text.length;
  return fail(cursor, `the string that begins at character ${start + 1} has no closing quote`, end);
}

/**
 * The position of a literal character that is escaped elsewhere in the string; -1: none. A model that writes a
 * single backslash in `\d` may also mean one in `\n`, and one that breaks lines does not need `\n`. Doubled
 * backslashes beside broken lines are escapes if quotes are escaped, too.
 */
export function verbatimAt({ lone, lineBreak, escape, doubled, quote }: Signs): number {
  if (lone >= 0 && (escape || doubled)) return lone;
  return escape || (doubled && !quote) ? lineBreak : -1;
}

function readEscape(cursor: Cursor, close: string): string | undefined {
  const { text, at, signs } = cursor;
  const next = text.charAt(at + 1);
  if (isAmbiguous(text, at, close)) {
    return fail(cursor, 'this backslash must be doubled, or left out');
  }
  const meant = next === close ? next : (ESCAPES.get(next) ?? unicodeAt(text, at));
  if (meant === undefined) {
    if (signs.lone < 0) signs.lone = at;
    cursor.at++;
    return '\\';
  }
  if (next === close) signs.quote = true;
  else if (next === '\\') signs.doubled = true;
  else signs.escape = true;
  cursor.at += next === 'u' ? 6 : 2;
  return meant;
}

function unicodeAt(text: string, at: number): string | undefined {
  UNICODE.lastIndex = at;
  const code = UNICODE.exec(text)?.[1];
  return code === undefined ? undefined : String.fromCharCode(Number.parseInt(code, 16));
}

/**
 * `\'` in double quotes is a shell's idiom or was escaped in vain; `\x1b` in single quotes may be
 * Python's escape or four characters of source code; `\/` there keeps its backslash in Python
 * and loses it in JavaScript.
 */
function isAmbiguous(text: string, at: number, close: string): boolean {
  const next = text.charAt(at + 1);
  if (next === close) return false;
  PYTHON.lastIndex = at;
  return isQuote(next) || (close === "'" && PYTHON.test(text));
}

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

export type JsonObject = Readonly<Record<string, unknown>>;

export type ParsedValue =
  | { readonly ok: true; readonly value: unknown; readonly end: number }
  | {
      readonly ok: false;
      readonly problem: string;
      readonly at: number;
      /** The keys of the outermost object, as far as it was read. */
      readonly keys: readonly string[];
    };

/** Beyond what any protocol lets through; spares the stack. */
const MAX_NESTING = 100;

const MIXED =
  'here a string is written as it is, elsewhere in the reply with escapes, so that neither is certain';

const SPACE = /\s*/y;
const LINE = /[^\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$]*/y;

const WORDS: ReadonlyMap<string, Json> = new Map([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['null', null],
  ['None', null],
]);

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The JSON value that begins at `at`, and where it ends. Accepts what models write instead of JSON if it has
 * only one meaning: other quotes, Python's literals, keys without quotes, line breaks in strings, trailing
 * commas, comments, single backslashes. Everything else is a problem, including duplicate keys: no text is
 * ever changed, guessed or left out. Takes linear time.
 */
export function readJson(text: string, at: number): ParsedValue {
  const cursor = cursorAt(text, at);
  const value = readValue(cursor, 0);
  const verbatim = verbatimAt(cursor.signs);
  if (value !== undefined && verbatim < 0) return { ok: true, value, end: cursor.at };
  if (value !== undefined) fail(cursor, MIXED, verbatim);
  return { ok: false, problem: cursor.problem, at: cursor.at, keys: cursor.keys };
}

/** Parses a text as one JSON value; `undefined` if it is not one. */
export function readWholeJson(text: string): unknown {
  const read = readJson(text, 0);
  return read.ok && text.slice(read.end).trim() === '' ? read.value : undefined;
}

function readValue(cursor: Cursor, depth: number): Json | undefined {
  skipSpace(cursor);
  const char = cursor.text[cursor.at];
  if (depth > MAX_NESTING) return fail(cursor, 'it is nested too deeply');
  if (char === '{') return readObject(cursor, depth);
  if (char === '[') return readArray(cursor, depth);
  return isQuote(char) ? readString(cursor) : readPlain(cursor);
}

function readPlain(cursor: Cursor): Json | undefined {
  const start = cursor.at;
  const number = take(cursor, NUMBER);
  const word = take(cursor, WORD);
  if (number !== undefined && word === undefined) return Number(number);
  const value = number === undefined ? WORDS.get(word ?? '') : undefined;
  return value === undefined ? fail(cursor, 'a value is expected', start) : value;
}

function readArray(cursor: Cursor, depth: number): Json | undefined {
  const items: Json[] = [];
  cursor.at++;
  for (;;) {
    if (takeChar(cursor, ']')) return items;
    const item = readValue(cursor, depth + 1);
    if (item === undefined) return undefined;
    items.push(item);
    if (takeChar(cursor, ',')) continue;
    if (!takeChar(cursor, ']')) return fail(cursor, 'a "," or "]" is expected');
    return items;
  }
}

function readObject(cursor: Cursor, depth: number): Json | undefined {
  const entries = new Map<string, Json>();
  cursor.at++;
  for (;;) {
    if (takeChar(cursor, '}')) return Object.fromEntries(entries);
    const start = cursor.at;
    const key = isQuote(cursor.text[start]) ? readString(cursor) : take(cursor, WORD);
    if (key === undefined) return fail(cursor, cursor.problem || 'a key or "}" is expected');
    if (!takeChar(cursor, ':')) return fail(cursor, 'a ":" is expected');
    if (entries.has(key)) return fail(cursor, 'this key occurs twice', start);
    if (depth === 0) cursor.keys.push(key);
    const value = readValue(cursor, depth + 1);
    if (value === undefined) return undefined;
    entries.set(key, value);
    if (takeChar(cursor, ',')) continue;
    if (!takeChar(cursor, '}')) return fail(cursor, 'a "," or "}" is expected');
    return Object.fromEntries(entries);
  }
}

/** Whether this character is next; the cursor moves past it, and past the space before it. */
function takeChar(cursor: Cursor, char: string): boolean {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== char) return false;
  cursor.at++;
  return true;
}

/** White space and comments; one that is not closed goes to the end. */
function skipSpace(cursor: Cursor): void {
  for (;;) {
    take(cursor, SPACE);
    const { text, at } = cursor;
    if (text[at] === '#' || text.startsWith('//', at)) {
      take(cursor, LINE);
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      cursor.at = end < 0 ? text.length : end + 2;
    } else {
      return;
    }
  }
}

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

const isQuote = (char: string | undefined): boolean => char !== undefined && QUOTES.has(char);

/**
 * A string in quotes of any kind, from the cursor on. It may contain unescaped line breaks and other control
 * characters, and a backslash that begins no escape is literal.
 */
function readString(cursor: Cursor): string | undefined {
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
function verbatimAt({ lone, lineBreak, escape, doubled, quote }: Signs): number {
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

/** What the strings of a text tell of how they were written. */
interface Signs {
  /** Where a backslash first stood for itself, as in `\d`; -1: nowhere. */
  lone: number;
  /** Where a line first broke inside a string; -1: nowhere. */
  lineBreak: number;
  /** An escape such as `\n` was there, or a doubled backslash, or an escaped quote. */
  escape: boolean;
  doubled: boolean;
  quote: boolean;
}

/**
 * A position in a text that is being parsed. A function that cannot continue sets `problem` and returns
 * `undefined`, and so do its callers. There are no exceptions, because a hostile text can fail a thousand
 * times.
 */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Why it cannot be parsed from `at` on, to show to the model. */
  problem: string;
  /** The keys of the outermost object, as far as it was read. */
  readonly keys: string[];
  readonly signs: Signs;
}

export const cursorAt = (text: string, at: number): Cursor => ({
  text,
  at,
  problem: '',
  keys: [],
  signs: { lone: -1, lineBreak: -1, escape: false, doubled: false, quote: false },
});

function fail(cursor: Cursor, problem: string, at = cursor.at): undefined {
  cursor.at = at;
  cursor.problem = problem;
  return undefined;
}

/** What a sticky pattern matches here; the cursor moves past it. */
export function take(cursor: Cursor, sticky: RegExp): string | undefined {
  sticky.lastIndex = cursor.at;
  const found = sticky.exec(cursor.text)?.[0];
  if (found !== undefined) cursor.at += found.length;
  return found;
}

const EXCERPT = 30;

/** Describes a position so that a model can find it again. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const excerpt = text
    .slice(at, at + EXCERPT)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ');
  const where = excerpt === '' ? 'at its end' : `before «${excerpt}»`;
  return `line ${line}, column ${column}, ${where}`;
}

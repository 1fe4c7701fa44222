// Where a text stops being JSON. The messages of `JSON.parse` quote the text, which may hold secrets.

const BLANK = /[ \t\n\r]*/y;
const SCALAR =
  /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/uy;
const KEY = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy;
const MAX_DEPTH = 50;

class NotJson extends Error {
  readonly at: number;

  constructor(at: number) {
    super('not JSON');
    this.at = at;
  }
}

/** "line 1, column 5" of the first character that is wrong; `undefined` if none is. */
export function jsonFault(text: string): string | undefined {
  try {
    const end = blanks(text, value(text, 0, 0));
    return end === text.length ? undefined : placeOf(text, end);
  } catch (error) {
    if (error instanceof NotJson) return placeOf(text, error.at);
    throw error;
  }
}

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** The end of the value that begins here. */
function value(text: string, from: number, depth: number): number {
  const at = blanks(text, from);
  if (depth > MAX_DEPTH) throw new NotJson(at);
  if (text[at] === '{') return members(text, at, '}', depth);
  if (text[at] === '[') return members(text, at, ']', depth);
  return matched(text, at, SCALAR);
}

function members(text: string, from: number, close: '}' | ']', depth: number): number {
  const keys = new Set<unknown>();
  let at = blanks(text, from + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    if (close === '}') at = literal(text, blanks(text, newKey(text, at, keys)), ':');
    at = blanks(text, value(text, at, depth + 1));
    if (text[at] === close) return at + 1;
    at = blanks(text, literal(text, at, ','));
  }
}

/** Past a key. One that is there twice is a fault: which of its values is meant, nobody knows. */
function newKey(text: string, at: number, keys: Set<unknown>): number {
  const end = matched(text, at, KEY);
  const key: unknown = JSON.parse(text.slice(at, end));
  if (keys.has(key)) throw new NotJson(at);
  keys.add(key);
  return end;
}

function matched(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  if (!pattern.test(text)) throw new NotJson(at);
  return pattern.lastIndex;
}

function literal(text: string, at: number, sign: string): number {
  if (text[at] !== sign) throw new NotJson(at);
  return at + 1;
}

const blanks = (text: string, at: number): number => matched(text, at, BLANK);

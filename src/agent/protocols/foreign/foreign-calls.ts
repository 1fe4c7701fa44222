import type { Call } from '../../../contracts/model.ts';
import type { Tool } from '../../../contracts/tool.ts';
import {
  AFTER_NAME,
  GLUE,
  PARAMETER,
  PARAMETER_END,
  PARAMETER_INSIDE,
  SIGN,
  callsIn,
  namesOf,
  type Names,
} from './json-calls.ts';
import { cursorAt, isObject, readJson, readWholeJson, take, type Cursor } from '../relaxed-json.ts';
import { toolSpec } from '../../prompts/replies.ts';

/**
 * What a text has of calls in a form that was not asked for. Servers that do not know their model's form pass
 * such calls on as text, and they would be mistaken for the final answer. `unreadable`: it has some, but what
 * they say, or whether they are meant, is not certain. `undefined`: it has none.
 */
export type ForeignCalls =
  | { readonly thought: string; readonly calls: readonly Call[] }
  | 'unreadable'
  | undefined;

/** Takes linear time. Calls are read wherever they stand, unless they are quoted, or escaped as HTML. */
export function readForeign(text: string, tools: readonly Tool[]): ForeignCalls {
  const names = namesOf(tools);
  const start = startOf(text, names);
  if (start === undefined)
    return isSuspect(text, names) || isNothingElse(text, names) || isEscaped(text, names)
      ? 'unreadable'
      : undefined;
  const { calls, end } = readCalls(text, start.at, names);
  const rest = text.slice(end);
  const isWhole = rest.trim() === '';
  if (calls.length === 0 || isSuspect(rest, names) || startOf(rest, names) !== undefined)
    return 'unreadable';
  const before = text.slice(0, start.at);
  const isInFence = (before.match(/^[ \t]*```/gm)?.length ?? 0) % 2 === 1;
  if (!isWhole && !(start.isSigned && !isInFence)) return 'unreadable';
  return { thought: thoughtIn(before), calls };
}

/** The calls that a text ends with, in a form that no prose has; none if one of them is uncertain. Takes linear time. */
export function callsAtEnd(text: string, tools: readonly Tool[]): readonly Call[] {
  const names = namesOf(tools);
  const start = startOf(text, names);
  if (start === undefined || !(start.isSigned || /[{[]/.test(text.charAt(start.at)))) return [];
  const { calls, end } = readCalls(text, start.at, names);
  return text.slice(end).trim() === '' ? calls : [];
}

const isSuspect = (text: string, { suspect, suspectOutsideCode }: Names): boolean =>
  suspect.test(text) || suspectOutsideCode.test(masked(text, CODE));

const WHOLE_FENCE = /^\s*```\w*\n([^]*?)\n?```\s*$/;

/** Whether the text is nothing but JSON that has a tool's name somewhere, or code that begins with one. */
function isNothingElse(text: string, { all, head }: Names): boolean {
  const code = WHOLE_FENCE.exec(text)?.[1];
  const value = readWholeJson(code ?? text);
  const parts = [value].flat().filter(isObject).flatMap(Object.values);
  if (parts.some((part) => typeof part === 'string' && all.has(part))) return true;
  head.lastIndex = 0;
  return code !== undefined && head.exec(code)?.[1]?.includes('_') === true;
}

const INLINE_CODE = /`[^`\n]+`/g;
/** In a fence of no language, of Python or of a form of calls, models write calls; in others, they show code. */
const CODE =
  /^[ \t]*```(?!(?:json\w*|tool\w*|py\w*|xml|te?xt)?[ \t]*$)[^]*?(?:^[ \t]*```|(?![^]))|`[^`\n]+`/gm;
const PYTHON = /^[ \t]*```py\w*[ \t]*$[^]*?(?:^[ \t]*```|(?![^]))/gm;

/** Without what a pattern matches, but with every character at its place. */
const masked = (text: string, pattern: RegExp): string =>
  text.replaceAll(pattern, (code) => code.replaceAll(/[^\n]/g, ' '));

interface Start {
  readonly at: number;
  /** By a sign of some family, which no answer contains. */
  readonly isSigned: boolean;
}

/** Where the first call begins, if there is one. */
function startOf(text: string, names: Names): Start | undefined {
  const visible = masked(text, INLINE_CODE);
  const signed = visible.search(SIGN);
  const written = masked(masked(text, CODE), PYTHON);
  const starts = [signed, written.search(names.bare), jsonCallIn(written, text, names)];
  const found = starts.filter((at) => at >= 0);
  const at = Math.min(...found);
  return found.length === 0 ? undefined : { at, isSigned: at === signed };
}

/** At the start of a line, or behind a colon. */
const OPENING = /(?:^[ \t>]*|:[ \t]*)[{[]/gm;

/**
 * Where the first JSON value begins that is a call: of a names tool, or of any as long as it is the end of the
 * text. -1: nowhere.
 */
function jsonCallIn(written: string, text: string, { all }: Names): number {
  let from = 0;
  for (const { index: found, 0: opening } of written.matchAll(OPENING)) {
    const index = found + opening.length - 1;
    if (index < from) continue;
    const read = readJson(text, index);
    from = read.ok ? read.end : read.at;
    const calls = read.ok ? callsIn(read.value, all) : undefined;
    const isEnd = read.ok && /^[\s`]*$/.test(text.slice(read.end));
    if (calls?.some(({ tool }) => isEnd || all.has(tool)) === true) return index;
  }
  return -1;
}

const thoughtIn = (text: string): string =>
  text
    .replace(/```\w*\s*$/, '')
    .replaceAll(/<\|[^<>|\n]{1,30}\|>/g, ' ')
    .trim();

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
]);

/** Such a call is never run: nobody knows what of its arguments was escaped. */
function isEscaped(text: string, names: Names): boolean {
  const plain = text
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES.get(entity) ?? entity)
    .replaceAll(/\\(?=["<>_[\]{}])/g, '');
  return plain !== text && (startOf(plain, names) !== undefined || isSuspect(plain, names));
}

interface ReadCalls {
  readonly calls: readonly Call[];
  readonly end: number;
}

const KEY = /\s*([A-Za-z_]\w{0,80})\s*=\s*/y;
const OPEN = /(?:\.call)?\(\s*/y;
const CLOSE = /\s*(?:,\s*)?\)/y;
const COMMA = /\s*,/y;
/** A call in tags may have more arguments until its own tag is closed. */
const CLOSED = /\s*(?=<\/)/y;
const LIST = /\[\s*/y;

/** All calls that follow each other from a position on, and where they end; none if one cannot be read. */
function readCalls(text: string, at: number, names: Names): ReadCalls {
  const cursor = cursorAt(text, at);
  const calls: Call[] = [];
  for (;;) {
    skip(cursor, GLUE);
    const end = cursor.at;
    const read = readOne(cursor, names);
    if (read === undefined) return { calls, end };
    calls.push(...read);
  }
}

function skip(cursor: Cursor, ...patterns: readonly RegExp[]): void {
  while (patterns.some((pattern) => (take(cursor, pattern) ?? '') !== ''));
}

function readOne(cursor: Cursor, names: Names): readonly Call[] | undefined {
  const { text, at } = cursor;
  if (text[at] === '{' || text[at] === '[') {
    const read = readJson(text, at);
    if (!read.ok) return readList(cursor, names);
    cursor.at = read.end;
    const calls = callsIn(read.value, names.all);
    return calls?.every(({ tool }) => names.all.has(tool)) === true ? calls : undefined;
  }
  const call = readNamed(cursor, names);
  return call === undefined ? undefined : [call];
}

/** `[read_file(path="a.ts"), read_file(path="b.ts")]` */
function readList(cursor: Cursor, names: Names): readonly Call[] | undefined {
  if (take(cursor, LIST) === undefined) return undefined;
  const calls: Call[] = [];
  do {
    const call = readNamed(cursor, names);
    if (call === undefined) return undefined;
    calls.push(call);
    skip(cursor, GLUE);
  } while (cursor.text[cursor.at] !== ']');
  cursor.at++;
  return calls;
}

/** A tool's name, and its arguments behind it: as JSON, in tags, or in brackets. */
function readNamed(cursor: Cursor, names: Names): Call | undefined {
  const { text, at: start } = cursor;
  names.head.lastIndex = cursor.at;
  const name = names.head.exec(text)?.[1];
  const tool = names.tools.get(name ?? '');
  if (name === undefined || tool === undefined) return undefined;
  cursor.at = names.head.lastIndex;
  OPEN.lastIndex = cursor.at;
  if (OPEN.test(text)) {
    const args = bracketed(cursor);
    return args === undefined ? undefined : { tool: name, arguments: args };
  }
  const isTag = text[start] === '<';
  const named = cursor.at;
  skip(cursor, GLUE, AFTER_NAME);
  const isEmpty = isTag && text.slice(named, cursor.at).includes('</');
  const args =
    text[cursor.at] === '{' ? jsonArguments(cursor) : isEmpty ? {} : parameters(cursor, tool);
  return args === undefined ? undefined : { tool: name, arguments: args };
}

/**
 * Arguments in round brackets: as JSON, or Python's keyword arguments. A single value without a name is
 * the argument `textArgument`, if there is one.
 */
export function bracketed(cursor: Cursor, textArgument?: string): object | undefined {
  if (take(cursor, OPEN) === undefined) return undefined;
  const { text, at } = cursor;
  const args =
    text[at] === '{'
      ? jsonArguments(cursor)
      : (keywords(cursor) ?? single(cursor, at, textArgument));
  return take(cursor, CLOSE) === undefined ? undefined : args;
}

function single(cursor: Cursor, at: number, argument: string | undefined): object | undefined {
  const read = readJson(cursor.text, at);
  if (argument === undefined || !read.ok || typeof read.value !== 'string') return undefined;
  cursor.at = read.end;
  return { [argument]: read.value };
}

function jsonArguments(cursor: Cursor): object | undefined {
  const read = readJson(cursor.text, cursor.at);
  if (!read.ok || !isObject(read.value)) return undefined;
  cursor.at = read.end;
  return read.value;
}

/** Python's keyword arguments. */
function keywords(cursor: Cursor): object | undefined {
  const args = new Map<string, unknown>();
  for (;;) {
    KEY.lastIndex = cursor.at;
    const key = KEY.exec(cursor.text)?.[1];
    if (key === undefined)
      return cursor.text[cursor.at] === ')' ? Object.fromEntries(args) : undefined;
    const read = readJson(cursor.text, KEY.lastIndex);
    if (!read.ok || args.has(key)) return undefined;
    args.set(key, read.value);
    cursor.at = read.end;
    if (take(cursor, COMMA) === undefined) return Object.fromEntries(args);
  }
}

/** Arguments in tags, one each; at least one, since a name that no argument follows may be a word. */
function parameters(cursor: Cursor, tool: Tool): object | undefined {
  const args = new Map<string, unknown>();
  for (;;) {
    PARAMETER.lastIndex = cursor.at;
    const [found, isAssigned, key = '', isText, glmKey] = PARAMETER.exec(cursor.text) ?? [];
    if (found === undefined)
      return args.size > 0 && take(cursor, CLOSED) !== undefined
        ? Object.fromEntries(args)
        : undefined;
    const from = PARAMETER.lastIndex;
    PARAMETER_END.lastIndex = from;
    const end = PARAMETER_END.exec(cursor.text);
    if (end === null) return undefined;
    const written = cursor.text.slice(from, end.index);
    // Qwen's template puts each value on lines of its own.
    const text = isAssigned === undefined ? written : written.replaceAll(/^\n|\n$/g, '');
    const name = glmKey ?? key;
    const isString = isText === undefined ? takesText(tool, name) : isText === 'true';
    const value = isString ? text : readWholeJson(text);
    if (PARAMETER_INSIDE.test(text) || value === undefined || args.has(name)) return undefined;
    args.set(name, value);
    cursor.at = end.index + end[0].length;
  }
}

function takesText(tool: Tool, argument: string): boolean {
  const { properties = {} } = toolSpec(tool).parameters as {
    readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
  };
  const aliases = new Map(Object.entries(tool.argumentAliases ?? {}));
  const type = new Map(Object.entries(properties)).get(aliases.get(argument) ?? argument)?.type;
  return type === undefined || type === 'string';
}

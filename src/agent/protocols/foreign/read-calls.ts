import type { Call } from '../../../contracts/model.ts';
import type { Tool } from '../../../contracts/tool.ts';
import { toolSpec } from '../../prompts/replies.ts';
import { cursorAt, isObject, readJson, readWholeJson, take, type Cursor } from '../relaxed-json.ts';
import {
  AFTER_NAME,
  callsIn,
  GLUE,
  PARAMETER,
  PARAMETER_END,
  PARAMETER_INSIDE,
  type Names,
} from './json-calls.ts';

export interface ReadCalls {
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
export function readCalls(text: string, at: number, names: Names): ReadCalls {
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

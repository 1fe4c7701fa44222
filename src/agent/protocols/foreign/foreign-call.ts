import type { Call } from '../../../contracts/model.ts';
import type { Tool } from '../../../contracts/tool.ts';
import { callsIn, namesOf, SIGN, type Names } from './json-calls.ts';
import { readCalls } from './read-calls.ts';
import { isObject, readJson, readWholeJson } from '../relaxed-json.ts';

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

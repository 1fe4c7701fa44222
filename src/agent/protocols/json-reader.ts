import {
  isObject,
  placeIn,
  readJson,
  readWholeJson,
  type JsonObject,
  type ParsedValue,
} from './relaxed-json.ts';
import { FAULTS, unreadableJson } from '../prompts/replies.ts';
import { withoutThinking } from './protocol.ts';
import type { Call } from '../../contracts/model.ts';

/** `written`: its text in the reply. */
export type ReadObject =
  | { readonly object: JsonObject; readonly written: string }
  | { readonly fault: string };

type FoundObject = Extract<ReadObject, { readonly object: JsonObject }>;

const CONTRACT_KEYS: ReadonlySet<string> = new Set(['plan', 'thoughts', 'tool_calls']);
const QUOTED_KEY = /\{\s*["'“”‘’]/y;

const isContract = (keys: readonly string[]): boolean => keys.some((key) => CONTRACT_KEYS.has(key));

/**
 * Finds the one JSON object of a reply that fulfils the contract, whatever surrounds it. Takes linear time:
 * the text of an object is read once, and its strings are never mistaken for objects.
 */
export function readContract(reply: string): ReadObject {
  const text = decoded(withoutFence(withoutThinking(reply)));
  const found: FoundObject[] = [];
  let at = text.indexOf('{');
  while (at >= 0) {
    const read = readObject(text, at);
    if (!read.ok) {
      if (isMeant(text, at, read.keys)) return { fault: whyUnreadable(text, read) };
    } else if (isObject(read.value) && isContract(Object.keys(read.value))) {
      found.push({ object: read.value, written: text.slice(at, read.end) });
    }
    at = text.indexOf('{', read.ok ? read.end : Math.max(read.at, at + 1));
  }
  return theOne(found);
}

/** The text of an object that was encoded as a string. */
function decoded(text: string): string {
  const inner = text.startsWith('"') ? readWholeJson(text) : undefined;
  return typeof inner === 'string' ? inner : text;
}

/** An object whose last brace alone is missing is complete: no call can follow any more. */
function readObject(text: string, at: number): ParsedValue {
  const read = readJson(text, at);
  if (read.ok || read.at < text.length) return read;
  const closed = readJson(`${text}}`, at);
  return closed.ok ? closed : read;
}

/**
 * Whether braces that cannot be read are an object all the same, and no prose. Then nothing of the
 * reply is used: what follows may be a quotation in one of its strings.
 */
function isMeant(text: string, at: number, keys: readonly string[]): boolean {
  QUOTED_KEY.lastIndex = at;
  return isContract(keys) || (keys.length > 0 && QUOTED_KEY.test(text));
}

function theOne([first, ...others]: readonly FoundObject[]): ReadObject {
  if (first === undefined) return { fault: FAULTS.noObject };
  const same = JSON.stringify(first.object);
  if (others.some(({ object }) => JSON.stringify(object) !== same))
    return { fault: FAULTS.severalObjects };
  return first;
}

/** Where the JSON of a reply is broken, and how to write it. */
export const whyUnreadable = (text: string, read: ParsedValue & { readonly ok: false }): string =>
  unreadableJson(placeIn(text, read.at), read.problem);

const FENCE = '```';

/** The content of a text that is one fenced code block; any other text unchanged. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE)) return trimmed;
  const firstLine = trimmed.indexOf('\n');
  return firstLine < 0 ? trimmed : trimmed.slice(firstLine + 1, -FENCE.length).trim();
}

/** A call in a text and the position where it ends, or what is wrong with it. */
export type ReadCall =
  | {
      readonly call: Call;
      readonly end: number;
      /** Its arguments, if they were written as an object. */
      readonly written?: string;
    }
  | { readonly fault: string };

const OPENING_FENCE = /`(?:``\w*)?\s*/y;

/** Past what a sticky pattern matches at a place. */
function skip(text: string, at: number, sticky: RegExp): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}

/**
 * The call of a tool whose arguments begin at `at`. Their JSON determines where they end, so a string in them
 * may contain whatever ends a call. `none` matches if there are no arguments.
 */
export function readCallAt(text: string, at: number, tool: string, none: RegExp): ReadCall {
  if (tool === '') return { fault: FAULTS.noTool };
  none.lastIndex = at;
  if (none.test(text)) return { call: { tool, arguments: {} }, end: at };
  const from = skip(text, at, OPENING_FENCE);
  const read = readJson(text, from);
  if (!read.ok) return { fault: whyUnreadable(text, read) };
  const value = typeof read.value === 'string' ? readWholeJson(read.value) : read.value;
  if (!isObject(value)) return { fault: FAULTS.parametersNoObject };
  return { call: { tool, arguments: value }, end: read.end, written: text.slice(from, read.end) };
}

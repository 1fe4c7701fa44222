import type { Call } from '../../contracts/model.ts';
import { FAULTS } from '../prompts/replies.ts';
import { whyUnreadable } from './json-reader.ts';
import { isObject, readJson, readWholeJson } from './relaxed-json.ts';

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

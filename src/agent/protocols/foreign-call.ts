import { withoutFence } from './fenced.ts';
import { isObject, readWholeJson } from './relaxed-json.ts';

/** How a line begins that calls a tool in the form of some model's training. */
const TAG =
  /^[ \t]*(?:<tool_calls?>|<tool_code>|<function_calls?>|<function=|<invoke |<\|tool_call|\[TOOL_CALLS\]|<｜tool|```tool_c)/m;
const NAMES = ['name', 'tool_name', 'tool', 'function'];
const ARGUMENTS = ['arguments', 'parameters', 'action_input'];

const hasOneOf = (value: object, keys: readonly string[]): boolean =>
  keys.some((key) => Object.hasOwn(value, key));

/**
 * Whether a text is a tool call in a form that was not requested. Servers that do not know their model's call
 * format pass such calls on as text, and they would be mistaken for the final answer.
 */
export function isForeignCall(text: string): boolean {
  if (TAG.test(text)) return true;
  const value = readWholeJson(withoutFence(text));
  const [first] = Array.isArray(value) ? value : [value];
  if (!isObject(first)) return false;
  return hasOneOf(first, ['tool_calls']) || (hasOneOf(first, NAMES) && hasOneOf(first, ARGUMENTS));
}

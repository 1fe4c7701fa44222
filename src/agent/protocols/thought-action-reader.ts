import type { Tool } from '../../contracts/tool.ts';
import { FAULTS, toolSpec } from '../prompts/replies.ts';
import { cursorAt } from './cursor.ts';
import { bracketed } from './foreign/read-calls.ts';
import { readCallAt, type ReadCall } from './react-call.ts';
import { isObject, readJson } from './relaxed-json.ts';

/** The argument of a tool that a text without a name is meant for, if there can be only one. */
export type TextArgument = (tool: string) => string | undefined;

const raw = String.raw;
const LABEL = raw`[ \t]*\*{0,2}action(?: ?\d+)?\*{0,2}:\*{0,2}`;
/** `Action: name`, and `Action Input:` on a line after it; both may be numbered, or bold. */
const HEAD = new RegExp(
  raw`${LABEL}([^\n]*)\n\s*\*{0,2}action input(?: ?\d+)?\*{0,2}:\*{0,2}\s*`,
  'iy',
);
/** `Action: name {…}` and `Action: name(…)`, which need no other label. */
const DIRECT = new RegExp(
  raw`${LABEL}\s*(?!\x60\x60\x60)[\x60*"']{0,2}([\w.:-]{1,200})[\x60*"']{0,3}(?:\s*(?:\x60\x60\x60\w*\s*)?(?=\{)|(?=\())`,
  'iy',
);
const BLOB = new RegExp(raw`${LABEL}\s*(?:\x60\x60\x60\w*\s*)?(?=\{)`, 'iy');
const NO_INPUT = /$|\*{0,2}observation\b|(?:none|null|n\/a)[ \t]*(?=\n|$)/iy;
const NAME = /^[\s`*"'[(]*([\w.:-]+)[\s`*"'\])]*$/;
const MAX_NAME = 200;
/** Where a text without quotes ends: at the next label. */
const NEXT_LABEL = /\n[ \t]*\*{0,2}(?:observation|thought|action|final answer)\b/i;

/** The call whose `Action:` line begins at `at`. */
export function readAction(text: string, at: number, textArgument: TextArgument): ReadCall {
  HEAD.lastIndex = at;
  const head = HEAD.exec(text);
  if (head === null) return readDirect(text, at, textArgument);
  const tool = nameIn(head[1] ?? '');
  const read = readCallAt(text, HEAD.lastIndex, tool, NO_INPUT);
  return 'fault' in read ? (readText(text, HEAD.lastIndex, tool, textArgument) ?? read) : read;
}

const nameIn = (line: string): string =>
  line.length > MAX_NAME ? '' : (NAME.exec(line)?.[1] ?? '');

function readDirect(text: string, at: number, textArgument: TextArgument): ReadCall {
  DIRECT.lastIndex = at;
  const tool = DIRECT.exec(text)?.[1];
  if (tool === undefined) return { fault: FAULTS.noActionInput };
  if (text[DIRECT.lastIndex] === '{') return readCallAt(text, DIRECT.lastIndex, tool, NO_INPUT);
  const cursor = cursorAt(text, DIRECT.lastIndex);
  const args = bracketed(cursor, textArgument(tool));
  if (args === undefined) return { fault: FAULTS.noActionInput };
  return { call: { tool, arguments: args }, end: cursor.at };
}

/** `Action Input: src/main.ts`. What begins as JSON is meant to be JSON. */
function readText(
  text: string,
  at: number,
  tool: string,
  textArgument: TextArgument,
): ReadCall | undefined {
  const argument = textArgument(tool);
  const rest = text.slice(at);
  if (argument === undefined || /^`{0,3}\w*\s*[{["']/.test(rest)) return undefined;
  const written = rest.slice(0, NEXT_LABEL.exec(rest)?.index);
  const words = written.trim().replace(/^`([^`\n]*)`$/, '$1');
  if (words === '') return undefined;
  return { call: { tool, arguments: { [argument]: words } }, end: at + written.length };
}

/** LangChain's form of an answer: `Action:` and `{"action": "Final Answer", "action_input": "…"}`. */
export function finalAnswerAt(text: string, at: number): string | undefined {
  BLOB.lastIndex = at;
  if (!BLOB.test(text)) return undefined;
  const read = readJson(text, BLOB.lastIndex);
  if (!read.ok || !isObject(read.value)) return undefined;
  const { action, action_input: answer } = read.value as Readonly<Record<string, unknown>>;
  const isFinal = typeof action === 'string' && /^final[ _]answer$/i.test(action.trim());
  return isFinal && typeof answer === 'string' && answer.trim() !== '' ? answer.trim() : undefined;
}

/** The only required argument, or the only one, if it is a string. */
export function textArgumentOf(tools: readonly Tool[]): TextArgument {
  return (name) => {
    const tool = tools.find((one) => one.name === name || one.aliases.includes(name));
    if (tool === undefined) return undefined;
    const { properties = {}, required = [] } = toolSpec(tool).parameters as {
      readonly properties?: Readonly<Record<string, { readonly type?: unknown }>>;
      readonly required?: readonly string[];
    };
    const texts = Object.keys(properties).filter((key) => properties[key]?.type === 'string');
    const [only, ...more] = required.length > 0 ? required : texts;
    return only !== undefined && more.length === 0 && texts.includes(only) ? only : undefined;
  };
}

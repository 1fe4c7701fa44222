import type { Call } from '../../contracts/model.ts';
import { readCallAt, type ReadCall } from './json-reader.ts';
import { FAULTS, toolSpec } from '../prompts/replies.ts';
import { thinkingEnd } from './protocol.ts';
import type { Tool } from '../../contracts/tool.ts';
import { cursorAt, isObject, readJson } from './relaxed-json.ts';
import { bracketed } from './foreign/foreign-calls.ts';

/** One of `call`, `answer` and `fault` is there. */
export interface ReactReading {
  readonly thought: string;
  readonly call?: Call;
  /** The arguments of the call, if they were written as an object. */
  readonly written?: string;
  readonly answer?: string;
  readonly fault?: string;
  /** Where the part of the text ends that was used; what follows was made up, or came too early. */
  readonly end: number;
}

/** The label of a line, which may be numbered or bold. */
const labelled = (...names: string[]): string => {
  const either = names.flatMap((name) => [name, name.toUpperCase()]).join('|');
  return String.raw`^[ \t]*\*{0,2}(?:${either})(?: ?\d+)?\*{0,2}:\*{0,2}`;
};
const THOUGHT_LABEL = labelled('Thought');
const ACT_LABEL = labelled('Action', 'Final Answer');
const OBSERVATION_LABEL = labelled('Observation');
const INPUT_LABEL = labelled('Action Input');

/**
 * The first of these decides what a reply is. A tag in prose that no name follows is no call, and a
 * label before a tag only announces it.
 */
const MARKER = new RegExp(
  String.raw`<tool_code>(?=\s*<name>)|<final_answer>|^[ \t]*<observation>|${ACT_LABEL}(?![\s*]*<(?:tool_code|final_answer)>)|${OBSERVATION_LABEL}`,
  'gm',
);
const THOUGHT = new RegExp(THOUGHT_LABEL);
const CLASSIC = new RegExp(`${THOUGHT_LABEL}|${ACT_LABEL}`, 'm');
const CALL = new RegExp(String.raw`<tool_code>\s*<name>|${INPUT_LABEL}`, 'm');
const PIECE = new RegExp(String.raw`</?(?:tool_code|parameters)\b|${INPUT_LABEL}`, 'm');
const MORE = new RegExp(
  `<(?:tool_code|final_answer|observation)>|${CLASSIC.source}|${OBSERVATION_LABEL}`,
  'm',
);
/** Where a model stops, or is stopped, at the word that the service writes next. */
const OPENED = /^(?:<observation>|\*{0,2}observation\*{0,2}:\*{0,2})?$/i;
const ANNOUNCED = /\*{0,2}(?:Action|ACTION|Final Answer|FINAL ANSWER)\*{0,2}:\*{0,2}$/;

const HEAD = /<tool_code>\s*<name>([^<]*)<\/name>\s*<parameters>\s*/y;
const NO_PARAMETERS = /<\/parameters>/y;
const TAIL = /\s*(?:```\s*)?(?:(<\/parameters>)\s*)?(<\/tool_code>)?/y;
const FINAL_END = '</final_answer>';

/**
 * Reads a reply in the tags of ReAct, or in its classic lines: the first call, or the final answer;
 * text without either is one. Takes linear time.
 */
export function readReact(reply: string, textArgument: TextArgument): ReactReading {
  const start = thinkingEnd(reply);
  const text = reply.slice(start);
  const marker = firstMarker(text);
  const { end, ...read } =
    marker === undefined ? readUntagged(text) : readMarked(text, marker, textArgument);
  return { ...read, end: end === undefined ? reply.length : start + end };
}

/** What a part of a reply is; without an `end` it is used whole. */
type ReplyPart = Omit<ReactReading, 'end' | 'thought'> & { readonly end?: number };
type ThoughtWords = ReplyPart & { readonly thought: string };

interface Marker {
  readonly at: number;
  /** `tool_code`, `final_answer` or `observation`; of a label its first word: `action`, `final`. */
  readonly kind: string;
}

function firstMarker(text: string): Marker | undefined {
  // A report may have a line "Observation:" as well.
  const isClassic = CLASSIC.test(text);
  for (const { index: at, 0: found } of text.matchAll(MARKER)) {
    const kind = /[a-z_]+/i.exec(found)?.[0].toLowerCase() ?? '';
    if (isClassic || kind !== 'observation' || found.includes('<')) return { at, kind };
  }
  return undefined;
}

function readUntagged(text: string): ThoughtWords {
  const answer = text.trim();
  if (answer === '') return { thought: '', fault: FAULTS.empty };
  if (PIECE.test(answer)) return { thought: '', fault: FAULTS.pieces };
  if (THOUGHT.test(answer)) return { thought: thoughtIn(answer), fault: FAULTS.thoughtOnly };
  return { thought: '', answer };
}

function readMarked(text: string, { at, kind }: Marker, textArgument: TextArgument): ThoughtWords {
  const thought = thoughtIn(text.slice(0, at));
  if (kind === 'tool_code') return { thought, ...withCall(text, readTags(text, at)) };
  if (kind === 'action') {
    const answer = finalAnswerAt(text, at);
    if (answer !== undefined) return { thought, answer };
    return { thought, ...withCall(text, readAction(text, at, textArgument)) };
  }
  if (kind === 'observation') return { thought, fault: FAULTS.ownObservation };
  if (PIECE.test(text.slice(0, at))) return { thought, fault: FAULTS.pieces };
  return { thought, ...readAnswer(text, at, kind === 'final_answer') };
}

const thoughtIn = (text: string): string =>
  text.trim().replace(THOUGHT, '').replace(ANNOUNCED, '').trim();

/** The call in tags that begins at `at`. Closing tags may be missing at the end of the text. */
function readTags(text: string, at: number): ReadCall {
  HEAD.lastIndex = at;
  const head = HEAD.exec(text);
  if (head === null) return { fault: FAULTS.pieces };
  const read = readCallAt(text, HEAD.lastIndex, (head[1] ?? '').trim(), NO_PARAMETERS);
  if ('fault' in read) return read;
  TAIL.lastIndex = read.end;
  const [, parameters, code] = TAIL.exec(text) ?? [];
  const end = TAIL.lastIndex;
  const isClosed = parameters !== undefined || code !== undefined || end === text.length;
  return isClosed ? { ...read, end } : { fault: FAULTS.callNotClosed };
}

function withCall(text: string, read: ReadCall): ReplyPart {
  if ('fault' in read) return read;
  const rest = text.slice(read.end);
  if (rest.includes('</think>')) return { fault: FAULTS.callInThinking };
  const { end: _end, ...whole } = read;
  return MORE.test(rest) && !OPENED.test(rest.trim()) ? read : whole;
}

function readAnswer(text: string, at: number, isTagged: boolean): ReplyPart {
  const from = text.indexOf(isTagged ? '>' : ':', at) + 1;
  const close = isTagged ? text.lastIndexOf(FINAL_END) : -1;
  const isClosed = close >= from;
  if (CALL.test(text.slice(isClosed ? close : from))) return { fault: FAULTS.callAndAnswer };
  const answer = text
    .slice(from, isClosed ? close : text.length)
    .replace(/^\*{2}/, '')
    .trim();
  return answer === '' ? { fault: FAULTS.empty } : { answer };
}

/** The argument of a tool that a text without a name is meant for, if there can be only one. */
export type TextArgument = (tool: string) => string | undefined;

const raw = String.raw;
const LABEL = raw`[ \t]*\*{0,2}action(?: ?\d+)?\*{0,2}:\*{0,2}`;
/** `Action: name`, and `Action Input:` on a line after it; both may be numbered, or bold. */
const ACTION_HEAD = new RegExp(
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
function readAction(text: string, at: number, textArgument: TextArgument): ReadCall {
  ACTION_HEAD.lastIndex = at;
  const head = ACTION_HEAD.exec(text);
  if (head === null) return readDirect(text, at, textArgument);
  const line = head[1] ?? '';
  const tool = line.length > MAX_NAME ? '' : (NAME.exec(line)?.[1] ?? '');
  const read = readCallAt(text, ACTION_HEAD.lastIndex, tool, NO_INPUT);
  return 'fault' in read
    ? (readText(text, ACTION_HEAD.lastIndex, tool, textArgument) ?? read)
    : read;
}

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
function finalAnswerAt(text: string, at: number): string | undefined {
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

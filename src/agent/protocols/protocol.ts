import { unlessItFails } from '../../lib/errors.ts';
import type { ProtocolName, Reply } from '../../contracts/entries.ts';
import type { Call, Message, ModelReply, ToolSpec } from '../../contracts/model.ts';
import {
  badArguments,
  CORRECTIONS,
  couldNotEnd,
  FAULTS,
  NO_WORDS,
  notRunWith,
  tooManyCalls,
  type ArgumentsFault,
} from '../prompts/replies.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import type { Tool } from '../../contracts/tool.ts';

/** A reply as it came, with the tools that it may call. */
export interface ReceivedReply extends Pick<ModelReply, 'text' | 'reasoning' | 'calls' | 'stop'> {
  readonly tools: readonly Tool[];
}

/** A reply as a protocol understands it: calls, or an answer that ends the work, or a fault. */
export interface ReplyReading {
  readonly thought: string;
  readonly calls: readonly Call[];
  /** The final answer for people, if the reply is one; then there are no calls. */
  readonly answer: string | null;
  /** What is wrong with its form, in the text for the model; then none of its calls is run. */
  readonly fault: string | null;
}

export interface CallOutcome {
  readonly ok: boolean;
  readonly output: string;
}

/** A reply with what came of its calls, in their order: all of them, or none for a faulty reply. */
export interface Turn {
  readonly reply: Reply & { readonly seq: number };
  readonly outcomes: readonly CallOutcome[];
}

/** How a model is asked to call tools, and how its replies are read. Pure; nothing here throws. */
export interface Protocol {
  readonly name: ProtocolName;
  /** The part of the system prompt that says how to call tools; may be empty. */
  instructions(tools: readonly Tool[]): string;
  /** The tools as the provider gets them; empty if the system prompt describes them. */
  specs(tools: readonly Tool[]): readonly ToolSpec[];
  read(reply: ReceivedReply): ReplyReading;
  /**
   * A turn as messages of the conversation: the reply, then its results or what was wrong with it. A turn that
   * was read under another protocol is shown in the form of this one.
   */
  messages(turn: Turn): readonly Message[];
}

// What the protocols have in common: how they read a reply, and how they tell a turn.

export const user = (text: string): Message => ({ role: 'user', text });

export const faulty = (fault: string, thought = ''): ReplyReading => ({
  thought,
  calls: [],
  answer: null,
  fault,
});

/** Calls, if nothing is wrong with them. */
export function called(calls: readonly Call[], thought: string): ReplyReading {
  const fault = faultOfCalls(calls);
  return fault === null ? { thought, calls, answer: null, fault } : faulty(fault, thought);
}

export const answered = (answer: string, thought: string): ReplyReading => ({
  thought,
  calls: [],
  answer,
  fault: null,
});

/** A reply as text: verbatim with its wire items, or in other words and then without them. */
export function said({ reply }: Turn, words = reply.text): Message {
  if (words.trim() === '') return { role: 'assistant', text: NO_WORDS, calls: [], native: null };
  const native = words === reply.text ? reply.native : null;
  return { role: 'assistant', text: words, calls: [], native };
}

/** A reply as text that was read under another protocol: its wire items belong to that one. */
export const retold = (words: string): Message => ({
  role: 'assistant',
  text: words.trim() === '' ? NO_WORDS : words,
  calls: [],
  native: null,
});

/** A text with a value in it as JSON, if it was written in another form that was understood. */
export function asJson(text: string, written: string, value: unknown): string {
  const isJson = unlessItFails((): unknown => JSON.parse(written)) !== undefined;
  if (isJson) return text;
  const json = JSON.stringify(value);
  const at = text.indexOf(written);
  return at === -1 ? json : text.slice(0, at) + json + text.slice(at + written.length);
}

/** What is left of a reply that another protocol could not read. */
const wordsOfReply = ({ reply }: Turn): string =>
  reply.text.trim() === '' ? reply.thought : reply.text;

/** A reply that could not be used, and how to write it again under the protocol `name`. */
export const corrected = (turn: Turn, name: ProtocolName, fault: string): readonly Message[] => [
  turn.reply.protocol === name ? said(turn) : retold(wordsOfReply(turn)),
  user(CORRECTIONS[name](fault)),
];

/** An answer, and why it did not end the work if it did not. */
export const ended = (turn: Turn, name: ProtocolName, answer: string): readonly Message[] => [
  turn.reply.protocol === name ? said(turn) : retold(answer),
  ...failedEnd(turn),
];

/** The calls of a turn with what came of each. */
export const callsOf = ({ reply, outcomes }: Turn): readonly (readonly [Call, CallOutcome])[] =>
  reply.calls.map((call, index) => [
    call,
    outcomes[index] ?? { ok: false, output: notRunWith(reply.fault) },
  ]);

/** Why the work could not be ended, if the call that was made for the model's answer failed. */
const failedEnd = ({ outcomes }: Turn): readonly Message[] =>
  outcomes.filter(({ ok }) => !ok).map(({ output }) => user(couldNotEnd(output)));

const OPEN = '<think>';
const CLOSE = '</think>';

/** What a reply of any protocol begins with, once the thinking is over. */
const BEGUN =
  /\{\s*["'“”]?(?:plan|thoughts|tool_calls)\b|<(?:tool_code|final_answer)>|\b(?:Action Input|Final Answer):/;

/**
 * Where the reply begins, behind the thinking that some servers leave in its text: in tags, or with
 * the closing tag alone. Thinking that never ends is all there is.
 */
export function thinkingEnd(text: string): number {
  const start = text.length - text.trimStart().length;
  const close = text.indexOf(CLOSE);
  if (text.startsWith(OPEN, start)) return close < 0 ? text.length : close + CLOSE.length;
  return close > 0 && isEndOfThinking(text, close) ? close + CLOSE.length : 0;
}

/** Not if a file or an answer merely mentions the tag. */
function isEndOfThinking(text: string, close: number): boolean {
  const before = text.slice(0, close);
  return !before.includes(OPEN) && !/[`"']$/.test(before) && !BEGUN.test(before);
}

export const withoutThinking = (text: string): string => text.slice(thinkingEnd(text));

/** Enough to follow the work by; the whole is in the journal. */
const MAX_SHOWN = 2_000;

export const shownThought = (thought: string): string =>
  cutCharacters(thought.trim(), MAX_SHOWN, ' …');

/** Results are kept in memory and go back to the model together. */
const MAX_CALLS = 50;
/** No tool takes deeper arguments, and they would exhaust the stack of code that traverses them. */
const MAX_DEPTH = 64;

/** What keeps a reply of a text protocol from being read at all. */
export function unreadableReply(reply: Pick<ModelReply, 'calls' | 'stop'>): string | null {
  if (reply.stop === 'cut') return FAULTS.cut;
  if (reply.calls.length === 0) return null;
  return FAULTS.nativeCalls;
}

/** What is wrong with the calls of a reply, to show to the model; `null`: nothing. */
export function faultOfCalls(calls: readonly Call[]): string | null {
  if (calls.length > MAX_CALLS) {
    return tooManyCalls(calls.length, MAX_CALLS);
  }
  for (const [index, call] of calls.entries()) {
    const fault = faultOfArguments(call.arguments);
    if (fault !== null) return badArguments(index, fault);
  }
  return null;
}

/** Level by level, since a recursion would need the stack that it is to spare. */
export function faultOfArguments(args: unknown): ArgumentsFault | null {
  let level: unknown[] = [args];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return 'tooDeep';
    // `1e999` is read as infinity, which no journal can hold.
    if (level.some((item) => typeof item === 'number' && !Number.isFinite(item))) return 'tooLarge';
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return null;
}

import { unlessItFails } from '../../lib/unless-it-fails.ts';
import type { Call, Message } from '../../contracts/model.ts';
import type { CallOutcome, Reading, Turn } from '../protocol.ts';
import { couldNotEnd, NO_WORDS, notRunWith } from '../prompts/replies.ts';
import { cutCharacters } from '../../lib/text/text.ts';

export const user = (text: string): Message => ({ role: 'user', text });

export const faulty = (fault: string, thought = ''): Reading => ({
  thought,
  calls: [],
  answer: null,
  fault,
});

export const answered = (answer: string, thought: string): Reading => ({
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
  if (isJson(written)) return text;
  const json = JSON.stringify(value);
  const at = text.indexOf(written);
  return at === -1 ? json : text.slice(0, at) + json + text.slice(at + written.length);
}

const isJson = (text: string): boolean =>
  unlessItFails((): unknown => JSON.parse(text)) !== undefined;

/** What is left of a reply that another protocol could not read. */
export const wordsOfReply = ({ reply }: Turn): string =>
  reply.text.trim() === '' ? reply.thought : reply.text;

/** The calls of a turn with what came of each. */
export const callsOf = ({ reply, outcomes }: Turn): readonly (readonly [Call, CallOutcome])[] =>
  reply.calls.map((call, index) => [
    call,
    outcomes[index] ?? { ok: false, output: notRunWith(reply.fault) },
  ]);

/** Why the work could not be ended, if the call that was made for the model's answer failed. */
export const failedEnd = ({ outcomes }: Turn): readonly Message[] =>
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

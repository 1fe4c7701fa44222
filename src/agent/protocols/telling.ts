import { unlessItFails } from '../../lib/unless-it-fails.ts';
import type { Call, Message } from '../../contracts/model.ts';
import type { CallOutcome, Reading, Turn } from '../protocol.ts';
import { couldNotEnd, notRunWith, NO_WORDS } from '../prompts/results.ts';

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

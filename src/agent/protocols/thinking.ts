import { cutCharacters } from '../../lib/text/text.ts';

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

// The suggestion of a review comment: a block of code in the language `suggestion`, as GitHub would commit it.
import type { Suggestion } from '../../contracts/shown-text.ts';
import { hasUnseen } from '../../lib/text/invisible.ts';
import { blocksOf } from './code-ranges.ts';

/** `undefined`: there is none. `shown`: the text as people see it; what they do not see is never applied. */
export function suggestionIn(source: string, shown: string): Suggestion | undefined {
  const [lines, ...others] = suggestions(source);
  if (lines === undefined) return undefined;
  if (others.length > 0) return { unclear: 'several' };
  const seen = suggestions(shown);
  const isSeen = seen.length === 1 && seen[0] === lines && !hasUnseen(lines);
  return isSeen ? { lines } : { unclear: 'hidden' };
}

/** Each line with its line break. */
const suggestions = (text: string): readonly string[] =>
  blocksOf(text.replaceAll('\r\n', '\n'))
    .filter(({ type, info, level }) => type === 'fence' && level === 0 && isSuggestion(info))
    .map(({ content }) => content);

const isSuggestion = (info: string): boolean => info.trim().split(/\s/)[0] === 'suggestion';

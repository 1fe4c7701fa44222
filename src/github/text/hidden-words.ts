// The words of a text's source that people do not see, for the session page.
import { roleOf } from './elements.ts';

/** Characters of what is told. */
const LONGEST = 500;
/** A word, with the sign that makes it the name of an element or of a character. */
const WORD = /(?<sign><\/?|&#?)?(?<word>[\p{L}\p{N}]+)/gu;

const wordsOf = (text: string): readonly string[] =>
  [...text.matchAll(WORD)].flatMap(({ groups }) => {
    const { sign, word = '' } = groups ?? {};
    const isMarkup =
      sign?.startsWith('&') === true || (sign !== undefined && roleOf(word) !== undefined);
    return isMarkup ? [] : [word];
  });

/** In their order, in short; empty if people see all of them. */
export function hiddenWords(source: string, shown: string): string {
  const left = new Map<string, number>();
  for (const word of wordsOf(shown)) left.set(word, (left.get(word) ?? 0) + 1);
  let hidden = '';
  for (const word of wordsOf(source)) {
    const count = left.get(word) ?? 0;
    if (count > 0) left.set(word, count - 1);
    else if (hidden.length < LONGEST) hidden += `${hidden === '' ? '' : ' '}${word}`;
  }
  return hidden.slice(0, LONGEST);
}

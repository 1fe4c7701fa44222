// How the text of a memory is split for the search: the same for what is stored and for what is asked.

/** Scripts that put no blanks between words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

const partsOf = (word: string): readonly string[] =>
  UNSPACED.test(word) ? Array.from(segmenter.segment(word), ({ segment }) => segment) : [word];

/** The words of a text; a name such as `parseJson`, `parse_json` or `src/parse.json` counts as its parts. */
export const wordsIn = (text: string): readonly string[] =>
  (
    text
      .normalize('NFKC')
      .replaceAll(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, ' ')
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).flatMap(partsOf);

/** All sequences of three characters in a text's words, with blanks around each word, each sequence once. */
export function trigramsIn(text: string): readonly string[] {
  const found = new Set<string>();
  for (const word of wordsIn(text)) {
    const padded = Array.from(`  ${word.toLowerCase()} `);
    for (let at = 0; at + 3 <= padded.length; at += 1) found.add(padded.slice(at, at + 3).join(''));
  }
  return [...found];
}

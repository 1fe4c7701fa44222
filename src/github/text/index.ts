import type { ShownText } from '../../contracts/shown-text.ts';
import { NOTHING_SAID, type Said } from '../../session/said/asks.ts';
import type { ImagePlace } from './image-places.ts';
import { markdownOf } from './markdown.ts';
import { saidIn } from './said.ts';
import { treeOf } from './tree.ts';
import { roleOf } from './html-node.ts';

/** What a person sees of a text on GitHub, and what its author says in it. */
export interface Shown extends Omit<ShownText, 'images'> {
  readonly images: readonly ImagePlace[];
  readonly said: Said;
  /** It was deleted by now, and is shown as it was. */
  readonly isGone?: true;
}

export const NOTHING_SHOWN: Shown = { body: '', images: [], said: NOTHING_SAID };

/** Reads what GitHub's own rendering of a text shows. Takes time in proportion to its length. */
export function readHtml(html: string, source = ''): Shown {
  const tree = treeOf(html);
  const { body, images } = markdownOf(tree);
  const hidden = hiddenWords(source, body);
  return { body, ...(hidden === '' ? {} : { hidden }), images, said: saidIn(tree) };
}

// The words of a text's source that people do not see, for the session page.

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
function hiddenWords(source: string, shown: string): string {
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

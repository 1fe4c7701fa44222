import type { ShownText } from '../../contracts/shown-text.ts';
import { NOTHING_SAID, type Said } from '../../session/said/said.ts';
import { hiddenWords } from './hidden-words.ts';
import type { ImagePlace } from './image-places.ts';
import { markdownOf } from './markdown.ts';
import { saidIn } from './said.ts';
import { treeOf } from './tree.ts';

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

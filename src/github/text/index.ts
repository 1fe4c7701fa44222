import type { Said } from '../../session/said.ts';
import { markdownOf } from './markdown.ts';
import { saidIn } from './said.ts';
import { treeOf } from './tree.ts';

/** What a person sees of a text on GitHub. */
export interface Shown {
  /** As Markdown for the model: nothing in it is hidden from people. */
  readonly text: string;
  readonly said: Said;
}

/** Reads what GitHub's own rendering of a text shows. Takes time in proportion to its length. */
export function readHtml(html: string): Shown {
  const tree = treeOf(html);
  return { text: markdownOf(tree), said: saidIn(tree) };
}

// Renders Markdown like GitHub: with its rules, its allow-list, its links and its classes. `POST /markdown`,
// `body_html` and the pages all use this.
import { toHtml } from 'hast-util-to-html';
import type { Root } from 'hast';
import { enrich, textOf } from './enrich.ts';
import { toUnsafeHtml } from './parser.ts';
import type { Surroundings } from './references.ts';
import { makeAccessible } from './accessible.ts';
import { toSafeTree } from './safe-tree.ts';

/** Pages have headings of their own at the levels 1 and 2. */
const PAGE_HEADINGS = 2;

export type { Surroundings } from './references.ts';

/**
 * `gfm`: as in issues and comments, with line breaks and links for names and numbers. `markdown`:
 * as in a README. The result holds no script and no attribute that runs one.
 */
export const renderMarkdown = (
  text: string,
  mode: 'gfm' | 'markdown',
  around: Surroundings,
): string => toHtml(tree(text, mode, around));

/** The same for a page of ours: fit for a keyboard and a screen reader, below the headings of the page. */
export function renderForPage(
  text: string,
  mode: 'gfm' | 'markdown',
  around: Surroundings,
): string {
  const root = tree(text, mode, around);
  makeAccessible(root, PAGE_HEADINGS);
  return toHtml(root);
}

/** The text of rendered Markdown, for `body_text`. */
export const renderText = (text: string, around: Surroundings): string =>
  textOf(tree(text, 'gfm', around)).trim();

function tree(text: string, mode: 'gfm' | 'markdown', around: Surroundings): Root {
  const root = toSafeTree(toUnsafeHtml(text, mode));
  enrich(root, mode === 'gfm' ? around : undefined);
  return root;
}

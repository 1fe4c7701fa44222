// Removes HTML comments from what is published: they go wherever they may be one. Those in code are
// kept as text: a sample of HTML stays whole.
import { maskCode } from '../markdown-code.ts';
import { edited, type Edit } from './prose.ts';

/** Removes closed comments from prose. */
export function withoutComments(text: string): string {
  if (!text.includes('<!--')) return text;
  const mask = maskCode(text);
  const closing = /--!?>/g;
  const edits: Edit[] = [];
  for (let open = mask.indexOf('<!--'); open !== -1; open = mask.indexOf('<!--', open)) {
    // A comment may hold what would be code elsewhere: its end is looked for in the text itself.
    closing.lastIndex = open + 2;
    if (closing.exec(text) === null) break;
    edits.push({ start: open, end: closing.lastIndex, text: '' });
    open = closing.lastIndex;
  }
  return edited(text, edits);
}

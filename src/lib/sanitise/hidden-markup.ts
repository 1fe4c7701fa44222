// What HTML shows nobody: comments, declarations, instructions, character data.
import { maskCode } from '../markdown-code.ts';
import { endOfNote } from './definitions.ts';
import { htmlLines, isLineStart, mayEndParagraph, tagAt } from './html-lines.ts';
import type { Note } from './invisible.ts';
import { edited, type Edit } from './prose.ts';

interface Kind {
  readonly kind: string;
  readonly sign: RegExp;
  /** What ends it within a paragraph, and what ends it in HTML. */
  readonly ends: RegExp;
  readonly endsInHtml: RegExp;
}

const COMMENT_END = /-->/g;
const NEVER = /(?!)/g;

const KINDS: readonly Kind[] = [
  { kind: 'HTML comment', sign: /^<!--/, ends: COMMENT_END, endsInHtml: /--!?>/g },
  { kind: 'HTML character data', sign: /^<!\[/, ends: /\]\]>/g, endsInHtml: />/g },
  { kind: 'HTML declaration', sign: /^<!/, ends: />/g, endsInHtml: />/g },
  { kind: 'HTML end of nothing', sign: /^<\//, ends: NEVER, endsInHtml: />/g },
  { kind: 'HTML instruction', sign: /^<\?/, ends: /\?>/g, endsInHtml: />/g },
];

const SIGN = /<!--|<!\[CDATA\[|<![A-Za-z]|<\?|<\/|<[A-Za-z]/g;
const BLANK_LINE = /\n[ \t>]*\n/;

/** Stands where something that made HTML of its line has been removed, until tags are looked at. */
export const HTML_LINE = '<x>';

/** Removes it from prose; in HTML, what is not closed goes to the end of the text. */
export function withoutHiddenMarkup(text: string, note: Note): string {
  if (!/<[!?]|<\/(?![A-Za-z])/.test(text)) return text;
  const mask = maskCode(text);
  const edits: Edit[] = [];
  const isInHtml = htmlLines(mask);
  let lineStart = 0;
  let rawUntil = 0;
  SIGN.lastIndex = 0;
  for (let sign = SIGN.exec(mask); sign !== null; sign = SIGN.exec(mask)) {
    const start = sign.index;
    lineStart = Math.max(lineStart, mask.lastIndexOf('\n', start) + 1);
    const isBlock = isLineStart(mask.slice(lineStart, start));
    const isWithin = isInHtml(start) || start < rawUntil;
    const isHtml = isWithin || isBlock;
    const tag = tagAt(mask, start, isWithin);
    if (tag !== null) SIGN.lastIndex = start + tag[0].length;
    // A tag without an end takes in all that follows: that goes with it.
    else if (isWithin && /^<[A-Za-z]/.test(sign[0])) break;
    const found = tag === null ? KINDS.find((kind) => kind.sign.test(sign[0])) : undefined;
    const end = found === undefined ? undefined : endOf(text, start, found, { isHtml, isBlock });
    if (found === undefined || end === undefined) continue;
    const lineEnd = text.indexOf('\n', end);
    if (isHtml) rawUntil = lineEnd === -1 ? text.length : lineEnd;
    const isRestHtml = isHtml && text.slice(end, rawUntil).includes('<');
    edits.push({ start, end, text: isRestHtml ? HTML_LINE : '' });
    note(found.kind, text.slice(start, end));
    SIGN.lastIndex = end;
    lineStart = end;
  }
  return edited(text, edits);
}

interface Place {
  readonly isHtml: boolean;
  /** It begins its line: Markdown has an end of its own for it. */
  readonly isBlock: boolean;
}

/** `undefined` where people see it as text. */
function endOf(
  text: string,
  start: number,
  { ends, endsInHtml }: Kind,
  { isHtml, isBlock }: Place,
): number | undefined {
  const end = nextEnd(ends, text, start);
  const endInHtml = nextEnd(endsInHtml, text, start) ?? text.length;
  if (isBlock && ends !== NEVER) {
    // Where Markdown and HTML see different ends, tags within it count.
    const isPlain = ends === COMMENT_END || !text.slice(start + 2, end).includes('<');
    return isPlain ? Math.max(end ?? text.length, endInHtml) : text.length;
  }
  if (isHtml) return endInHtml;
  if (end === undefined || BLANK_LINE.test(text.slice(start, end))) return undefined;
  // Nobody can tell whether the lines belong together: all that they may hide goes.
  return mayEndParagraph(text.slice(start, end)) ? endOfNote(text, end) : end;
}

function nextEnd(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start + 2;
  return pattern.exec(text) === null ? undefined : pattern.lastIndex;
}

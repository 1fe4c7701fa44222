// Tags, and where Markdown passes HTML on as it is: from a line that begins with a tag to the next
// blank line.
import { Finder } from './finder.ts';

const LINE = /^.*$/gm;
/** What may stand before: the signs of quotations, lists and footnotes. */
const SIGNS = String.raw`(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*(?:\[\^[^\]\n]{1,100}\]:[ \t]*)?`;
const START = `^${SIGNS}`;
const BLOCKS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul|x';
/** One of these elements, or a line that is nothing but a tag. */
const BEGINS_HTML = new RegExp(
  `${START}<(?:/?(?:${BLOCKS})(?=[\\s/>]|$)|/?[A-Za-z][\\w-]*(?:\\s[^<>]*)?>[ \\t]*$)`,
  'i',
);
/** Goes on over blank lines. */
const BEGINS_RAW = new RegExp(`${START}<(?:script|style|pre|textarea)(?=[\\s>]|$)`, 'im');

/** Tells, for places in rising order, whether they stand in such lines, of a text whose code is masked. */
export function htmlLines(mask: string): (place: number) => boolean {
  const ranges: { readonly start: number; end: number }[] = [];
  let isOpen = false;
  for (const { 0: line, index } of mask.matchAll(LINE)) {
    const last = ranges.at(-1);
    const end = index + line.length;
    if (line.trim() === '') isOpen = false;
    else if (isOpen && last !== undefined) last.end = end;
    else if (BEGINS_HTML.test(line)) {
      ranges.push({ start: index, end });
      isOpen = true;
    }
  }
  const raw = BEGINS_RAW.exec(mask)?.index ?? Infinity;
  let at = 0;
  return (place) => {
    while ((ranges[at]?.end ?? Infinity) < place) at += 1;
    return place >= raw || (ranges[at]?.start ?? Infinity) <= place;
  };
}

const STRICT =
  /<(\/?)([A-Za-z][\w-]*)((?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*)\s*\/?>/y;
/** A browser takes more for a tag than Markdown does: that counts where Markdown passes HTML on. */
const LENIENT =
  /<(\/?)([A-Za-z][^\s/>]*)((?:(?=[\s/])(?:=\s*"[^"]*"|=\s*'[^']*'|=(?!\s*["'])|[^>=])*)?)>/y;

/** The tag that begins at a place; its groups are a slash, its name, and the rest. */
export function tagAt(text: string, place: number, isHtml: boolean): RegExpExecArray | null {
  STRICT.lastIndex = place;
  const strict = STRICT.exec(text);
  if (strict !== null || !isHtml) return strict;
  LENIENT.lastIndex = place;
  return LENIENT.exec(text);
}

/** In a text of several lines: one that may begin something else, and so end the paragraph. */
export const ENDS_PARAGRAPH = /\n[ \t]*[>*+\-\d#`~|<=_:[&]/;
export const mayEndParagraph = (text: string): boolean => ENDS_PARAGRAPH.test(text);

const LINE_START = new RegExp(SIGNS, 'y');

interface Line {
  readonly start: number;
  /** Behind the signs of quotations, lists and footnotes. */
  readonly textAt: number;
}

/** Tells, for places in rising order, the line of each; `removedTo`: what is before it is gone. */
export function lineStarts(mask: string): (place: number, removedTo: number) => Line {
  const breaks = new Finder(mask, /\n/);
  let line: Line = { start: -1, textAt: -1 };
  let start = 0;
  return (place, removedTo) => {
    start = Math.max(start, removedTo);
    for (let end = breaks.next(start)?.end; end !== undefined && end <= place;) {
      start = end;
      end = breaks.next(start)?.end;
    }
    if (line.start !== start) {
      LINE_START.lastIndex = start;
      LINE_START.test(mask);
      line = { start, textAt: LINE_START.lastIndex };
    }
    return line;
  };
}

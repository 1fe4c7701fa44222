// Tags, and where Markdown passes HTML on as it is: from a line that begins with a tag to the next
// blank line.
import { Finder } from './finder.ts';

const LINE = /^.*$/gm;
/** What may stand before: the signs of quotations, lists and footnotes. */
const SIGNS = String.raw`(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*(?:\[\^[^\]\n]{1,100}\]:[ \t]*)?`;
const START = `^${SIGNS}`;
const BLOCKS =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul';
/** One of these elements, or a line that is nothing but a tag. */
const BEGINS_HTML = new RegExp(
  `${START}<(?:/?(?:${BLOCKS})(?=[\\s/>]|$)|/?[A-Za-z][\\w-]*(?:\\s(?:[^<>"']|"[^"]*"|'[^']*')*|\\s[^<>]*)?>[ \\t]*$)`,
  'i',
);
/** Goes on over blank lines, to the end of the line with one of these. */
const BEGINS_RAW = new RegExp(`${START}<(?:script|style|pre|textarea)(?=[\\s>]|$)`, 'i');
const ENDS_RAW = /<\/(?:script|style|pre|textarea)>/i;

/** Tells, for places in rising order, whether they stand in such lines, of a text whose code is masked. */
export function htmlLines(mask: string): (place: number) => boolean {
  const ranges: { readonly start: number; end: number }[] = [];
  let until: RegExp | undefined;
  let depth = 0;
  for (const { 0: line, index } of mask.matchAll(LINE)) {
    const last = ranges.at(-1);
    const end = index + line.length;
    const begins = beginningOf(line);
    // A beginning in what is open already may be a second one, or none: it lasts as long as either.
    if (depthOf(line) < depth) until = undefined;
    if (until === undefined) depth = depthOf(line);
    if (until !== undefined && last !== undefined) last.end = end;
    else if (begins !== undefined) ranges.push({ start: index, end });
    until = until === ENDS_RAW ? until : (begins ?? until);
    // In HTML, the sign of a quotation that begins there is text: the line is not blank.
    const isText = until === BLANK && depthOf(line) > depth;
    if (!isText && until?.test(line)) until = undefined;
  }
  let at = 0;
  return (place) => {
    while ((ranges[at]?.end ?? Infinity) < place) at += 1;
    return (ranges[at]?.start ?? Infinity) <= place;
  };
}

/** Of quotations: HTML in one ends with it. */
const depthOf = (line: string): number => (/^[ \t>]*/.exec(line)?.[0] ?? '').split('>').length - 1;

const BLANK = /^[ \t>]*$/;

/** What ends the HTML that begins with a line. */
function beginningOf(line: string): RegExp | undefined {
  if (BEGINS_RAW.test(line)) return ENDS_RAW;
  return BEGINS_HTML.test(line) ? BLANK : undefined;
}

/** In a paragraph: HTML that ends it, and goes on. */
export const INTERRUPTS = new RegExp(
  `\\n[ \\t>*+\\-\\d.)]*<(?:/?(?:${BLOCKS})(?=[\\s/>])|(?:script|style|pre|textarea)(?=[\\s>]))`,
  'i',
);

const STRICT =
  /<(\/?)([A-Za-z][\w-]*)((?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*)\s*\/?>/y;
/** A browser takes more for a tag than Markdown does: that counts where Markdown passes HTML on. */
const LENIENT =
  /<(\/?)([A-Za-z][^\s/>]*)((?:(?=[\s/])(?:=\s*"[^"]*"|=\s*'[^']*'|=(?!\s*["'])|[^>=])*)?)>/y;

/** The tag that begins at a place; its groups are a slash, its name, and the rest. */
export function tagAt(text: string, place: number, isHtml: boolean): RegExpExecArray | null {
  STRICT.lastIndex = place;
  const strict = STRICT.exec(text);
  if (!isHtml) return strict !== null && isMarkdown(strict) ? strict : null;
  if (strict !== null) return strict;
  LENIENT.lastIndex = place;
  return LENIENT.exec(text);
}

/** Whether Markdown may take the sign at a place for itself, by a backslash before it. */
export function mayBeEscaped(text: string, place: number): boolean {
  let before = place;
  while (text[before - 1] === '\\') before -= 1;
  return (place - before) % 2 === 1;
}

/** Whether it does: a backslash may belong to an address that ends there. */
export function isEscaped(text: string, place: number): boolean {
  if (!mayBeEscaped(text, place)) return false;
  let start = place;
  while (start > 0 && !/[\s<]/.test(text[start - 1] ?? '')) start -= 1;
  return !/(?:https?|ftp):\/\/|www\./i.test(text.slice(start, place));
}

/** No paragraph goes on over a blank line, and for Markdown an end has no attributes. */
const isMarkdown = ([tag, closes, , attributes]: RegExpExecArray): boolean =>
  (closes === '' || attributes === '') && !/\n[ \t]*\n/.test(tag);

/** In a text of several lines: one that may begin something else, and so end the paragraph. */
export const ENDS_PARAGRAPH = /\n[ \t]*[>*+\-\d#`~|<=_:[&]/;
export const mayEndParagraph = (text: string): boolean => ENDS_PARAGRAPH.test(text);

const LINE_START = new RegExp(SIGNS, 'y');

const ITEM = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]|^\[\^/m;
const INDENTED = /(?<=(?:^|\n)[ \t]*\n|^)(?: {4}|\t)[^\n]*(?:\n(?: {4}|\t)[^\n]*)*/;

/**
 * Tells, for places in rising order, whether they stand in code that is only indented. Below
 * lists and footnotes spaces may mean something else: there nothing is.
 */
export function indentedCode(mask: string): (place: number) => boolean {
  const finder = new Finder(mask.slice(0, ITEM.exec(mask)?.index), INDENTED);
  let code = finder.next(0);
  return (place) => {
    while (code !== undefined && code.end <= place) code = finder.next(code.end);
    return code !== undefined && code.start <= place;
  };
}

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

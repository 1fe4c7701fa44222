// What HTML shows nobody: comments, declarations, instructions, character data.
import { maskCode } from '../markdown-code.ts';
import { containers } from './containers.ts';
import { noteEnds } from './definitions.ts';
import { Finder, type Found } from './finder.ts';
import {
  ENDS_PARAGRAPH,
  htmlLines,
  indentedCode,
  INTERRUPTS,
  isEscaped,
  lineStarts,
  mayEndParagraph,
  tagAt,
} from './html-lines.ts';
import { linkParts } from './link-parts.ts';
import type { Hidden } from './prose.ts';

interface Kind {
  readonly kind: string;
  readonly sign: RegExp;
  /** What ends it within a paragraph, and what ends it in HTML. */
  readonly ends: RegExp;
  readonly endsInHtml: RegExp;
}

const COMMENT_END = /-->/;
const NEVER = /(?!)/;

const KINDS: readonly Kind[] = [
  { kind: 'HTML comment', sign: /^<!--/, ends: COMMENT_END, endsInHtml: /--!?>/ },
  { kind: 'HTML character data', sign: /^<!\[/, ends: /\]\]>/, endsInHtml: />/ },
  { kind: 'HTML declaration', sign: /^<!/, ends: />/, endsInHtml: />/ },
  { kind: 'HTML end of nothing', sign: /^<\//, ends: NEVER, endsInHtml: />/ },
  { kind: 'HTML instruction', sign: /^<\?/, ends: /\?>/, endsInHtml: />/ },
];

const SIGN = /<!(?:--|\[CDATA\[|[A-Za-z])?|<\?|<\/|<[A-Za-z]/g;
const OPENS = /</;
const LINE_END = /\n/;
const TAG = /<[A-Za-z]/;
const SIGN_ON_LINE = /\n[^\n<]*</;
const BLANK_LINE = /\n[ \t>]*\n/;

export interface Markup {
  readonly hidden: readonly Hidden[];
  /** Where HTML goes on behind what begins a line, and is read as HTML. */
  readonly raw: readonly Found[];
}

/** What a text has of it in prose; in HTML, what is not closed goes to the end of the text. */
export function hiddenMarkup(text: string): Markup {
  if (!/<[!?]|<\/(?![A-Za-z])/.test(text)) return { hidden: [], raw: [] };
  const mask = maskCode(text);
  const hidden: Hidden[] = [];
  const raw: Found[] = [];
  const isInHtml = htmlLines(mask);
  const lineStartAt = lineStarts(mask);
  const endOf = endsIn(text);
  const isOther = otherThanHtml(text);
  const lineEnds = new Finder(text, LINE_END);
  let last = { end: 0, rawUntil: 0, tagEnd: 0 };
  SIGN.lastIndex = 0;
  for (let sign = SIGN.exec(mask); sign !== null; sign = SIGN.exec(mask)) {
    const start = sign.index;
    const line = lineStartAt(start, last.end);
    const isBlock = line.textAt === start;
    const isRaw = start < last.rawUntil;
    const isWithin = isInHtml(start) || isRaw;
    const tag = tagAt(mask, start, isWithin);
    if (tag !== null) {
      // It may be none: then there are signs in it.
      const mayBeNone = start >= last.tagEnd && mayEndParagraph(tag[0]);
      SIGN.lastIndex = start + (mayBeNone ? 2 : tag[0].length);
      last = { ...last, tagEnd: start + tag[0].length };
    }
    // A tag without an end takes in all that follows: that goes with it.
    if (tag === null && isWithin && /^<[A-Za-z]/.test(sign[0])) break;
    // Only HTML knows a declaration or an end without a name.
    const isText = tag !== null || (!isWithin && (NAMELESS.has(sign[0]) || isOther(start)));
    const found = isText ? undefined : KINDS.find((kind) => kind.sign.test(sign[0]));
    const place = { isBlock, isWithin, isRaw, lineStart: line.start };
    const until = found && endOf(start, found, place);
    if (found === undefined || until === undefined) continue;
    const end = Math.min(until, text.length);
    const rawUntil = isWithin || isBlock ? (lineEnds.next(end)?.start ?? text.length) : 0;
    hidden.push({ kind: found.kind, start, end, text: '', isOpen: until === Infinity });
    raw.push({ start: end, end: rawUntil });
    last = { ...last, end, rawUntil };
    SIGN.lastIndex = end;
  }
  return { hidden, raw };
}

const NAMELESS = new Set(['<!', '</']);

/** Tells, for places in rising order, whether Markdown reads something else there. */
function otherThanHtml(text: string): (place: number) => boolean {
  const partOfLink = linkParts(text);
  const mask = maskCode(text);
  const isIndented = indentedCode(mask);
  return (place) => partOfLink(place) !== undefined || isIndented(place) || isEscaped(mask, place);
}

/** GitHub's Markdown knows no comment with two hyphens in it. */
const NO_COMMENT = /--|-$/;
const BEGINS = /<[A-Za-z!?/]|\]\(/;
const BRACKET = /[[\]]/;
const CODE_OR_ESCAPE = /[`\\]/;

/** Whether something that hides what follows may begin in what only looks like a comment. */
const mayBeginInside = (content: string): boolean =>
  NO_COMMENT.test(content) &&
  (BEGINS.test(content) ||
    content.split('[').length > content.split(']').length ||
    (BRACKET.test(content) && CODE_OR_ESCAPE.test(content)) ||
    // A formula with a command or a comment.
    Math.max(content.lastIndexOf('\\'), content.lastIndexOf('%')) >
      (content.includes('$') ? content.indexOf('$') : Infinity));

const BEGINS_LINE = /\n[ \t>*+\-\d.)]*(?=<[!?])/g;

/** Whether all that begins a line of a part, and goes on over blank lines, ends in it. */
function isClosed(part: string): boolean {
  BEGINS_LINE.lastIndex = 0;
  while (BEGINS_LINE.test(part)) {
    const sign = part.slice(BEGINS_LINE.lastIndex, BEGINS_LINE.lastIndex + '<!--'.length);
    const end = KINDS.find((kind) => kind.sign.test(sign))?.ends ?? NEVER;
    const length = part.slice(BEGINS_LINE.lastIndex).search(end);
    if (length === -1) return false;
    BEGINS_LINE.lastIndex += length;
  }
  return true;
}

interface Place {
  readonly lineStart: number;
  /** It begins its line: Markdown has an end of its own for it. */
  readonly isBlock: boolean;
  /** Markdown passes the lines around it on as they are. */
  readonly isWithin: boolean;
  /** It stands behind something else that began the line, and ends with it for Markdown. */
  readonly isRaw: boolean;
}

/**
 * Tells, for places in rising order, where what begins there ends: `Infinity` without an end,
 * `undefined` where people see it.
 */
function endsIn(text: string): (start: number, kind: Kind, place: Place) => number | undefined {
  const finders = new Map<RegExp, Finder>();
  const finderOf = (pattern: RegExp): Finder => {
    const finder = finders.get(pattern) ?? new Finder(text, pattern);
    finders.set(pattern, finder);
    return finder;
  };
  const noteEnd = noteEnds(text);
  const staysInside = containers(text);
  return (start, { ends, endsInHtml }, { lineStart, isBlock, isWithin, isRaw }) => {
    const end = finderOf(ends).next(start + 2)?.end;
    const endInHtml = finderOf(endsInHtml).next(start + 2)?.end ?? Infinity;
    // Where Markdown and HTML see different ends, tags in between count.
    const isPlain = endInHtml >= (end ?? 0) || !finderOf(OPENS).isWithin(endInHtml, end ?? 0);
    const isComment = ends === COMMENT_END;
    // What ends the others may be the sign of a quotation.
    const isQuoted = !isComment && text.slice(lineStart, start).includes('>');
    if ((isWithin || isBlock) && isQuoted && finderOf(LINE_END).isWithin(start, endInHtml))
      return Infinity;
    if (isWithin && !isComment && finderOf(TAG).isWithin(start + 2, endInHtml)) return Infinity;
    if (isWithin) {
      // Where Markdown ends the HTML, what closes it is text.
      const isCut = finderOf(isRaw ? LINE_END : BLANK_LINE).isWithin(start, endInHtml);
      return isCut || !staysInside(lineStart, start, endInHtml) ? Infinity : endInHtml;
    }
    if (isBlock && !isComment && finderOf(OPENS).isWithin(start + 2, end ?? Infinity))
      return Infinity;
    if (isBlock) {
      const last = Math.max(end ?? Infinity, endInHtml);
      return isPlain && staysInside(lineStart, start, last) ? last : Infinity;
    }
    if (end === undefined || finderOf(BLANK_LINE).isWithin(start, end)) return undefined;
    const interrupts = isComment ? INTERRUPTS : SIGN_ON_LINE;
    const isNone =
      isComment && mayBeginInside(text.slice(start + '<!--'.length, end - '-->'.length));
    const most = isNone ? (finderOf(BLANK_LINE).next(start)?.start ?? text.length) : end;
    if (!isPlain || finderOf(interrupts).isWithin(start, most)) return Infinity;
    // Nobody can tell whether the lines belong together: all that they may hide goes.
    if (!finderOf(ENDS_PARAGRAPH).isWithin(start, most)) return most;
    const last = noteEnd(most);
    const isAll =
      isComment && !finderOf(TAG).isWithin(start, last) && isClosed(text.slice(start, last));
    return isAll ? last : Infinity;
  };
}

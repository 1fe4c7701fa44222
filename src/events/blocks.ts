// Which lines of a Markdown text are quoted or shown as code.

/** Any line that may be the beginning of a fenced block. The sign of backticks allows none behind it. */
const FENCE = /^[\s>*+\-\d.)]*(?:`{3,}(?!`)(?![^`]*`)|~{3,})/;
const CLOSING = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;
const MARKER = /(?:[*+-]|(\d{1,9})[.)])(?=[ \t]|$)/y;
const FOOTNOTE = /\[\^[^\]\s]+\]:/y;
const QUOTE = /^\s*(?:(?:(?:[*+-]|\d{1,9}[.)])\s+|\[\^[^\]\s]+\]:\s*))*>/;
const EMPTY_QUOTE = /^(?: {0,3}>)+[ \t]*$/;
const BLANK = /^[ \t]*$/;
/** What no paragraph goes on behind: headings, lines, rows of a table, HTML. */
const NO_PARAGRAPH = /^(?:#{1,6}(?:[ \t]|$)|[-=*_ \t]*$|<|.*\|)/;
/** No fence, as there is a backtick behind it, but a span of code that ends on a later line, if at all. */
const UNCLOSED = /^(`{3,})(?!`)(?=.*`)(?!.*(?<!`)\1(?!`))/;
/** HTML that goes on over blank lines: as if in a fence that is not closed. Tags like that are cut out later. */
const ENDLESS = /^<[?!]/;

/** What a line begins with, in columns: a tab leads to the next multiple of four. */
interface Lead {
  readonly indent: number;
  /** Of what follows white space and the marks of list items. */
  readonly column: number;
  readonly rest: string;
  readonly hasItem: boolean;
  /** A list may begin with it in the middle of a paragraph. */
  readonly interrupts: boolean;
  /** It stands so far behind the mark of its item that it is code. */
  readonly isCode: boolean;
}

/** `block`: said, but no paragraph goes on behind it. `quote`: so do the lines that go on with one. */
type Kind = 'blank' | 'prose' | 'block' | 'quote' | 'code' | 'fence';

interface Fence {
  readonly sign: string;
  /** The columns at which a line is sure to close it. */
  readonly from: number;
  readonly to: number;
  /** A line in these columns may close it or not. */
  readonly doubt: number;
  readonly isInItem: boolean;
}

/** Begins a line that stands for one that was left out. */
export const LEFT_OUT = '\uE001';

/**
 * The lines that are neither quoted nor code, the lines that lazily go on with a quotation left out too.
 * Of a line that is left out the backticks stay, as it may belong to the paragraph around it after all; of
 * a fenced block a blank line stays. Where it is in doubt where one ends, it never does.
 */
export function withoutBlocks(lines: readonly string[]): string[] {
  const said: string[] = [];
  let fence: Fence | undefined;
  let before: Kind = 'blank';
  let hadItem = false;
  let isHtml = false;
  for (const line of lines) {
    if (fence !== undefined) {
      const end = endOf(fence, line);
      if (end === 'doubt') return said;
      if (end === 'closed') fence = undefined;
      continue;
    }
    const lead = leadOf(line);
    hadItem ||= lead.hasItem;
    const kind = kindOf(line, lead, { before, hadItem });
    isHtml = kind !== 'blank' && (isHtml || lead.rest.startsWith('<'));
    if (kind === 'fence' && !isHtml && (lead.interrupts || before !== 'prose'))
      fence = fenceOf(line, lead, hadItem);
    const isEndless: boolean = kind === 'fence' && fence === undefined;
    const isMuddled: boolean = isEndless || (isHtml && fence === undefined && line.includes('`'));
    if (isMuddled) forgetSpans(said);
    if (isEndless) return said;
    before = isMuddled ? 'quote' : kind;
    const isGap = isMuddled || kind === 'blank' || kind === 'fence';
    said.push(isGap ? '' : isSaid(kind) ? line : LEFT_OUT + line.replaceAll(/[^`\\]/g, ' '));
  }
  return said;
}

/** Takes back the last paragraph, if there may be code in it that goes on. */
function forgetSpans(said: string[]): void {
  const start = said.lastIndexOf('') + 1;
  if (said.slice(start).some((line) => line.includes('`'))) said.length = start;
}

function kindOf(
  line: string,
  { indent, rest, isCode }: Lead,
  { before, hadItem }: { readonly before: Kind; readonly hadItem: boolean },
): Kind {
  if (BLANK.test(line)) return 'blank';
  if (QUOTE.test(line)) return EMPTY_QUOTE.test(line) ? 'blank' : 'quote';
  if (FENCE.test(line) || FENCE.test(rest) || neverEnds(rest)) return 'fence';
  if (before === 'quote') return 'quote';
  if (isCode || (indent >= 4 && before !== 'prose')) return 'code';
  // Behind a list that code may be words after all, with which this line goes on.
  if (before === 'code' && hadItem && line.includes('`')) return 'code';
  return (indent < 4 || hadItem) && NO_PARAGRAPH.test(rest) ? 'block' : 'prose';
}

const neverEnds = (rest: string): boolean => ENDLESS.test(rest) || UNCLOSED.test(rest);

const isSaid = (kind: Kind): boolean => kind === 'prose' || kind === 'block';

function leadOf(line: string): Lead {
  const indent = spaces(line, 0, 0);
  let { at, column } = indent;
  let hasItem = false;
  let interrupts = true;
  let isCode = false;
  for (;;) {
    const mark = markAt(line, at);
    if (mark === undefined) break;
    hasItem = true;
    interrupts &&= mark.number === undefined || mark.number === '1';
    const behind = column + mark.length;
    const next = spaces(line, at + mark.length, behind);
    isCode ||= next.column - behind > 4;
    ({ at, column } = next);
  }
  return { indent: indent.column, column, rest: line.slice(at), hasItem, interrupts, isCode };
}

function markAt(line: string, at: number): { length: number; number?: string } | undefined {
  MARKER.lastIndex = at;
  const item = MARKER.exec(line);
  if (item !== null)
    return { length: item[0].length, ...(item[1] === undefined ? {} : { number: item[1] }) };
  FOOTNOTE.lastIndex = at;
  const note = FOOTNOTE.exec(line);
  return note === null ? undefined : { length: note[0].length };
}

function spaces(line: string, from: number, start: number): { at: number; column: number } {
  let at = from;
  let column = start;
  for (; line[at] === ' ' || line[at] === '\t'; at += 1)
    column += line[at] === '\t' ? 4 - (column % 4) : 1;
  return { at, column };
}

/** `undefined`: it is in doubt what it is. */
function fenceOf(line: string, lead: Lead, hadItem: boolean): Fence | undefined {
  const { column, indent, hasItem, isCode, rest } = lead;
  const sign = /^(?:`{3,}|~{3,})/.exec(rest)?.[0];
  const prefix = line.slice(0, line.length - rest.length);
  if (sign === undefined || isCode || neverEnds(rest) || prefix.includes('\t')) return undefined;
  if (!hadItem) return indent > 3 ? undefined : { sign, from: 0, to: 3, doubt: 3, isInItem: false };
  const to = hasItem || column === 0 ? column + 3 : column;
  return { sign, from: column, to, doubt: column + 3, isInItem: column > 0 };
}

function endOf(fence: Fence, line: string): 'open' | 'closed' | 'doubt' {
  const { column } = spaces(line, 0, 0);
  if (fence.isInItem && column < fence.from && !BLANK.test(line)) return 'doubt';
  const sign = CLOSING.exec(line)?.[1];
  if (sign?.startsWith(fence.sign) !== true || column > fence.doubt) return 'open';
  return column <= fence.to ? 'closed' : 'doubt';
}

// Tells the code in a Markdown text from its prose, without a Markdown parser and never wrongly on
// the dangerous side: what is called code is code on GitHub too. Where the text is ambiguous
// (fences on a list's marker, raw HTML, escaped backticks), all of it is prose.

export interface Piece {
  readonly code: boolean;
  /** Whole lines: a fenced block with its fences, or HTML in which no Markdown is read. */
  readonly block: boolean;
  readonly text: string;
}

const BLANK = /^[ \t]*$/;
/** On its own, in quotes, or by spaces within a list. */
const OPENS_FENCE = /^((?:> ?)*| {1,12}(?=`))(`{3,}(?=[^`]*$)|~{3,})/;
const LOOKS_LIKE_FENCE = /^[\s>*+\-\d.)]*(?:```|~~~)/;
const LOOKS_LIKE_HTML = /^[\s>*+\-\d.)]*</;

/** HTML in which GitHub reads no Markdown, even across blank lines, and what ends it. */
const RAW_HTML: readonly (readonly [begins: RegExp, ends: RegExp])[] = [
  [/^[\s>*+\-\d.)]*<(?:script|style|pre|textarea)\b/i, /<\/(?:script|style|pre|textarea)>/i],
  [/^[\s>*+\-\d.)]*<!--/, /-->/],
  [/^[\s>*+\-\d.)]*<\?/, /\?>/],
  [/^[\s>*+\-\d.)]*<!\[CDATA\[/, /\]\]>/],
  [/^[\s>*+\-\d.)]*<![A-Za-z]/, />/],
];

/** The text that was split last: those who clean a text ask for the same one many times. */
let last: { readonly text: string; readonly pieces: readonly Piece[]; mask?: string } = {
  text: '',
  pieces: [],
};

/** The text as pieces of prose and of code; joined, they are the text. */
export function splitCode(text: string): readonly Piece[] {
  if (last.text !== text) last = { text, pieces: split(text) };
  return last.pieces;
}

/** The text, as long as it is, with a backtick in place of every character of code. */
export function maskCode(text: string): string {
  const pieces = splitCode(text);
  last.mask ??= pieces
    .map((piece) => (piece.code ? piece.text.replaceAll(/[^\n]/g, '`') : piece.text))
    .join('');
  return last.mask;
}

function split(text: string): readonly Piece[] {
  const blocks = splitFences(text);
  if (blocks === undefined) return [{ code: false, block: false, text }];
  return blocks.flatMap((piece) => (piece.block ? [piece] : splitInline(piece.text)));
}

/** Pieces by whole lines: fenced blocks are code. `undefined` where the text is ambiguous. */
function splitFences(text: string): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  const lines = text.split(/(?<=\n)/);
  let inHtml = false;
  for (let at = 0; at < lines.length;) {
    const line = contentOf(lines[at]);
    const fenceEnd = endOfFence(lines, at);
    const end = fenceEnd === at ? endOfRawHtml(lines, at) : fenceEnd;
    if (end === 'ambiguous' || (fenceEnd !== at && inHtml)) return undefined;
    const isBlock = end > at;
    const block = lines.slice(at, isBlock ? end : at + 1).join('');
    append(pieces, { code: fenceEnd !== at, block: isBlock, text: block });
    inHtml = !isBlock && !BLANK.test(line) && (inHtml || LOOKS_LIKE_HTML.test(line));
    at = isBlock ? end : at + 1;
  }
  return pieces;
}

/** As `endOfFence`, for HTML. Within a list or a quotation nobody can tell where it ends. */
function endOfRawHtml(lines: readonly string[], at: number): number | 'ambiguous' {
  const line = contentOf(lines[at]);
  const ends = RAW_HTML.find(([begins]) => begins.test(line))?.[1];
  if (ends === undefined) return at;
  if (!line.startsWith('<')) return ends.test(line) ? at : 'ambiguous';
  let last = at;
  while (last < lines.length && !ends.test(lines[last] ?? '')) last += 1;
  return Math.min(last + 1, lines.length);
}

const contentOf = (line = ''): string => line.replace(/\n$/, '');

/** The line after the fenced block that begins at this line; the line itself where none begins. */
function endOfFence(lines: readonly string[], at: number): number | 'ambiguous' {
  const line = contentOf(lines[at]);
  const [, prefix = '', fence] = OPENS_FENCE.exec(line) ?? [];
  if (fence === undefined) return LOOKS_LIKE_FENCE.test(line) ? 'ambiguous' : at;
  return prefix.startsWith(' ')
    ? endOfIndented(lines, at, prefix, fence)
    : endOfQuoted(lines, at, prefix.split('>').length - 1, fence);
}

/** A block ends with its quotation; one on its own (`depth` 0) may go on to the end of the text. */
function endOfQuoted(
  lines: readonly string[],
  opened: number,
  depth: number,
  fence: string,
): number | 'ambiguous' {
  for (let at = opened + 1; at < lines.length; at += 1) {
    const line = contentOf(lines[at]);
    const rest = withoutQuotes(line, depth);
    if (rest === undefined) return line.trimStart().startsWith('>') ? 'ambiguous' : at;
    if (closes(rest, fence)) return at + 1;
  }
  return lines.length;
}

function withoutQuotes(line: string, depth: number): string | undefined {
  let rest = line;
  for (let count = 0; count < depth; count += 1) {
    if (!rest.startsWith('>')) return undefined;
    rest = rest.slice(rest.startsWith('> ') ? 2 : 1);
  }
  return rest;
}

/**
 * Whatever the spaces mean (a list, an indented block, a paragraph that goes on), this is code: it is
 * closed with the same spaces, nothing in it has fewer, and no backticks in it could close it before.
 */
function endOfIndented(
  lines: readonly string[],
  opened: number,
  spaces: string,
  fence: string,
): number | 'ambiguous' {
  for (let at = opened + 1; at < lines.length; at += 1) {
    const line = contentOf(lines[at]);
    if (BLANK.test(line)) continue;
    if (!line.startsWith(spaces)) return 'ambiguous';
    const rest = line.slice(spaces.length);
    if (rest.trimEnd() === fence) return at + 1;
    if (rest.includes('```')) return 'ambiguous';
  }
  return 'ambiguous';
}

function closes(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return fence !== '' && closing !== undefined && closing.startsWith(fence);
}

/** Pieces of prose by paragraph: what stands between the same backticks on one line is code. */
function splitInline(prose: string): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const paragraph of prose.split(/(?<=\n[ \t]*\n)/))
    for (const piece of splitParagraph(paragraph)) append(pieces, piece);
  return pieces;
}

function splitParagraph(paragraph: string): readonly Piece[] {
  const whole = [{ code: false, block: false, text: paragraph }];
  if (!paragraph.includes('`') || paragraph.includes('\\`')) return whole;
  const lines = paragraph.split(/(?<=\n)/);
  const mayBeTable = lines.some((line) => DELIMITERS.test(line) && line.includes('-'));
  const pieces: Piece[] = [];
  for (const line of lines) {
    const parts = splitLine(line);
    if (parts === undefined || !parts.every((part) => isSafe(part, mayBeTable))) return whole;
    if (LOOKS_LIKE_HTML.test(line)) return whole;
    for (const part of parts) append(pieces, part);
  }
  return pieces;
}

/** The row below the head of a table, among others. */
const DELIMITERS = /^[\s>|:*+\d.)-]+$/;

/** A span that a table would cut, and prose that could change what backticks enclose: HTML, math. */
const isSafe = ({ code, text }: Piece, mayBeTable: boolean): boolean =>
  code ? !mayBeTable || !/(?<!\\)\|/.test(text) : !MAY_ENCLOSE.test(text) && !OPENS_LINK.test(text);

/** The address, title or label of a link is read before backticks are; a bare address takes them in. */
const OPENS_LINK = /\]\([^)]*$|\]\[[^\]]*$|\]:[ \t]*\S*$|(?:(?:https?|ftp):\/\/|www\.)[^\s<]*$/i;

/** Tags and addresses in angle brackets, but for a plain `<b>`, which can hold no backtick. */
const MAY_ENCLOSE =
  /\$|<(?=[/!?]|[A-Za-z][\w-]*[\s/>]|[A-Za-z][^\s<>]*(?:[:@]|$))(?!\/?[A-Za-z][A-Za-z0-9]{0,20}>)/;

/** A run of backticks is closed by the next of the same length; `undefined` where one is not. */
function splitLine(line: string): readonly Piece[] | undefined {
  const runs = [...line.matchAll(/`+/g)].toReversed();
  const pieces: Piece[] = [];
  let done = 0;
  for (let open = runs.pop(); open !== undefined; open = runs.pop()) {
    const close = closingRun(runs, open[0]);
    if (close === undefined) return undefined;
    append(pieces, { code: false, block: false, text: line.slice(done, open.index) });
    done = close.index + close[0].length;
    append(pieces, { code: true, block: false, text: line.slice(open.index, done) });
  }
  append(pieces, { code: false, block: false, text: line.slice(done) });
  return pieces;
}

/** Takes the runs up to it from the list, whose last is the next. */
function closingRun(runs: RegExpExecArray[], open: string): RegExpExecArray | undefined {
  let run = runs.pop();
  while (run !== undefined && run[0] !== open) run = runs.pop();
  return run;
}

/** Adjacent prose is one piece. */
function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (piece.text === '') return;
  if (last === undefined || last.code || piece.code || last.block || piece.block)
    pieces.push(piece);
  else pieces[pieces.length - 1] = { ...last, text: last.text + piece.text };
}

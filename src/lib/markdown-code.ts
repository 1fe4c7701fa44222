// Tells the code in a Markdown text from its prose, without a Markdown parser and never wrongly on
// the dangerous side: what is called code is code on GitHub too. Where the text is ambiguous
// (fences in lists or quotes, raw HTML, escaped backticks), all of it is prose.

export interface Piece {
  readonly code: boolean;
  readonly text: string;
}

const BLANK = /^[ \t]*$/;
const OPENS_FENCE = /^(?:(`{3,})[^`]*|(~{3,}).*)$/;
const LOOKS_LIKE_FENCE = /^[\s>*+\-\d.)]*(?:```|~~~)/;
const LOOKS_LIKE_HTML = /^[\s>*+\-\d.)]*</;

/** The elements in which GitHub reads no Markdown, even across blank lines. */
const RAW_HTML = /<(?:script|style|pre|textarea)\b/i;

/** The text as pieces of prose and of code; joined, they are the text. */
export function splitCode(text: string): readonly Piece[] {
  const blocks = splitFences(text);
  if (blocks === undefined) return [{ code: false, text }];
  return blocks.flatMap((piece) => (piece.code ? [piece] : splitInline(piece.text)));
}

/** What closes the fence that is still open at the end of the text; empty when none is. */
export function closingFence(text: string): string {
  let fence = '';
  for (const line of text.split('\n')) {
    if (fence !== '') fence = closes(line, fence) ? '' : fence;
    else fence = /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1] ?? '';
  }
  return fence === '' ? '' : `\n${fence}`;
}

/** Pieces by whole lines: fenced blocks are code. `undefined` where the text is ambiguous. */
function splitFences(text: string): readonly Piece[] | undefined {
  if (RAW_HTML.test(text)) return undefined;
  const pieces: { code: boolean; text: string }[] = [];
  let fence = '';
  let inHtml = false;
  for (const line of text.split(/(?<=\n)/)) {
    const content = line.replace(/\n$/, '');
    const opened = fence === '' ? OPENS_FENCE.exec(content) : null;
    if (fence === '' && opened === null && LOOKS_LIKE_FENCE.test(content)) return undefined;
    if (opened !== null && inHtml) return undefined;
    append(pieces, { code: fence !== '' || opened !== null, text: line });
    if (opened !== null) fence = opened[1] ?? opened[2] ?? '';
    else if (closes(content, fence)) fence = '';
    else if (fence === '')
      inHtml = !BLANK.test(content) && (inHtml || LOOKS_LIKE_HTML.test(content));
  }
  return pieces;
}

function closes(line: string, fence: string): boolean {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return fence !== '' && closing !== undefined && closing.startsWith(fence);
}

/** Pieces of prose by paragraph: what stands between single backticks on one line is code. */
function splitInline(prose: string): readonly Piece[] {
  const pieces: { code: boolean; text: string }[] = [];
  for (const paragraph of prose.split(/(?<=\n[ \t]*\n)/)) {
    if (!hasPlainCodeSpans(paragraph)) append(pieces, { code: false, text: paragraph });
    else
      for (const [at, text] of paragraph.split(/(`[^`\n]*`)/).entries())
        append(pieces, { code: at % 2 === 1, text });
  }
  return pieces;
}

/** Whether each line pairs its single backticks and nothing else could change what they enclose. */
function hasPlainCodeSpans(paragraph: string): boolean {
  if (/``|[\\<|$]/.test(paragraph)) return false;
  return paragraph.split('\n').every((line) => line.split('`').length % 2 === 1);
}

function append(pieces: { code: boolean; text: string }[], piece: Piece): void {
  const last = pieces.at(-1);
  if (piece.text === '') return;
  if (last?.code === piece.code) last.text += piece.text;
  else pieces.push({ ...piece });
}

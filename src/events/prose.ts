// What a person says in a comment, as opposed to what they quote, show as code, or hide.

const FENCE = /^[\s>*+\-\d.)]*(`{3,}|~{3,})/;
const QUOTE = /^\s*(?:(?:[*+-]|\d{1,9}[.)])\s+)*>/;
const INDENTED = /^(?: {4}|\t)/;
/** Stands for what was cut out of a line: neither a space nor a letter. */
const CUT = '\uFFFC';

/**
 * The lines of a Markdown text that its author says themselves. In doubt a line is left out: what is
 * quoted or shown as code must never count as said.
 */
export function proseLines(markdown: string): readonly string[] {
  const lines = withoutComments(markdown.replaceAll(/\r\n?/g, '\n')).split('\n');
  const said = withoutBlocks(lines).join('\n');
  return said
    .split(/\n[ \t]*\n/)
    .map(withoutSpans)
    .join('\n')
    .replaceAll(HIDING_TAGS, CUT)
    .replaceAll(/<\/?[A-Za-z][^<>\n]*>/g, CUT)
    .replaceAll(/\]\([^()\n]*\)/g, `]${CUT}`)
    .replaceAll(/^ {0,3}\[[^\]\n]*\]:.*$/gm, '')
    .replaceAll(/\bhttps?:\/\/\S+/gi, CUT)
    .split('\n')
    .filter((line) => line.trim() !== '');
}

/** One that is not closed hides the rest. */
const COMMENTS = /<!--[^]*?(?:-->|$)/g;

export const withoutComments = (markdown: string): string => markdown.replaceAll(COMMENTS, CUT);

const HIDING_TAGS =
  /<(pre|code|blockquote|script|style|textarea|template|kbd|samp)\b[^]*?(?:<\/\1\s*>|$)/gi;

/** Without fenced and indented code, and without quotations, the lines that lazily go on included. */
function withoutBlocks(lines: readonly string[]): string[] {
  const said: string[] = [];
  let fence = '';
  let before: 'blank' | 'prose' | 'quote' | 'code' = 'blank';
  for (const line of lines) {
    const mark = FENCE.exec(line)?.[1];
    if (fence !== '') {
      if (mark !== undefined && closes(line, mark, fence)) fence = '';
      before = 'code';
    } else if (line.trim() === '') {
      before = before === 'code' && INDENTED.test(line) ? 'code' : 'blank';
      said.push('');
    } else if (QUOTE.test(line)) {
      before = line.replace(/^[\s>]*/, '') === '' ? 'blank' : 'quote';
      if (mark !== undefined) before = 'quote';
    } else if (mark !== undefined) {
      fence = mark;
      before = 'code';
    } else if (before === 'quote') {
      continue;
    } else if (INDENTED.test(line) && before !== 'prose') {
      before = 'code';
    } else {
      said.push(line);
      before = 'prose';
    }
  }
  return said;
}

const closes = (line: string, mark: string, fence: string): boolean =>
  mark.startsWith(fence) && line.replace(FENCE, '').trim() === '';

/** Within a paragraph, a run of backticks is closed by the next one of the same length. */
function withoutSpans(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)];
  const later = new Map<string, number[]>();
  for (const { 0: run, index } of runs.toReversed()) {
    const places = later.get(run) ?? [];
    places.push(index);
    later.set(run, places);
  }
  let kept = '';
  let done = 0;
  for (const { 0: run, index } of runs) {
    const places = later.get(run);
    places?.pop();
    const end = places?.at(-1);
    if (index < done || end === undefined) continue;
    kept += paragraph.slice(done, index) + CUT;
    done = end + run.length;
  }
  return kept + paragraph.slice(done);
}

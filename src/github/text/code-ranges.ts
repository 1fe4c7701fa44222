// Tells code from prose in a Markdown text, by the tokens of markdown-it. It errs towards prose: GitHub's
// own rendering is checked afterwards, so a mistake here changes how a text looks and nothing else.
import MarkdownIt, { type Token } from 'markdown-it';

const parser = new MarkdownIt({ html: true });

/** The block tokens of a text, with their lines. */
export const blocksOf = (text: string): readonly Token[] => parser.parse(text, {});

/** Lines that GitHub offers to commit in place of those that a review comment is on. */
interface SuggestionBlock {
  readonly content: string;
  /** As it is written: GitHub offers to commit what is called `suggestion`. */
  readonly language: string;
  /** The number of the line that opens it, from 0. */
  readonly firstLine: number;
  /** It is part of a list or a quotation. */
  readonly isWithin: boolean;
}

/** What GitHub takes for suggestions, and what looks like one to a person. */
export function suggestionsIn(text: string): readonly SuggestionBlock[] {
  if (!/`{3}|~{3}/.test(text)) return [];
  return blocksOf(text).flatMap(({ type, info, content, map, level }) => {
    const [language = ''] = parser.utils.unescapeAll(info).trim().split(/\s/);
    return type === 'fence' && map !== null && /^suggestion/i.test(language)
      ? [{ content, language, firstLine: map[0], isWithin: level > 0 }]
      : [];
  });
}

export interface CodePiece {
  readonly kind: 'prose' | 'block' | 'span';
  readonly text: string;
}

interface Range {
  readonly kind: 'block' | 'span';
  readonly start: number;
  readonly end: number;
}

/** The text as prose, blocks of code (whole lines) and spans of code. Joined, they are the text. */
export function splitCode(text: string): readonly CodePiece[] {
  if (!MAY_BE_CODE.test(text)) return [{ kind: 'prose', text }];
  const pieces: CodePiece[] = [];
  let done = 0;
  for (const { kind, start, end } of codeIn(text)) {
    if (start > done) pieces.push({ kind: 'prose', text: text.slice(done, start) });
    pieces.push({ kind, text: text.slice(start, end) });
    done = end;
  }
  if (done < text.length) pieces.push({ kind: 'prose', text: text.slice(done) });
  return pieces;
}

const MAY_BE_CODE = /`|~~~|^(?: {4}|[ >\d.)*+-]*\t)|^[ >*+-]* {4}/m;

function codeIn(text: string): readonly Range[] {
  const tokens = blocksOf(text);
  const lineStarts = startsOfLines(text);
  const startOf = (line: number): number => lineStarts[line] ?? text.length;
  // The parser knows no footnotes: it takes their further lines for code.
  const hasNotes = text.includes('[^');
  const ranges: Range[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const { type, map } = tokens[at] ?? {};
    if (map === null || map === undefined) continue;
    const [start, end] = [startOf(map[0]), startOf(map[1])];
    if (type === 'fence' || (type === 'code_block' && !hasNotes))
      ranges.push({ kind: 'block', start, end });
    else if (type === 'inline') ranges.push(...spansOf(text, start, end, tokens.slice(at, at + 1)));
    else if (type === 'table_open') {
      const first = at;
      while (tokens[at]?.type !== 'table_close') at += 1;
      ranges.push(...spansOf(text, start, end, tokens.slice(first, at)));
    }
  }
  return ranges;
}

function startsOfLines(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The spans that backticks enclose in a part of the text, if the parser finds the same ones there. */
function spansOf(text: string, start: number, end: number, tokens: readonly Token[]): Range[] {
  const source = text.slice(start, end);
  const spans = [...enclosed(source)];
  const found = tokens
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type === 'code_inline');
  const areSame =
    spans.length === found.length &&
    spans.every(({ content }, index) => letters(content) === letters(found[index]?.content ?? ''));
  return areSame
    ? spans.map(({ from, to }) => ({ kind: 'span', start: start + from, end: start + to }))
    : [];
}

/** Without the markers of quotations and tables, which only the source of a span contains. */
const letters = (content: string): string => content.replaceAll(/[\s>\\]/g, '');

interface Span {
  readonly from: number;
  readonly to: number;
  readonly content: string;
}

/** A run of backticks is closed by the next one of its length. Takes linear time. */
function* enclosed(source: string): Generator<Span> {
  const runs = [...source.matchAll(/\\[^`]|(\\?)(`+)/g)].filter(
    ([, , ticks]) => ticks !== undefined,
  );
  const nextOfLength = new Map<number, number>();
  const closers = runs.map(() => -1);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.[2]?.length ?? 0;
    closers[at] = nextOfLength.get(length) ?? -1;
    nextOfLength.set(length, at);
  }
  for (let at = 0; at < runs.length; at += 1) {
    const [opener, closer] = [runs[at], runs[closers[at] ?? -1]];
    if (opener === undefined || closer === undefined || opener[1] !== '') continue;
    const [from, until] = [opener.index, closer.index + closer[0].length];
    const length = opener[0].length;
    yield { from, to: until, content: source.slice(from + length, until - length) };
    at = closers[at] ?? at;
  }
}

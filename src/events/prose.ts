// What a person says in a comment, as opposed to what they quote, show as code, or hide.
import { LEFT_OUT, withoutBlocks } from './blocks.ts';

/** Stands for code or an address that was cut out of a line: it counts as a word. */
export const CUT = '\uFFFC';
/** Stands for what nobody sees of a line: it parts words, and begins no line. */
const UNSEEN = '\uE000';

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
    .replaceAll(ONLY_LEFT_OUT, '')
    .replaceAll(HIDING_TAGS, CUT)
    .replaceAll(/<\/?[A-Za-z][^<>\n]*>/g, UNSEEN)
    .replaceAll(/\]\([^()\n]*\)/g, `]${CUT}`)
    .replaceAll(/^ {0,3}\[[^\]\n]*\]:.*$/gm, '')
    .replaceAll(/\bhttps?:\/\/\S+/gi, CUT)
    .split('\n')
    .filter((line) => line.replaceAll(UNSEEN, '').trim() !== '');
}

/** One that is not closed hides the rest. */
const COMMENTS = /<!--[^]*?(?:-->|$)/g;

export const withoutComments = (markdown: string): string => markdown.replaceAll(COMMENTS, UNSEEN);

const HIDING_TAGS =
  /<(pre|code|blockquote|script|style|textarea|template|kbd|samp)\b[^]*?(?:<\/\1\s*>|$)/gi;

const ONLY_LEFT_OUT = new RegExp(`^${LEFT_OUT}[ \\t\`\\\\${CUT}]*$`, 'gm');
const BESIDE_LEFT_OUT = new RegExp(`^(?=${LEFT_OUT})|(?<=^${LEFT_OUT}[^\n]*\n)`, 'm');
/** What may begin something new in the midst of lines. */
const BEGINNING =
  /^(?=[ \t]*(?:[*+-][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\[\^|<|[-=*_][-=*_ \t]*$))/m;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Without spans of code, wherever the paragraphs in it may end. */
function withoutSpans(lines: string): string {
  const apart = lines.split(BESIDE_LEFT_OUT);
  const spans = [[lines], apart, apart.flatMap((part) => part.split(BEGINNING))].flatMap(spansOf);
  let kept = '';
  let done = 0;
  for (const { start, end } of spans.toSorted((one, two) => one.start - two.start)) {
    if (start >= done) kept += lines.slice(done, start) + CUT;
    done = Math.max(done, end);
  }
  return kept + lines.slice(done);
}

/** In parts that follow one another. */
function spansOf(parts: readonly string[]): readonly Span[] {
  let start = 0;
  return parts.flatMap((part) => {
    start += part.length;
    return spansIn(part, start - part.length);
  });
}

/** A run of backticks is closed by the next one of the same length; a backslash takes one off its beginning. */
function spansIn(paragraph: string, offset: number): readonly Span[] {
  const runs = [...paragraph.matchAll(/(?<!\\)(\\*)(`+)/g)].map(
    ({ 1: slashes = '', 2: run = '', index }) => ({
      start: index + slashes.length,
      length: run.length,
      escaped: slashes.length % 2,
    }),
  );
  const later = new Map<number, number[]>();
  for (const { start, length } of runs.toReversed()) {
    const places = later.get(length) ?? [];
    places.push(start);
    later.set(length, places);
  }
  const spans: Span[] = [];
  let done = 0;
  for (const { start, length, escaped } of runs) {
    later.get(length)?.pop();
    const opening = length - escaped;
    const end = later.get(opening)?.at(-1);
    if (start < done || end === undefined) continue;
    done = end + opening;
    spans.push({ start: offset + start + escaped, end: offset + done });
  }
  return spans;
}

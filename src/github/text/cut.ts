import { blocksOf, splitCode } from './code-ranges.ts';

/** Kept for closing what a cut leaves open. */
const ROOM_FOR_ENDS = 200;
/** A cut moves back to the end of a block, a line or a word unless more than this share is lost. */
const MOST_LOST = 0.3;

interface CutOptions {
  /** UTF-16 units, a few hundred at least. */
  readonly limit: number;
  /** What each line needs in addition to its text, such as the marker of a quotation. */
  readonly perLine?: number;
}

export interface Cut {
  readonly text: string;
  readonly isCut: boolean;
}

/** As much of a Markdown text as fits. Everything that it opens is closed, so that it cannot affect what follows. */
export function cutMarkdown(text: string, { limit, perLine = 0 }: CutOptions): Cut {
  const sizeOf = (some: string): number => some.length + perLine * some.split('\n').length;
  const whole = text + endsOf(text);
  if (sizeOf(whole) <= limit) return { text: whole, isCut: false };
  const kept = text
    .slice(0, placeToCut(text, limit - ROOM_FOR_ENDS, perLine))
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
  const ends = endsOf(kept);
  // No person opens so much that this does not hold; what is left open then is only less pretty.
  return { text: sizeOf(ends) <= ROOM_FOR_ENDS ? kept + ends : kept, isCut: true };
}

function placeToCut(text: string, room: number, perLine: number): number {
  let left = room;
  let line = 0;
  for (;;) {
    const end = text.indexOf('\n', line) + 1;
    const cost = end - line + perLine;
    if (end === 0 || cost > left) break;
    left -= cost;
    line = end;
  }
  const most = line + Math.max(0, left - perLine);
  const least = most * (1 - MOST_LOST);
  const block = line > least ? lastBlock(text.slice(0, line)) : 0;
  if (block > least) return block;
  return line > least ? line : placeInLine(text, line, most, least);
}

/** The position of the last top-level block. */
function lastBlock(text: string): number {
  const starts = blocksOf(text).flatMap(({ level, map }) => (level === 0 && map ? [map[0]] : []));
  const before = text.split('\n', starts.at(-1) ?? 0);
  return before.reduce((length, line) => length + line.length + 1, 0);
}

/** The end of a word; else of an entity, a tag, or what a person sees as one sign. */
function placeInLine(text: string, line: number, most: number, least: number): number {
  const before = text.slice(line, most);
  const word = line + Math.max(before.lastIndexOf(' '), before.lastIndexOf('\t'));
  if (word > least) return word;
  const part = /(?:&[#\w]{0,40}|<[A-Za-z/][^<>]{0,500})$/.exec(before.slice(-500));
  return part === null ? endOfSign(text, most) : most - part[0].length;
}

const NEAR = 64;

/** Such as a family of emoji, which is many characters. */
function endOfSign(text: string, most: number): number {
  const from = Math.max(0, most - NEAR);
  const signs = new Intl.Segmenter().segment(text.slice(from, most + NEAR));
  return from + (signs.containing(most - from)?.index ?? most - from);
}

const DETAILS = /<(\/?)details\b[^<>]*>/gi;
const FENCE = /^ {0,3}(?:```|~~~)/m;
const LAST_LINE_OF_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;

/** What closes the code block and the folded parts that are open at the end. Blocks in a list end with the list. */
function endsOf(text: string): string {
  const prose = splitCode(text).map(({ kind, text: part }) => (kind === 'prose' ? part : ''));
  const tags = [...prose.join('').matchAll(DETAILS)].map(([, closes]) => (closes === '' ? 1 : -1));
  const open = tags.reduce((depth: number, change) => Math.max(0, depth + change), 0);
  return closingFence(text) + '\n\n</details>'.repeat(open);
}

function closingFence(text: string): string {
  if (!FENCE.test(text)) return '';
  const last = blocksOf(text).at(-1);
  if (last?.type !== 'fence' || last.level !== 0 || last.map === null) return '';
  const [start, end] = last.map;
  // What names the addresses of links may follow, and is no block.
  const [, sign = ''] = LAST_LINE_OF_FENCE.exec(text.split('\n')[end - 1] ?? '') ?? [];
  return end - start > 1 && sign.startsWith(last.markup) ? '' : `\n${last.markup}`;
}

import { TimeSlice } from '../../lib/threads/time-slice.ts';
import { findAlike } from './nearest-alike.ts';
import { lineAt, splitLines } from './text-file.ts';

const MAX_COMPARED = 2_000_000;
const MAX_SHOWN_LINES = 12;
const MAX_SHOWN_CHARACTERS = 2000;
const MIN_TELLING = 3;
const MIN_SIMILARITY = 0.5;
/** Lines, between two looks whether others wait. */
const STEP = 64;

/** Tells the model why `wanted`, to be replaced by `newText`, is not in `text`, with the nearest place. */
export async function explainMiss(text: string, wanted: string, newText: string): Promise<string> {
  const wantedLines = splitLines(wanted);
  if (wantedLines.every((line) => /^\s*\d+\t/.test(line)))
    return 'old_text contains the line numbers that stand before the lines. Leave out the numbers and the tabs.';
  if (text.includes(unescaped(wanted)))
    return 'old_text is escaped once too often: give line breaks, quotes and backslashes exactly as they are in the file.';
  const alike = await findAlike(text, wanted);
  const done = newText.trim().length < MIN_TELLING ? -1 : text.indexOf(newText);
  const isDone = done >= 0 && (alike === undefined || isWithin(alike.start, done, newText.length));
  if (isDone)
    return `old_text is not in the file, but new_text is, at line ${lineAt(text, done)}: the edit seems to be done already.`;
  const lines = splitLines(text);
  if (alike !== undefined) {
    const start = lineAt(text, alike.start) - 1;
    const why = `old_text differs from the file in ${alike.differs} only`;
    return show(why, lines, start, lineAt(text, alike.end) - start);
  }
  return explainLines(lines, wantedLines);
}

const isWithin = (position: number, start: number, length: number): boolean =>
  position >= start && position < start + length;

const ESCAPED = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

/** The text with its JSON escapes resolved. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, char: string) => ESCAPED.get(char) ?? char);

async function explainLines(lines: readonly string[], wanted: readonly string[]): Promise<string> {
  const slice = new TimeSlice();
  const place = await sameLines(lines, wanted, slice);
  if (place !== undefined) {
    const why = `old_text is not in the file; ${place.equal} of its ${wanted.length} lines match`;
    return show(why, lines, place.start, wanted.length);
  }
  const start = await similarLine(lines, wanted, slice);
  if (start === undefined)
    return 'old_text is not in the file, and nothing similar is. Read the file again.';
  return show('old_text is not in the file', lines, start, wanted.length);
}

function show(why: string, lines: readonly string[], start: number, count: number): string {
  const end = start + Math.min(count, MAX_SHOWN_LINES);
  const shown = lines.slice(start, end).join('\n').slice(0, MAX_SHOWN_CHARACTERS).toWellFormed();
  return `${why}. The nearest place, from line ${start + 1}, reads exactly:\n${shown}`;
}

/** The window with the most lines that are equal except for white space. */
async function sameLines(
  lines: readonly string[],
  wanted: readonly string[],
  slice: TimeSlice,
): Promise<{ readonly start: number; readonly equal: number } | undefined> {
  if (lines.length * wanted.length > MAX_COMPARED) return undefined;
  const squeezed = lines.map(squeeze);
  const wantedSqueezed = wanted.map(squeeze);
  let best = { start: 0, equal: 0 };
  for (let start = 0; start < lines.length; start += 1) {
    if (start % STEP === 0) await slice.yieldIfOver();
    const equal = wantedSqueezed.filter(
      (line, offset) => line !== '' && line === squeezed[start + offset],
    ).length;
    if (equal > best.equal) best = { start, equal };
  }
  if (best.equal === 0) return undefined;
  const blank = wantedSqueezed.filter((line) => line === '').length;
  return { start: best.start, equal: best.equal + blank };
}

const squeeze = (line: string): string => line.replaceAll(/\s+/g, ' ').trim();

/** Where the text would begin if its longest line were the line of the file that shares the most words. */
async function similarLine(
  lines: readonly string[],
  wanted: readonly string[],
  slice: TimeSlice,
): Promise<number | undefined> {
  const longest = wanted.toSorted((a, b) => b.length - a.length)[0] ?? '';
  const words = wordsOf(longest);
  let best = { start: 0, similarity: 0 };
  for (const [start, line] of lines.entries()) {
    if (start % STEP === 0) await slice.yieldIfOver();
    const similarity = similarityOf(words, wordsOf(line));
    if (similarity > best.similarity) best = { start, similarity };
  }
  if (best.similarity < MIN_SIMILARITY) return undefined;
  return Math.max(0, best.start - wanted.indexOf(longest));
}

const wordsOf = (line: string): ReadonlySet<string> => new Set(line.match(/\w+/g));

/** From 0 to 1: the share of words that both sets contain. */
function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / (a.size + b.size);
}

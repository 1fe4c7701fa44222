import { TimeSlice } from '../../lib/threads/time-slice.ts';
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
  const unescaped = wanted.replaceAll(/\\(.)/g, (_, char: string) => ESCAPED.get(char) ?? char);
  if (text.includes(unescaped))
    return 'old_text is escaped once too often: give line breaks, quotes and backslashes exactly as they are in the file.';
  const alike = await findAlike(text, wanted);
  const done = newText.trim().length < MIN_TELLING ? -1 : text.indexOf(newText);
  const isDone =
    done >= 0 &&
    (alike === undefined || (alike.start >= done && alike.start < done + newText.length));
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

const ESCAPED = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);

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
  const words = wordsInLine(longest);
  let best = { start: 0, similarity: 0 };
  for (const [start, line] of lines.entries()) {
    if (start % STEP === 0) await slice.yieldIfOver();
    const similarity = similarityOf(words, wordsInLine(line));
    if (similarity > best.similarity) best = { start, similarity };
  }
  if (best.similarity < MIN_SIMILARITY) return undefined;
  return Math.max(0, best.start - wanted.indexOf(longest));
}

const wordsInLine = (line: string): ReadonlySet<string> => new Set(line.match(/\w+/g));

/** From 0 to 1: the share of words that both sets contain. */
function similarityOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0;
  const shared = [...a].filter((word) => b.has(word)).length;
  return (2 * shared) / (a.size + b.size);
}

// Finds a text in a file while ignoring differences that are easy to miss: white space, punctuation,
// accents and case.

type Fold = (char: string) => string;

/** Typographic characters, each with the plain one that people and models write instead. */
const PLAIN = new Map(
  Object.entries({ "'": '"`‘’‚‛′´“”„‟″«»', '-': '‐‑‒–—―−' }).flatMap(([plain, signs]) =>
    signs.split('').map((sign): readonly [string, string] => [sign, plain]),
  ),
);
const SPACE = /[\s\u00ad\u200b-\u200d\u2060\ufeff]/;
const ACCENTED = /[\u00c0-\u024f]|\p{Mn}/u;

/** The differences to ignore, each with a function that normalises one character; `''` removes it. */
const DIFFERENCES: readonly (readonly [words: string, fold: Fold])[] = [
  ['white space', (char) => (SPACE.test(char) ? '' : char)],
  ['quotes or dashes', (char) => PLAIN.get(char) ?? char],
  [
    'accents',
    (char) => (ACCENTED.test(char) ? char.normalize('NFD').replaceAll(/\p{Mn}/gu, '') : char),
  ],
  ['upper and lower case', (char) => char.toLowerCase()],
];

interface AlikePlace {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** A description of the differences. */
  readonly differs: string;
}

const CHARACTERS_AT_ONCE = 16_384;

/** The first place that equals `wanted` except for such differences. */
async function findAlike(text: string, wanted: string): Promise<AlikePlace | undefined> {
  const folds = DIFFERENCES.map(([, fold]) => fold);
  const needle = foldAll(wanted, folds);
  if (needle === '') return undefined;
  const whole = new FoldedText(folds);
  const slice = new TimeSlice();
  for (let from = 0; from < text.length; from += CHARACTERS_AT_ONCE) {
    whole.add(text, from, from + CHARACTERS_AT_ONCE);
    await slice.yieldIfOver();
  }
  const place = whole.find(needle);
  return place && { ...place, differs: differencesOf(text.slice(place.start, place.end), wanted) };
}

/** The differences that have to be ignored for the two texts to be equal. */
function differencesOf(found: string, wanted: string): string {
  const bare = wanted.trim();
  if (found !== bare && withoutReturns(found) === withoutReturns(bare))
    return found.includes('\r')
      ? 'line ends: there they are "\\r\\n"'
      : 'line ends: there they are "\\n"';
  const needed = DIFFERENCES.filter((difference) => {
    const others = DIFFERENCES.filter((other) => other !== difference).map(([, fold]) => fold);
    return foldAll(found, others) !== foldAll(bare, others);
  });
  return needed.map(([words]) => words).join(' and ') || 'white space';
}

const withoutReturns = (text: string): string => text.replaceAll('\r', '');

function foldAll(text: string, folds: readonly Fold[]): string {
  const folded = new FoldedText(folds);
  folded.add(text, 0, text.length);
  return folded.text;
}

/** A normalised text that knows the original position of each character. */
class FoldedText {
  text = '';
  readonly #folds: readonly Fold[];
  readonly #known = new Map<string, string>();
  readonly #positions: number[] = [];

  constructor(folds: readonly Fold[]) {
    this.#folds = folds;
  }

  /** Appends a part of the text. */
  add(text: string, from: number, to: number): void {
    const kept: string[] = [];
    for (let at = from; at < Math.min(to, text.length); at += 1) {
      const folded = this.#fold(text.charAt(at));
      if (folded === '') continue;
      kept.push(folded);
      for (let unit = 0; unit < folded.length; unit += 1) this.#positions.push(at);
    }
    this.text += kept.join('');
  }

  /** The original position of a normalised text; `end` is exclusive. */
  find(folded: string): { readonly start: number; readonly end: number } | undefined {
    const at = this.text.indexOf(folded);
    const start = this.#positions[at];
    const last = this.#positions[at + folded.length - 1];
    return start === undefined || last === undefined ? undefined : { start, end: last + 1 };
  }

  #fold(char: string): string {
    let folded = this.#known.get(char);
    if (folded === undefined) {
      folded = this.#folds.reduce((now, fold) => fold(now), char);
      this.#known.set(char, folded);
    }
    return folded;
  }
}

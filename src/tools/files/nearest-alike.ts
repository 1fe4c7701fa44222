// Finds a text in a file while ignoring differences that are easy to miss: white space, punctuation,
// accents and case.

import { TimeSlice } from '../../lib/threads/time-slice.ts';

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

export interface AlikePlace {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  /** A description of the differences. */
  readonly differs: string;
}

const STEP = 16_384;

/** The first place that equals `wanted` except for such differences. */
export async function findAlike(text: string, wanted: string): Promise<AlikePlace | undefined> {
  const folds = DIFFERENCES.map(([, fold]) => fold);
  const needle = foldAll(wanted, folds);
  if (needle === '') return undefined;
  const whole = new FoldedText(folds);
  const slice = new TimeSlice();
  for (let from = 0; from < text.length; from += STEP) {
    whole.add(text, from, from + STEP);
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

// Where a text stands in a file but for what is easily mistaken: white space, signs, accents, case.

type Fold = (char: string) => string;

/** Typographic signs, each with the plain one that people and models write in its place. */
const PLAIN = new Map(
  Object.entries({ "'": '"`‘’‚‛′´“”„‟″«»', '-': '‐‑‒–—―−' }).flatMap(([plain, signs]) =>
    signs.split('').map((sign): readonly [string, string] => [sign, plain]),
  ),
);
const SPACE = /[\s\u00ad\u200b-\u200d\u2060\ufeff]/;
const ACCENTED = /[\u00c0-\u024f]|\p{Mn}/u;

/** What may differ, each with what makes one character of it alike; `''` leaves it out. */
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
  /** Behind its last character. */
  readonly end: number;
  /** In what it differs, in words. */
  readonly differs: string;
}

/** The first place that would read as `wanted` does, were it not for such differences. */
export function findAlike(text: string, wanted: string): AlikePlace | undefined {
  const folds = DIFFERENCES.map(([, fold]) => fold);
  const needle = foldAll(wanted, folds).folded;
  if (needle === '') return undefined;
  const { folded, positions } = foldAll(text, folds);
  const at = folded.indexOf(needle);
  const start = positions[at];
  const last = positions[at + needle.length - 1];
  if (start === undefined || last === undefined) return undefined;
  return { start, end: last + 1, differs: differencesOf(text.slice(start, last + 1), wanted) };
}

/** Those without which the two would not be alike. */
function differencesOf(found: string, wanted: string): string {
  const bare = wanted.trim();
  if (found !== bare && withoutReturns(found) === withoutReturns(bare))
    return found.includes('\r')
      ? 'line ends: there they are "\\r\\n"'
      : 'line ends: there they are "\\n"';
  const needed = DIFFERENCES.filter((difference) => {
    const others = DIFFERENCES.filter((other) => other !== difference).map(([, fold]) => fold);
    return foldAll(found, others).folded !== foldAll(bare, others).folded;
  });
  return needed.map(([words]) => words).join(' and ') || 'white space';
}

const withoutReturns = (text: string): string => text.replaceAll('\r', '');

/** `positions`: where each character of the folded text stands in the text. */
function foldAll(
  text: string,
  folds: readonly Fold[],
): { readonly folded: string; readonly positions: readonly number[] } {
  const known = new Map<string, string>();
  const kept: string[] = [];
  const positions: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    let folded = known.get(char);
    if (folded === undefined) {
      folded = folds.reduce((now, fold) => fold(now), char);
      known.set(char, folded);
    }
    if (folded === '') continue;
    kept.push(folded);
    for (let unit = 0; unit < folded.length; unit += 1) positions.push(at);
  }
  return { folded: kept.join(''), positions };
}

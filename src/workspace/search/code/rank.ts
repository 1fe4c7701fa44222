import { isGenerated, kindWeight } from './file-kind.ts';
import { partsOf, WORD, type QuestionMatcher } from './matcher.ts';
import type { Frequencies, RankedFile, ScannedFile, Weights } from '../lines/tasks.ts';

/** How soon repeated terms stop adding to the score (Okapi BM25). */
const SATURATION = 1.2;
/** How many further windows of a file count, and how much they add to the score of the best one. */
const NEXT_WINDOWS = 3;
const NEXT_WEIGHT = 0.3;
const DIRECTORY_WEIGHT = 0.3;
const COVERAGE_WEIGHT = 0.4;
/** Less than 1: the rarest words in code are often the plainest of the question. */
const RARITY = 0.7;

/** The best files that contain any term of a question, best first, each with the counts of its best windows only. */
export function rankFiles(
  files: readonly ScannedFile[],
  frequencies: Frequencies,
  matcher: QuestionMatcher,
  question: string,
  limit: number,
): RankedFile[] {
  const weights = weightsOf(frequencies, matcher);
  const whole = Math.max(Number.EPSILON, sumOf(weights.keys(), weights));
  const scored: ScoredFile[] = [];
  for (const { path, counts } of files) {
    const windows = bestWindows(counts, weights);
    const inPath = scorePath(path, matcher, weights);
    const inBoth = scoreWindows(windows) + inPath.score;
    if (inBoth === 0) continue;
    const covered = weightIn(counts, windows, inPath.terms, weights) / whole;
    const share = 1 - COVERAGE_WEIGHT + COVERAGE_WEIGHT * covered;
    scored.push({ path, counts, windows, score: inBoth * kindWeight(path, question) * share });
  }
  const best = scored.toSorted(sourceFirst).slice(0, limit);
  return best.map((file) => ({ ...file, counts: countsIn(file, weights.length) }));
}

/** What is made from other files comes after all that is not, however well it fits: those are what is changed. */
export const sourceFirst = (one: Scored, other: Scored): number =>
  Number(isGenerated(one.path)) - Number(isGenerated(other.path)) || byScore(one, other);

interface Scored {
  readonly path: string;
  readonly score: number;
}

interface ScoredFile extends RankedFile {
  /** Those that made the score. */
  readonly windows: readonly Window[];
}

interface Window {
  /** Of its counts among those of the file. */
  readonly start: number;
  readonly score: number;
}

/** The best window and the next ones, best first. */
function bestWindows(counts: readonly number[], weights: Weights): Window[] {
  const best: Window[] = [];
  for (let start = 0; start < counts.length; start += weights.length) {
    const score = scoreWindow(counts, start, weights);
    if (score <= (best[NEXT_WINDOWS]?.score ?? 0)) continue;
    let at = best.length;
    while (at > 0 && (best[at - 1]?.score ?? 0) < score) at -= 1;
    best.splice(at, 0, { start, score });
    if (best.length > NEXT_WINDOWS + 1) best.pop();
  }
  return best;
}

function scoreWindow(counts: readonly number[], start: number, weights: Weights): number {
  let score = 0;
  for (let term = 0; term < weights.length; term += 1) {
    const count = counts[start + term] ?? 0;
    if (count > 0) score += (weights[term] ?? 0) * saturated(count);
  }
  return score;
}

function scoreWindows([best, ...next]: readonly Window[]): number {
  const further = next.reduce((sum, { score }) => sum + score, 0);
  return (best?.score ?? 0) + (NEXT_WEIGHT / NEXT_WINDOWS) * further;
}

/** The weight of the terms that a file has in its best windows or its path. */
function weightIn(
  counts: readonly number[],
  windows: readonly Window[],
  inPath: ReadonlySet<number>,
  weights: Weights,
): number {
  const isIn = (term: number): boolean =>
    inPath.has(term) || windows.some(({ start }) => (counts[start + term] ?? 0) > 0);
  return weights.reduce((sum, weight, term) => (isIn(term) ? sum + weight : sum), 0);
}

/** The counts of the best windows only. */
const countsIn = ({ counts, windows }: ScoredFile, size: number): number[] =>
  windows.flatMap(({ start }) => counts.slice(start, start + size));

export function weightsOf({ windows, having }: Frequencies, { terms }: QuestionMatcher): Weights {
  return terms.map(({ weight }, term) => {
    const count = having[term] ?? 0;
    return weight * Math.log(1 + (windows - count + 0.5) / (count + 0.5)) ** RARITY;
  });
}

export const saturated = (count: number, norm = 1): number =>
  (count * (SATURATION + 1)) / (count + SATURATION * norm);

interface InPath {
  readonly score: number;
  readonly terms: ReadonlySet<number>;
}

/** The more of a file's name the question contains, the higher. */
function scorePath(path: string, matcher: QuestionMatcher, weights: Weights): InPath {
  const all = termsIn(path, matcher);
  if (all.size === 0) return { score: 0, terms: all };
  const nameAt = path.lastIndexOf('/') + 1;
  const extensionAt = path.lastIndexOf('.');
  const name = path.slice(nameAt, extensionAt > nameAt ? extensionAt : undefined);
  const parts = new Set((name.match(WORD) ?? []).flatMap(partsOf)).size;
  const inName = termsIn(name, matcher);
  const share = Math.min(1, inName.size / Math.max(1, parts));
  const inDirectories = termsIn(path.slice(0, nameAt), matcher);
  const score = sumOf(inName, weights) * share + DIRECTORY_WEIGHT * sumOf(inDirectories, weights);
  return { score, terms: all };
}

export function termsIn(text: string, matcher: QuestionMatcher): Set<number> {
  const terms = new Set<number>();
  matcher.eachIn(text, (term) => terms.add(term));
  return terms;
}

export const sumOf = (terms: Iterable<number>, weights: Weights): number => {
  let sum = 0;
  for (const term of terms) sum += weights[term] ?? 0;
  return sum;
};

export const byScore = (
  one: { readonly score: number },
  other: { readonly score: number },
): number => other.score - one.score;

import { kindWeight } from './file-kind.ts';
import type { QuestionMatcher } from './matcher.ts';
import type { Frequencies, RankedFile, ScannedFile, Weights } from './scanned.ts';
import { partsOf, WORD } from './terms.ts';

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
  const ranked: RankedFile[] = [];
  for (const { path, counts } of files) {
    const inText = scoreWindows(counts, weights);
    const inPath = scorePath(path, matcher, weights);
    if (inText.score + inPath.score === 0) continue;
    const covered = sumOf(new Set([...inText.terms, ...inPath.terms]), weights) / whole;
    const score =
      (inText.score + inPath.score) *
      kindWeight(path, question) *
      (1 - COVERAGE_WEIGHT + COVERAGE_WEIGHT * covered);
    ranked.push({ path, score, counts: inText.best });
  }
  return ranked.toSorted(byScore).slice(0, limit);
}

interface Part {
  readonly score: number;
  readonly terms: Iterable<number>;
}

interface ScoredText extends Part {
  /** The counts of the windows that made the score. */
  readonly best: Float32Array;
}

/** Scores the best window and, for less, the next ones. */
function scoreWindows(counts: Float32Array, weights: Weights): ScoredText {
  const size = weights.length;
  const chosen: { readonly start: number; readonly score: number }[] = [];
  for (let start = 0; start < counts.length; start += size) {
    let score = 0;
    for (let term = 0; term < size; term += 1) {
      const count = counts[start + term] ?? 0;
      if (count > 0) score += (weights[term] ?? 0) * saturated(count);
    }
    if (score <= (chosen[NEXT_WINDOWS]?.score ?? 0)) continue;
    const at = chosen.findIndex((other) => other.score < score);
    chosen.splice(at < 0 ? chosen.length : at, 0, { start, score });
    chosen.length = Math.min(chosen.length, NEXT_WINDOWS + 1);
  }
  const best = new Float32Array(chosen.length * size);
  const terms = new Set<number>();
  let sum = 0;
  for (const [index, { start, score }] of chosen.entries()) {
    sum += index === 0 ? score : (NEXT_WEIGHT / NEXT_WINDOWS) * score;
    for (let term = 0; term < size; term += 1) {
      const count = counts[start + term] ?? 0;
      best[index * size + term] = count;
      if (count > 0) terms.add(term);
    }
  }
  return { score: sum, terms, best };
}

export function weightsOf({ windows, having }: Frequencies, { terms }: QuestionMatcher): Weights {
  return terms.map(({ weight }, term) => {
    const count = having[term] ?? 0;
    return weight * Math.log(1 + (windows - count + 0.5) / (count + 0.5)) ** RARITY;
  });
}

export const saturated = (count: number, norm = 1): number =>
  (count * (SATURATION + 1)) / (count + SATURATION * norm);

/** The more of a file's name the question contains, the higher. */
function scorePath(path: string, matcher: QuestionMatcher, weights: Weights): Part {
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

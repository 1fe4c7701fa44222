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
  return best.map((file) => ({
    ...file,
    // The counts of the best windows only.
    counts: file.windows.flatMap(({ start }) => file.counts.slice(start, start + weights.length)),
  }));
}

/** What is made from other files comes after all that is not, however well it fits: those are what is changed. */
export const sourceFirst = (one: ScoredPath, other: ScoredPath): number =>
  Number(isGenerated(one.path)) - Number(isGenerated(other.path)) || byScore(one, other);

interface ScoredPath {
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

const TEST =
  /(?:^|\/)(?:tests?|specs?|__tests__|__mocks__|e2e|fixtures?|testdata|cypress)\/|(?:[._-](?:test|spec|cy|tst)\.\w+|_test\.\w+)$|(?:^|\/)test_[^/]*$/i;

export const isTest = (path: string): boolean => TEST.test(path);

const GENERATED = [
  /(?:[.-]lock(?:\.\w+)?|\.(?:min|bundle|generated|pb)\.\w+|(?:^|\/)(?:npm-shrinkwrap\.json|go\.sum)|\.(?:map|svg|snap|csv))$/i,
  /(?:^|\/)(?:dist|vendor|third_party|generated|__generated__)\//i,
] as const;

/** Made from other files, or copied from elsewhere: nobody changes it here. */
export const isGenerated = (path: string): boolean => GENERATED.some((kind) => kind.test(path));

/** Kinds of files, recognised by path, with their weight relative to source code. */
const KINDS: readonly {
  readonly path: RegExp;
  readonly weight: number;
  /** If the question matches, files of this kind get full weight. */
  readonly askedBy?: RegExp;
}[] = [
  { path: GENERATED[0], weight: 0.2 },
  { path: GENERATED[1], weight: 0.4 },
  {
    path: TEST,
    weight: 0.4,
    askedBy: /\b(?:tests?|tested|testing|specs?|fixtures?|mocks?|mocked|coverage)\b/i,
  },
  {
    path: /(?:^|\/)(?:examples?|samples?|demos?|bench(?:marks?)?|benchmark)\//i,
    weight: 0.6,
    askedBy: /\b(?:examples?|samples?|demos?|bench\w*)\b/i,
  },
  { path: /(?:^|\/)(?:changelog|changes|history|news|license)[^/]*$/i, weight: 0.3 },
  {
    path: /\.(?:md|mdx|rst|adoc|txt)$/i,
    weight: 0.5,
    askedBy: /\b(?:docs?|document\w*|guides?|readme|tutorials?|how (?:do|can|to))\b/i,
  },
  {
    path: /\.(?:json|ya?ml|toml|xml|html?|css|ini|cfg|conf)$/i,
    weight: 0.5,
    askedBy: /\b(?:config\w*|settings?|workflows?|styles?)\b/i,
  },
  {
    path: /\.d\.[cm]?ts$/i,
    weight: 0.5,
    askedBy: /\b(?:types?|typed|typing|typings|typescript)\b/i,
  },
];

export function kindWeight(path: string, question: string): number {
  const kind = KINDS.find((one) => one.path.test(path));
  if (kind === undefined || kind.askedBy?.test(question) === true) return 1;
  return kind.weight;
}

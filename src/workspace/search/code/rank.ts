import { kindWeight } from './file-kind.ts';
import { countOf, isDefinedIn, PART_LINES, termOf, type FileTerms } from './file-terms.ts';
import { KIN_WEIGHT, type QueryTerm } from './query.ts';

// The parameters of Okapi BM25 over the parts of files: how soon repeated terms stop adding to the score,
// and how much the length of a part matters.
const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.5;
/** Added for a term that the part defines and does not only mention. */
const DEFINED_BONUS = 0.8;
/** How many further parts of a file count, and how much they add to the score of the best one. */
const NEXT_PARTS = 3;
const NEXT_WEIGHT = 0.3;

export interface IndexedFile {
  readonly path: string;
  readonly terms: FileTerms;
}

export interface RankedFile {
  readonly path: string;
  readonly score: number;
  /** The first lines (from 1) of its best parts, best first. */
  readonly parts: readonly number[];
}

/** The weight of each term of a question, by its number: rarer terms weigh more. */
export type TermWeights = ReadonlyMap<number, number>;

export interface Ranking {
  /** Best first. */
  readonly files: readonly RankedFile[];
  readonly weights: TermWeights;
}

/** Ranks the files that contain any term of a question. */
export function rankFiles(
  files: readonly IndexedFile[],
  query: readonly QueryTerm[],
  question: string,
): Ranking {
  const parts = files.flatMap(({ terms }) => terms.lengths);
  const averageLength = parts.reduce((sum, length) => sum + length, 0) / parts.length;
  const rarities = query.map((term) => {
    const having = files.reduce((sum, file) => sum + partsWith(file.terms, term), 0);
    return term.weight * Math.log(1 + (parts.length - having + 0.5) / (having + 0.5));
  });
  const weights = new Map(query.map(({ number }, index) => [number, rarities[index] ?? 0]));
  const paths = new PathScores(files, query, weights);
  const ranked = files.flatMap(({ path, terms }) => {
    const best = scoreParts(terms, query, rarities, averageLength);
    const score = (scoreOf(best) + paths.of(terms)) * kindWeight(path, question);
    return score > 0 ? { path, score, parts: best.map(({ start }) => start) } : [];
  });
  return { files: ranked.toSorted((one, other) => other.score - one.score), weights };
}

interface ScoredPart {
  readonly start: number;
  readonly score: number;
}

const scoreOf = ([best, ...next]: readonly ScoredPart[]): number =>
  (best?.score ?? 0) + (NEXT_WEIGHT / NEXT_PARTS) * next.reduce((sum, { score }) => sum + score, 0);

/** The best parts of a file that contain any term of the question, best first. */
function scoreParts(
  file: FileTerms,
  query: readonly QueryTerm[],
  rarities: readonly number[],
  averageLength: number,
): ScoredPart[] {
  const scored = file.lengths.map((length, part) => {
    const norm = 1 - LENGTH_WEIGHT + (LENGTH_WEIGHT * length) / averageLength;
    let score = 0;
    for (const [index, term] of query.entries())
      score += (rarities[index] ?? 0) * strengthIn(file, part, term, norm);
    return { start: part * PART_LINES + 1, score };
  });
  const hits = scored.filter(({ score }) => score > 0);
  return hits.toSorted((one, other) => other.score - one.score).slice(0, NEXT_PARTS + 1);
}

const partsWith = (file: FileTerms, term: QueryTerm): number =>
  file.lengths.reduce((sum, _, part) => sum + (strengthIn(file, part, term, 1) > 0 ? 1 : 0), 0);

function strengthIn(
  file: FileTerms,
  part: number,
  { number, kin }: QueryTerm,
  norm: number,
): number {
  const from = part === 0 ? 0 : (file.ends[part - 1] ?? 0);
  const to = file.ends[part] ?? 0;
  let best = strengthOf(find(file.terms, number, from, to), norm);
  for (const each of kin)
    best = Math.max(best, KIN_WEIGHT * strengthOf(find(file.terms, each, from, to), norm));
  return best;
}

function strengthOf(packed: number, norm: number): number {
  const count = countOf(packed);
  const often = (count * (SATURATION + 1)) / (count + SATURATION * norm);
  return isDefinedIn(packed) ? often + DEFINED_BONUS : often;
}

/** Binary search for a term between two indices; 0 if it is missing. */
function find(terms: Uint32Array, term: number, from: number, to: number): number {
  let low = from;
  let high = to - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const packed = terms[middle] ?? 0;
    const here = termOf(packed);
    if (here === term) return packed;
    if (here < term) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}

const DIRECTORY_BONUS = 0.3;

interface Named {
  readonly terms: Pick<FileTerms, 'name' | 'directories'>;
}

/** Scores paths against a question: the more of a file's name the question contains, the higher. */
class PathScores {
  readonly #asked = new Map<number, number>();
  readonly #filesNamed = new Map<number, number>();
  readonly #weights: ReadonlyMap<number, number>;
  readonly #files: number;

  constructor(
    files: readonly Named[],
    query: readonly QueryTerm[],
    weights: ReadonlyMap<number, number>,
  ) {
    this.#files = files.length;
    this.#weights = weights;
    for (const { kin } of query) for (const each of kin) this.#asked.set(each, KIN_WEIGHT);
    for (const { number } of query) this.#asked.set(number, 1);
    for (const { terms } of files)
      for (const term of terms.name)
        this.#filesNamed.set(term, (this.#filesNamed.get(term) ?? 0) + 1);
  }

  of({ name, directories }: Named['terms']): number {
    let asked = 0;
    let whole = 0;
    for (const term of name) {
      const rarity = Math.log(1 + this.#files / (this.#filesNamed.get(term) ?? 1));
      whole += rarity;
      asked += rarity * (this.#asked.get(term) ?? 0);
    }
    const around = directories.reduce((sum, term) => sum + (this.#weights.get(term) ?? 0), 0);
    return (whole === 0 ? 0 : (asked * asked) / whole) + DIRECTORY_BONUS * around;
  }
}

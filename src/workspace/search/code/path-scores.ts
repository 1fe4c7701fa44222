import type { FileTerms } from './file-terms.ts';
import { KIN_WEIGHT } from './query.ts';
import type { QueryTerm } from './query.ts';

const DIRECTORY_BONUS = 0.3;

interface Named {
  readonly terms: Pick<FileTerms, 'name' | 'directories'>;
}

/** What the paths of files say to a question: the more of a file's own name it holds, the more. */
export class PathScores {
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

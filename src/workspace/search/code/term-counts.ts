import type { QuestionMatcher } from './matcher.ts';
import type { Frequencies } from './scanned.ts';

/** The characters of a window. */
export const WINDOW = 1024;
const FIFTHS = 5;

/** How many windows a text has. */
export const windowsIn = (text: string): number => Math.ceil(text.length / WINDOW);

type Add = (term: number, window: number, fifths: number) => void;

/** Counts the terms of a question in each window of some files. */
export class TermCounts {
  readonly #matcher: QuestionMatcher;
  readonly #having: number[];
  #windows = 0;

  constructor(matcher: QuestionMatcher) {
    this.#matcher = matcher;
    this.#having = matcher.terms.map(() => 0);
  }

  /** In all files so far. */
  get frequencies(): Frequencies {
    return { windows: this.#windows, having: this.#having };
  }

  /** Of a text, as in `ScannedFile`. */
  ofText(text: string): number[] {
    return this.of(windowsIn(text), (add) =>
      this.#matcher.eachIn(text, (term, at, fifths) => add(term, Math.floor(at / WINDOW), fifths)),
    );
  }

  /** Of a file whose terms `each` adds, in any order. The answer does not depend on it. */
  of(windows: number, each: (add: Add) => void): number[] {
    const rows = new Map<number, number[]>();
    each((term, window, fifths) => {
      let row = rows.get(window);
      if (row === undefined) rows.set(window, (row = this.#having.map(() => 0)));
      row[term] = (row[term] ?? 0) + fifths;
    });
    const inOrder = [...rows].toSorted(([one], [other]) => one - other);
    const counts: number[] = [];
    for (const [, row] of inOrder)
      for (const [term, fifths] of row.entries()) {
        if (fifths > 0) this.#having[term] = (this.#having[term] ?? 0) + 1;
        counts.push(fifths / FIFTHS);
      }
    this.#windows += windows;
    return counts;
  }
}

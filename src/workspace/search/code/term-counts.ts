import type { QuestionMatcher } from './matcher.ts';
import type { Frequencies } from './scanned.ts';

/** The characters of a window. */
const WINDOW = 1024;
const FIFTHS = 5;

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
    const rows = new Map<number, number[]>();
    this.#matcher.eachIn(text, (term, at, fifths) => {
      const window = Math.floor(at / WINDOW);
      let row = rows.get(window);
      if (row === undefined) rows.set(window, (row = this.#having.map(() => 0)));
      row[term] = (row[term] ?? 0) + fifths;
    });
    // Identifiers are found after all words, so windows do not come in order.
    const inOrder = [...rows].toSorted(([one], [other]) => one - other);
    const counts: number[] = [];
    for (const [, row] of inOrder)
      for (const [term, fifths] of row.entries()) {
        if (fifths > 0) this.#having[term] = (this.#having[term] ?? 0) + 1;
        counts.push(fifths / FIFTHS);
      }
    this.#windows += Math.ceil(text.length / WINDOW);
    return counts;
  }
}

import { MAX_FILE_BYTES, searchedText } from '../lines/tasks.ts';
import type { ScannedFile, Frequencies, ScanTask, TaskParts } from '../lines/tasks.ts';
import { QuestionMatcher } from './matcher.ts';
import { rankFiles } from './rank.ts';
import { readFiles } from '../walk.ts';

/** How many files of a part can be among the best of all. */
const BEST_OF_PART = 64;
const MAX_SILENCE_MS = 100;

/** Counts the terms of a question in some files. Yields `undefined` to show that it is running. */
export function* scanFiles(task: ScanTask): Generator<TaskParts['scan']> {
  const matcher = new QuestionMatcher(task.question);
  const counts = new TermCounts(matcher);
  const scanned: ScannedFile[] = [];
  const tooLarge: string[] = [];
  let told = performance.now();
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    if (content === 'too large') tooLarge.push(path);
    else scanned.push({ path, counts: counts.ofText(searchedText(content)) });
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield undefined;
    told = performance.now();
  }
  // Of files of one score the first ones by path stay, as among the best of all parts.
  scanned.sort((one, other) => (one.path < other.path ? -1 : 1));
  const { frequencies } = counts;
  const best = rankFiles(scanned, frequencies, matcher, task.question, BEST_OF_PART);
  yield { files: scanned.length, tooLarge, frequencies, best };
}

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

import { QuestionMatcher } from './matcher.ts';
import { rankFiles } from './rank.ts';
import type { ScannedFile } from './scanned.ts';
import { readFiles } from '../read-files.ts';
import type { ScanTask, TaskParts } from '../lines/tasks.ts';

export const MAX_FILE_BYTES = 512 * 1024;
/** The characters of a window. */
const WINDOW = 1024;
/** How many files of a part can be among the best of all. */
const BEST_OF_PART = 64;
const MAX_SILENCE_MS = 100;

/** Counts the terms of a question in some files. Yields `undefined` to show that it is running. */
export function* scanFiles(task: ScanTask): Generator<TaskParts['scan']> {
  const matcher = new QuestionMatcher(task.question);
  const counter = new WindowCounter(matcher);
  const having = matcher.terms.map(() => 0);
  const size = having.length;
  const scanned: ScannedFile[] = [];
  let tooLarge = 0;
  let windows = 0;
  let told = performance.now();
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    if (content === 'too large') tooLarge += 1;
    else {
      // Of a binary file, only the path counts.
      const text = content.includes(0) ? '' : content.toString();
      const counts = counter.count(text);
      for (let index = 0; index < counts.length; index += 1)
        if (counts[index] !== 0) having[index % size] = (having[index % size] ?? 0) + 1;
      windows += Math.ceil(text.length / WINDOW);
      scanned.push({ path, counts });
    }
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield undefined;
    told = performance.now();
  }
  const frequencies = { windows, having };
  const best = rankFiles(scanned, frequencies, matcher, task.question, BEST_OF_PART);
  yield { files: scanned.length, tooLarge, frequencies, best };
}

/** Counts the terms in each window of a text. */
class WindowCounter {
  readonly #matcher: QuestionMatcher;
  readonly #counts: Float32Array;
  readonly #windows = new Set<number>();

  constructor(matcher: QuestionMatcher) {
    this.#matcher = matcher;
    this.#counts = new Float32Array(Math.ceil(MAX_FILE_BYTES / WINDOW) * matcher.terms.length);
  }

  /** As in `ScannedFile`. */
  count(text: string): Float32Array {
    const size = this.#matcher.terms.length;
    this.#matcher.eachIn(text, (term, at, worth) => {
      const window = Math.floor(at / WINDOW);
      const index = window * size + term;
      this.#windows.add(window);
      this.#counts[index] = (this.#counts[index] ?? 0) + worth;
    });
    const found = new Float32Array(this.#windows.size * size);
    let end = 0;
    for (const window of this.#windows) {
      const row = this.#counts.subarray(window * size, (window + 1) * size);
      found.set(row, end);
      row.fill(0);
      end += size;
    }
    this.#windows.clear();
    return found;
  }
}

import { QuestionMatcher } from './matcher.ts';
import { rankFiles } from './rank.ts';
import type { Frequencies, ScannedFile } from './scanned.ts';
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
  const scanned: ScannedFile[] = [];
  let tooLarge = 0;
  let told = performance.now();
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    if (content === 'too large') tooLarge += 1;
    // Of a binary file, only the path counts.
    else
      scanned.push({ path, counts: counter.count(content.includes(0) ? '' : content.toString()) });
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield undefined;
    told = performance.now();
  }
  const { frequencies } = counter;
  const best = rankFiles(scanned, frequencies, matcher, task.question, BEST_OF_PART);
  yield { files: scanned.length, tooLarge, frequencies, best };
}

/** Counts the terms in each window of some texts. */
class WindowCounter {
  readonly #matcher: QuestionMatcher;
  readonly #having: number[];
  #windows = 0;

  constructor(matcher: QuestionMatcher) {
    this.#matcher = matcher;
    this.#having = matcher.terms.map(() => 0);
  }

  /** In all texts so far. */
  get frequencies(): Frequencies {
    return { windows: this.#windows, having: this.#having };
  }

  /** As in `ScannedFile`. */
  count(text: string): number[] {
    const counts: number[] = [];
    const starts = new Map<number, number>();
    let [window, start] = [-1, 0];
    this.#matcher.eachIn(text, (term, at, worth) => {
      if (Math.floor(at / WINDOW) !== window) {
        window = Math.floor(at / WINDOW);
        start = starts.get(window) ?? counts.length;
        starts.set(window, start);
        if (start === counts.length) for (const _ of this.#having) counts.push(0);
      }
      const before = counts[start + term] ?? 0;
      if (before === 0) this.#having[term] = (this.#having[term] ?? 0) + 1;
      counts[start + term] = before + worth;
    });
    this.#windows += Math.ceil(text.length / WINDOW);
    return counts;
  }
}

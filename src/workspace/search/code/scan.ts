import { MAX_FILE_BYTES, textOf } from './file-text.ts';
import { QuestionMatcher } from './matcher.ts';
import { rankFiles } from './rank.ts';
import type { ScannedFile } from './scanned.ts';
import { TermCounts } from './term-counts.ts';
import { readFiles } from '../read-files.ts';
import type { ScanTask, TaskParts } from '../lines/tasks.ts';

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
    else scanned.push({ path, counts: counts.ofText(textOf(content)) });
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

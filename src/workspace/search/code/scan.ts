import { MAX_FILE_BYTES, textOf } from './file-text.ts';
import { QuestionMatcher } from './matcher.ts';
import { rankFiles } from './rank.ts';
import type { ScannedFile } from './scanned.ts';
import { TermCounts } from './term-counts.ts';
import { IndexedTerms } from '../indexed/lookup.ts';
import { readFiles } from '../read-files.ts';
import type { FilesIn, ScanTask, TaskParts } from '../lines/tasks.ts';
import { pathOf } from '../walk.ts';

/** How many files of a part can be among the best of all. */
const BEST_OF_PART = 64;
const MAX_SILENCE_MS = 100;

/** Counts the terms of a question in some files. Yields `undefined` to show that it is running. */
export function* scanFiles(task: ScanTask): Generator<TaskParts['scan']> {
  const matcher = new QuestionMatcher(task.question);
  const counts = new TermCounts(matcher);
  const pause = pauses();
  const { indexed, others } = yield* countIndexed(task, matcher, counts, pause);
  const scanned: ScannedFile[] = [...indexed];
  let tooLarge = 0;
  for (const { path, content } of readFiles(task.root, others, MAX_FILE_BYTES)) {
    if (content === 'too large') tooLarge += 1;
    else scanned.push({ path, counts: counts.ofText(textOf(content)) });
    yield* pause();
  }
  // Whether a file was read or looked up must not decide between files of one score.
  scanned.sort((one, other) => (one.path < other.path ? -1 : 1));
  const { frequencies } = counts;
  const best = rankFiles(scanned, frequencies, matcher, task.question, BEST_OF_PART);
  // What is too large is in no index.
  const missing = task.index === undefined ? 0 : Math.max(0, missingOf(others) - tooLarge);
  yield { files: scanned.length, tooLarge, frequencies, best, missing };
}

/** What to yield between two steps: `undefined` if that is due. */
function pauses(): () => Generator<undefined> {
  let told = performance.now();
  return function* pause() {
    if (performance.now() - told < MAX_SILENCE_MS) return;
    yield undefined;
    told = performance.now();
  };
}

interface Counted {
  readonly indexed: readonly ScannedFile[];
  readonly others: readonly FilesIn[];
}

/** Counts what the index has, and answers which files are still to be read. */
function* countIndexed(
  { index, files, question }: ScanTask,
  matcher: QuestionMatcher,
  counts: TermCounts,
  pause: () => Generator<undefined>,
): Generator<undefined, Counted> {
  if (index === undefined) return { indexed: [], others: files };
  const looking = IndexedTerms.of(index, question, matcher);
  let step = looking.next();
  for (; step.done !== true; step = looking.next()) yield* pause();
  const terms = step.value;
  if (terms === undefined) return { indexed: [], others: files };
  const indexed: ScannedFile[] = [];
  const others = files.map(({ directory, names, blobs }) => {
    const left: string[] = [];
    const leftBlobs: number[] = [];
    for (const [at, name] of names.entries()) {
      const blob = blobs?.[at] ?? -1;
      const found = blob < 0 ? undefined : terms.countsOf(blob, counts);
      if (found !== undefined) indexed.push({ path: pathOf(directory, name), counts: found });
      else {
        left.push(name);
        leftBlobs.push(blob);
      }
    }
    return { directory, names: left, blobs: leftBlobs };
  });
  return { indexed, others };
}

/** How many files the index could have. */
const missingOf = (files: readonly FilesIn[]): number =>
  files.flatMap(({ blobs = [] }) => blobs).filter((blob) => blob >= 0).length;

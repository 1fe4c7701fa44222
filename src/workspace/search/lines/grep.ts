import { TellModel } from '../../../lib/errors.ts';
import { AsyncQueue } from './async-queue.ts';
import type { LinePattern } from './pattern.ts';
import type { FilesIn, GrepTask, TaskParts } from './tasks.ts';
import type { FileMatches, GrepAnswer } from '../../../contracts/search.ts';
import { TaskFailed, TookTooLong } from '../../../lib/task-thread.ts';
import type { SearchThreads } from './search-threads.ts';

const MAX_SEARCH_MS = 20_000;

export interface Grep {
  readonly root: string;
  readonly pattern: LinePattern;
  readonly context: number;
  readonly maxMatches: number;
}

/** Lists the files to search. Each part passed to `onPart` is the work of one thread. */
export type ListFiles = (onPart: (part: readonly FilesIn[]) => void) => Promise<void>;

/**
 * Searches files on all threads at once, while the remaining files are still being listed. The result is
 * the same as that of a sequential search.
 */
export async function grepFiles(
  threads: SearchThreads,
  grep: Grep,
  list: ListFiles,
  signal: AbortSignal,
): Promise<GrepAnswer> {
  const parts = new AsyncQueue<readonly FilesIn[]>();
  const isUseless = new AbortController();
  let files = 0;
  const listing = list((part) => {
    files += countFiles(part);
    parts.add(part);
  })
    .catch((error: unknown) => {
      isUseless.abort();
      throw error;
    })
    .finally(() => parts.end());
  const either = AbortSignal.any([signal, isUseless.signal]);
  const [, answer] = await Promise.all([
    listing,
    new GrepSearch(threads, grep, parts, either).run(),
  ]);
  return { ...answer, files };
}

export const countFiles = (part: readonly FilesIn[]): number =>
  part.reduce((sum, { names }) => sum + names.length, 0);

/** The results of one part so far. */
interface Progress {
  readonly found: FileMatches[];
  readonly tooLarge: string[];
}

class GrepSearch {
  readonly #threads: SearchThreads;
  readonly #grep: Grep;
  readonly #parts: AsyncQueue<readonly FilesIn[]>;
  readonly #signal: AbortSignal;
  readonly #deadline = AbortSignal.timeout(MAX_SEARCH_MS);
  readonly #progress: Progress[] = [];
  #matches = 0;
  #ended: GrepAnswer['ended'] = 'complete';

  constructor(
    threads: SearchThreads,
    grep: Grep,
    parts: AsyncQueue<readonly FilesIn[]>,
    signal: AbortSignal,
  ) {
    this.#threads = threads;
    this.#grep = grep;
    this.#parts = parts;
    this.#signal = signal;
  }

  async run(): Promise<Omit<GrepAnswer, 'files'>> {
    await Promise.all(Array.from({ length: this.#threads.size }, () => this.#work()));
    this.#signal.throwIfAborted();
    const tooLarge = this.#progress.flatMap((part) => part.tooLarge);
    const found = this.#progress.flatMap((part) => part.found);
    return { found, ended: this.#ended, tooLarge };
  }

  /** Processes one part after another, concurrently with the other threads. */
  async #work(): Promise<void> {
    const signal = AbortSignal.any([this.#signal, this.#deadline]);
    while (this.#ended === 'complete') {
      const files = await this.#parts.take();
      if (files === undefined) return;
      const progress: Progress = { found: [], tooLarge: [] };
      this.#progress.push(progress);
      const task: GrepTask = { kind: 'grep', files, ...this.#grep };
      try {
        await this.#threads.run<'grep'>(task, (part) => note(progress, part), signal);
        // Parts are started in order and every started part is completed, so no earlier match is missing.
        this.#matches += countMatches(progress.found);
        if (this.#matches >= this.#grep.maxMatches) this.#ended = 'too many';
      } catch (error) {
        if (this.#signal.aborted) return;
        if (error instanceof TaskFailed) throw invalidPattern(error);
        if (!(error instanceof TookTooLong || this.#deadline.aborted)) throw error;
        this.#ended = 'too slow';
      }
    }
  }
}

function note(progress: Progress, { found, tooLarge }: TaskParts['grep']): void {
  progress.found.push(...found);
  progress.tooLarge.push(...tooLarge);
}

const countMatches = (found: readonly FileMatches[]): number =>
  found.flatMap(({ lines }) => lines).filter(({ matches }) => matches).length;

const invalidPattern = ({ message }: TaskFailed): TellModel =>
  new TellModel(
    `The search failed: ${message}. Make the pattern simpler, or narrow it by path or glob.`,
  );

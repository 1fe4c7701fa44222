import { TellModel } from '../../../lib/errors.ts';
import type { LinePattern } from './pattern.ts';
import type { FileMatches, FilesIn, GrepTask, ListTask, TaskParts } from './tasks.ts';
import { TaskFailed, TookTooLong } from '../task-thread.ts';
import type { SearchThreads } from './search-threads.ts';

const MAX_SEARCH_MS = 20_000;

export interface GrepAnswer {
  /** By path, those of a directory before those of the directories in it. */
  readonly found: readonly FileMatches[];
  readonly ended: 'complete' | 'too many' | 'too slow';
  /** How many files were to be searched. */
  readonly files: number;
  /** Those that were not, because of their size. */
  readonly tooLarge: readonly string[];
}

export interface Grep {
  readonly root: string;
  readonly files: readonly (readonly FilesIn[])[];
  readonly pattern: LinePattern;
  readonly context: number;
  readonly maxMatches: number;
}

/** The files that a search is about, in parts that one thread each takes. */
export async function listParts(
  threads: SearchThreads,
  task: ListTask,
  signal: AbortSignal,
): Promise<FilesIn[][]> {
  const parts: FilesIn[][] = [];
  await threads.run<'list'>(task, (part) => parts.push([...part]), signal);
  return parts;
}

export const countFiles = (parts: readonly (readonly FilesIn[])[]): number =>
  parts.flat().reduce((sum, { names }) => sum + names.length, 0);

/** Searches the parts on all threads at once; the answer is the same as of one after the other. */
export async function grepParts(
  threads: SearchThreads,
  grep: Grep,
  signal: AbortSignal,
): Promise<GrepAnswer> {
  const search = new GrepSearch(threads, grep, signal);
  return search.run();
}

/** What one part has given so far. */
interface Progress {
  readonly found: FileMatches[];
  readonly tooLarge: string[];
}

class GrepSearch {
  readonly #threads: SearchThreads;
  readonly #grep: Grep;
  readonly #signal: AbortSignal;
  readonly #deadline = AbortSignal.timeout(MAX_SEARCH_MS);
  readonly #progress: Progress[] = [];
  #matches = 0;
  #ended: GrepAnswer['ended'] = 'complete';

  constructor(threads: SearchThreads, grep: Grep, signal: AbortSignal) {
    this.#threads = threads;
    this.#grep = grep;
    this.#signal = signal;
  }

  async run(): Promise<GrepAnswer> {
    await Promise.all(Array.from({ length: this.#threads.size }, () => this.#work()));
    this.#signal.throwIfAborted();
    const files = countFiles(this.#grep.files);
    const tooLarge = this.#progress.flatMap((part) => part.tooLarge);
    const found = this.#progress.flatMap((part) => part.found);
    return { found, ended: this.#ended, files, tooLarge };
  }

  /** Takes one part after the other, as others do at the same time. */
  async #work(): Promise<void> {
    const { files: parts, pattern, root, context, maxMatches } = this.#grep;
    const signal = AbortSignal.any([this.#signal, this.#deadline]);
    while (this.#ended === 'complete' && this.#progress.length < parts.length) {
      const files = parts[this.#progress.length] ?? [];
      const progress: Progress = { found: [], tooLarge: [] };
      this.#progress.push(progress);
      const task: GrepTask = { kind: 'grep', root, files, pattern, context, maxMatches };
      try {
        await this.#threads.run<'grep'>(task, (part) => note(progress, part), signal);
        // Parts are begun in order, and those that are begun are ended: the first matches are all there.
        this.#matches += countMatches(progress.found);
        if (this.#matches >= maxMatches) this.#ended = 'too many';
      } catch (error) {
        if (this.#signal.aborted) return;
        if (error instanceof TaskFailed) throw refusal(error);
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

const refusal = ({ message }: TaskFailed): TellModel =>
  new TellModel(
    `The search could not be made: ${message}. Make the pattern simpler, or narrow it by path or glob.`,
  );

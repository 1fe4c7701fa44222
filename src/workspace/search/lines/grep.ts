import { TellModel } from '../../../lib/errors.ts';
import type { LinePattern } from './pattern.ts';
import type { GrepTask, TaskParts } from './tasks.ts';
import type { FileMatches, GrepAnswer } from '../../../contracts/files.ts';
import { TaskFailed, TookTooLong } from '../../../lib/threads/task-thread.ts';
import type { FileParts, SearchThreads } from './search-threads.ts';
import type { FilesIn } from '../walk.ts';

const MAX_SEARCH_MS = 20_000;

export interface Grep {
  readonly root: string;
  readonly pattern: LinePattern;
  readonly context: number;
  readonly maxMatches: number;
}

/**
 * Searches files on all threads at once. The result is the same as that of a sequential search.
 */
export async function grepFiles(
  threads: SearchThreads,
  grep: Grep,
  parts: FileParts,
  signal: AbortSignal,
): Promise<GrepAnswer> {
  const deadline = AbortSignal.timeout(MAX_SEARCH_MS);
  const either = AbortSignal.any([signal, deadline]);
  const all: Progress[] = [];
  let [files, matches] = [0, 0];
  let ended: GrepAnswer['ended'] = 'complete';
  await threads.onAll(parts, async (part) => {
    files += countFiles(part);
    if (ended !== 'complete') return;
    const progress: Progress = { found: [], tooLarge: [], notText: [] };
    all.push(progress);
    const task: GrepTask = { kind: 'grep', files: part, ...grep };
    try {
      await threads.run<'grep'>(task, (more) => note(progress, more), either);
      // Parts are started in order and every started part is completed, so no earlier match is missing.
      const lines = progress.found.flatMap((file) => file.lines);
      matches += lines.filter((line) => line.matches).length;
      if (matches >= grep.maxMatches) ended = 'too many';
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof TaskFailed) throw invalidPattern(error);
      if (!(error instanceof TookTooLong || deadline.aborted)) throw error;
      ended = 'too slow';
    }
  });
  const tooLarge = all.flatMap((progress) => progress.tooLarge);
  const notText = all.flatMap((progress) => progress.notText);
  return { found: all.flatMap(({ found }) => found), ended, tooLarge, notText, files };
}

export const countFiles = (part: readonly FilesIn[]): number =>
  part.reduce((sum, { names }) => sum + names.length, 0);

/** The results of one part so far. */
interface Progress {
  readonly found: FileMatches[];
  readonly tooLarge: string[];
  readonly notText: string[];
}

function note(progress: Progress, { found, tooLarge, notText }: TaskParts['grep']): void {
  progress.found.push(...found);
  progress.tooLarge.push(...tooLarge);
  progress.notText.push(...notText);
}

const invalidPattern = ({ message }: TaskFailed): TellModel =>
  new TellModel(
    `The search failed: ${message}. Make the pattern simpler, or narrow it by path or glob.`,
  );

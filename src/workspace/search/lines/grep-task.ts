import { LineMatcher } from './line-matcher.ts';
import type { FoundLine } from '../../../contracts/search.ts';
import type { GrepTask, TaskParts } from './tasks.ts';
import { readFiles, type ReadFile } from '../read-files.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_SILENCE_MS = 100;

/**
 * Searches the files in order and stops when there are enough matches. Yields the matches of each file at
 * once, because a later file may get the thread terminated.
 */
export function* grepFiles(task: GrepTask): Generator<TaskParts['grep']> {
  const matcher = new LineMatcher(task.pattern);
  let left = task.maxMatches;
  let told = performance.now();
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    const part = searchIn(path, content, (bytes) => matcher.search(bytes, task.context, left));
    if (part === NOTHING && performance.now() - told < MAX_SILENCE_MS) continue;
    yield part;
    told = performance.now();
    left -= part.found.flatMap(({ lines }) => lines).filter(({ matches }) => matches).length;
    if (left <= 0) return;
  }
}

const NOTHING: TaskParts['grep'] = { found: [], tooLarge: [] };

function searchIn(
  path: string,
  content: ReadFile['content'],
  search: (content: Buffer) => readonly FoundLine[],
): TaskParts['grep'] {
  if (content === 'too large') return { found: [], tooLarge: [path] };
  const lines = search(content);
  return lines.length === 0 ? NOTHING : { found: [{ path, lines }], tooLarge: [] };
}

import { ContainedTree } from '../../files/contained-tree.ts';
import type { OpenDirectory } from '../../files/open-directory.ts';
import { FileTooLarge, SmallFileReader } from '../../files/plain-file.ts';
import { LineMatcher } from './line-matcher.ts';
import type { FoundLine } from '../../../contracts/search.ts';
import type { FilesIn, GrepTask, TaskParts } from './tasks.ts';
import { pathOf, unlessGone } from '../walk.ts';

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
  for (const { path, content } of readFiles(task.root, task.files)) {
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

interface ReadFile {
  readonly path: string;
  /** Valid until the next file is read. */
  readonly content: Buffer | 'too large';
}

function* readFiles(root: string, files: readonly FilesIn[]): Generator<ReadFile> {
  const tree = new ContainedTree(root);
  const reader = new SmallFileReader(MAX_FILE_BYTES);
  const read = (path: string): Buffer => reader.read(path);
  for (const { directory: path, names } of files) {
    const directory = unlessGone(() => tree.open(path === '' ? [] : path.split('/')));
    if (directory === undefined) continue;
    try {
      for (const name of names) {
        const content = unlessGone(() => readWhole(read, directory, name));
        if (content !== undefined) yield { path: pathOf(path, name), content };
      }
    } finally {
      directory.close();
    }
  }
}

function readWhole(
  read: (path: string) => Buffer,
  directory: OpenDirectory,
  name: string,
): ReadFile['content'] {
  try {
    const content = read(directory.at(name));
    directory.requireInPlace();
    return content;
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too large';
    throw error;
  }
}

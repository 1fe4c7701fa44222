import { ContainedTree } from '../files/contained-tree.ts';
import type { OpenDirectory } from '../files/open-directory.ts';
import { FileTooLarge, readPlainFile } from '../files/plain-file.ts';
import type { FilesIn } from './lines/tasks.ts';
import { pathOf, unlessGone } from './walk.ts';

export interface ReadFile {
  readonly path: string;
  readonly content: Buffer | 'too large';
}

/** Reads files in order. Those that have gone are left out. */
export function* readFiles(
  root: string,
  files: readonly FilesIn[],
  maxBytes: number,
): Generator<ReadFile> {
  const tree = new ContainedTree(root);
  for (const { directory: path, names } of files) {
    const directory = unlessGone(() => tree.open(path === '' ? [] : path.split('/')));
    if (directory === undefined) continue;
    try {
      for (const name of names) {
        const content = unlessGone(() => readWhole(directory, name, maxBytes));
        if (content !== undefined) yield { path: pathOf(path, name), content };
      }
    } finally {
      directory.close();
    }
  }
}

function readWhole(directory: OpenDirectory, name: string, maxBytes: number): ReadFile['content'] {
  try {
    const { content } = readPlainFile(directory.place(name), maxBytes);
    directory.requireInPlace();
    return content;
  } catch (error) {
    if (error instanceof FileTooLarge) return 'too large';
    throw error;
  }
}

import { lstatSync } from 'node:fs';
import type { OpenDirectory } from '../../files/open-directory.ts';
import { globFilter } from '../../../lib/glob.ts';
import {
  joinPath,
  unlessGone,
  walkDirectories,
  type WalkedDirectory,
  type FilesIn,
} from '../walk.ts';
import type { FindTask, ListTask, TaskParts } from './tasks.ts';

const FILES_IN_PART = 1024;
const MAX_SILENCE_MS = 100;

/** The matching files, in parts of about equal size. */
export function* listFilesTask(task: ListTask): Generator<TaskParts['list']> {
  let part: FilesIn[] = [];
  let size = 0;
  let left = task.limit;
  let told = performance.now();
  for (const { path, names } of matchingFiles(task)) {
    for (let start = 0; start < names.length && left > 0; start += FILES_IN_PART) {
      const some = names.slice(start, start + Math.min(FILES_IN_PART, left));
      part.push({ directory: path, names: some });
      size += some.length;
      left -= some.length;
      if (size < FILES_IN_PART) continue;
      yield part;
      [part, size, told] = [[], 0, performance.now()];
    }
    if (left === 0) break;
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    // No part of its files yet: where parts begin must not depend on the time.
    yield [];
    told = performance.now();
  }
  yield part;
}

/** The first matching files in the requested order, and their total number. */
export function* findFilesTask(task: FindTask): Generator<TaskParts['find']> {
  const found: { readonly path: string; readonly changedAt: number }[] = [];
  let told = performance.now();
  for (const { path, directory, names } of matchingFiles(task)) {
    for (const name of names) {
      const changedAt = task.order === 'newest' ? changeTime(directory, name) : 0;
      found.push({ path: joinPath(path, name), changedAt });
    }
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield { paths: [], total: found.length };
    told = performance.now();
  }
  found.sort((a, b) => b.changedAt - a.changedAt || (a.path < b.path ? -1 : 1));
  yield { paths: found.slice(0, task.limit).map(({ path }) => path), total: found.length };
}

type Matching = Pick<WalkedDirectory, 'path' | 'directory'> & { readonly names: readonly string[] };

function* matchingFiles({
  place,
  start,
  glob,
}: Pick<ListTask, 'place' | 'start' | 'glob'>): Generator<Matching> {
  const matches = globFilter(glob, start.join('/'));
  for (const { path, directory, files } of walkDirectories(place, start))
    yield { path, directory, names: files.filter((name) => matches(joinPath(path, name))) };
}

const changeTime = (directory: OpenDirectory, name: string): number =>
  unlessGone(() => lstatSync(directory.place(name)).mtimeMs) ?? 0;

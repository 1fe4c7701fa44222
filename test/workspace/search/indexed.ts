import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from '../../../src/contracts/search.ts';
import { KnownBlobs } from '../../../src/workspace/search/indexed/known-blobs.ts';
import { SearchIndex } from '../../../src/workspace/search/indexed/search-index.ts';
import { makePlace } from '../../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../../src/workspace/search/search.ts';
import type { PathSettings } from '../../../src/workspace/files/repository-paths.ts';

export const MIB = 1024 * 1024;
const never = new AbortController().signal;

const oidOf = (content: Uint8Array): Buffer =>
  createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest();

interface Options {
  /** Where the index is, in a directory that stands for the cache. */
  readonly directory: string;
  readonly changed?: ReadonlySet<string>;
  readonly paths?: PathSettings;
  readonly maxBytes?: number;
  readonly leastMissing?: number;
}

/** A search in a directory as it is now, with an index, and one without. */
export function indexed(root: string, files: readonly string[], options: Options) {
  const { directory, changed = new Set(), paths, leastMissing = 1 } = options;
  const oids = Buffer.concat(files.map((file) => oidOf(readFileSync(join(root, file)))));
  const blobs = new KnownBlobs(files, oids, (path) => changed.has(path));
  const failures: unknown[] = [];
  const cache = join(directory, '..');
  mkdirSync(cache, { recursive: true });
  const index = new SearchIndex({
    root,
    directory,
    room: { directory: cache, maxBytes: options.maxBytes ?? 1024 * MIB },
    blobs,
    leastMissing,
    onFailure: (error) => failures.push(error),
  });
  const place = makePlace(root, files, paths);
  return {
    directory,
    index,
    failures,
    search: new WorkspaceSearch(place, undefined, undefined, index),
    plain: new WorkspaceSearch(place),
  };
}

export const ask = (search: WorkspaceSearch, text: string): Promise<Answer> =>
  search.rank({ text, paths: ['.'], maxFiles: 8, maxPassages: 1, span: 10, names: true }, never);

/** All files below a directory, but for repositories and what others left behind. */
export const filesIn = (root: string): string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .toSorted();

/** What a generator returns in the end. */
export function resultOf<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

export const segmentsIn = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.endsWith('.words'));

/** Numbers that look random and are the same each time. */
export function dice(start: number): (sides: number) => number {
  let state = start;
  return (sides) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * sides);
  };
}

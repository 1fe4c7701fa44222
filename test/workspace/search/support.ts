import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makePlace } from '../../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../../src/workspace/search/search.ts';
import type { SearchThreads } from '../../../src/workspace/search/lines/search-threads.ts';
import type { PathSettings } from '../../../src/workspace/files/repository-paths.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

export type Seed = Readonly<Record<string, string | Uint8Array>>;

export const never = new AbortController().signal;

export function write(root: string, seed: Seed): void {
  for (const [path, content] of Object.entries(seed)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
}

interface Options {
  readonly tracked?: readonly string[];
  readonly paths?: PathSettings;
  readonly threads?: SearchThreads;
}

/** A search in a directory with these files. */
export function searchIn(seed: Seed, { tracked, paths, threads }: Options = {}) {
  const root = temporaryDirectory();
  write(root, seed);
  const search = new WorkspaceSearch(makePlace(root, tracked, paths), threads);
  return { root, search, ...shortly(search) };
}

/** The searches with only what a test says. */
export function shortly(search: WorkspaceSearch) {
  const grep = (pattern: string, options: { path?: string; maxMatches?: number } = {}) =>
    search.grep(
      { pattern, ignoreCase: false, path: '.', context: 0, maxMatches: 201, ...options },
      never,
    );
  const find = async (glob = '**', path = '.') => {
    const { paths } = await search.find({ glob, path, order: 'path', limit: 1000 }, never);
    return paths;
  };
  const ask = async (text: string) => {
    const question = { text, paths: ['.'], maxFiles: 10, maxPassages: 1, span: 10 };
    const { files } = await search.rank(question, never);
    return files.map(({ path }) => path);
  };
  return { grep, find, ask };
}

import type { FoundFile, Neighbours } from '../../../contracts/search.ts';
import { isTest } from './file-kind.ts';
import type { Use } from './scanned.ts';

/** A name that more files use tells nothing. */
const MAX_FILES = 40;
const MAX_CALLERS = 3;
const MAX_TESTS = 2;

/** The files and lines that use a definition of a found file, the nearest files first. */
export function neighboursOf(file: FoundFile, uses: readonly Use[]): Neighbours | undefined {
  const [definition] = file.definitions;
  if (definition === undefined) return undefined;
  const { name, from, to } = definition;
  const isInside = ({ path, line }: Use): boolean =>
    path === file.path && line >= from && line <= to;
  const others = uses.filter((use) => use.name === name && !isInside(use));
  if (others.length === 0 || others.length > MAX_FILES) return undefined;
  const distance = distanceTo([file.path]);
  const near = others.toSorted(
    (one, other) =>
      distance(parentOf(one.path)) - distance(parentOf(other.path)) ||
      (one.path < other.path ? -1 : 1),
  );
  const place = ({ path, line }: Use): string => `${path}:${line}`;
  return {
    name,
    callers: near
      .filter(({ path }) => !isTest(path))
      .slice(0, MAX_CALLERS)
      .map(place),
    tests: near
      .filter(({ path }) => isTest(path))
      .slice(0, MAX_TESTS)
      .map(place),
  };
}

/** Tells how many directories lie between a directory and the nearest of some files. */
export function distanceTo(files: readonly string[]): (directory: string) => number {
  const up = new Map<string, number>();
  for (const file of files)
    for (
      let [directory, steps] = [parentOf(file), 0];
      ;
      directory = parentOf(directory), steps += 1
    ) {
      up.set(directory, Math.min(steps, up.get(directory) ?? Infinity));
      if (directory === '') break;
    }
  return (directory) => {
    let [at, steps] = [directory, 0];
    for (; !up.has(at) && at !== ''; at = parentOf(at)) steps += 1;
    return steps + (up.get(at) ?? 0);
  };
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

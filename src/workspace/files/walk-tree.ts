import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import type { ContainedTree } from './contained-tree.ts';
import { IgnoreRules } from './ignore-rules.ts';
import type { OpenDirectory } from './open-directory.ts';

const MAX_IGNORE_FILE_BYTES = 256 * 1024;

/** A regular file or a symbolic link. */
export interface WalkedFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** Whether a file or directory is to be seen; asked only for what is in directories that are. */
export type PathFilter = (path: string, isDirectory: boolean) => boolean;

/**
 * What .gitignore does not leave out; tracked files never are left out.
 * @param isTracked whether the base commit holds the file, or anything below the directory
 */
export function notIgnored(tree: ContainedTree, isTracked: (path: string) => boolean): PathFilter {
  const rules = ignoreRulesOf(tree);
  return (path, isDirectory) => isTracked(path) || !rules.isIgnored(path, isDirectory);
}

/**
 * Files and links below `start` that .gitignore does not leave out. Follows no link and enters no
 * repository inside this one.
 */
export const walkTree = (
  tree: ContainedTree,
  start: readonly string[],
  isTracked: (path: string) => boolean,
): Generator<WalkedFile> => walkMatching(tree, start, notIgnored(tree, isTracked));

/** As `walkTree`, all that is wanted. */
export function* walkMatching(
  tree: ContainedTree,
  start: readonly string[],
  isWanted: PathFilter,
): Generator<WalkedFile> {
  const directory = tree.open(start);
  try {
    yield* walkDirectory(directory, start.map((name) => `${name}/`).join(''), isWanted);
  } finally {
    directory.close();
  }
}

function* walkDirectory(
  directory: OpenDirectory,
  prefix: string,
  isWanted: PathFilter,
): Generator<WalkedFile> {
  const names = readdirSync(directory.at('.'));
  if (prefix !== '' && names.includes('.git')) return;
  for (const name of names.toSorted()) {
    if (isGitName(name)) continue;
    const path = prefix + name;
    // A name that is not UTF-8 is read as another one, at which nothing is.
    const stats = lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    if (stats.isDirectory() && isWanted(path, true)) {
      openToUs(directory.at(name), stats);
      const inner = directory.enter(name);
      try {
        yield* walkDirectory(inner, `${path}/`, isWanted);
      } finally {
        inner.close();
      }
    } else if ((stats.isFile() || stats.isSymbolicLink()) && isWanted(path, false)) {
      yield { path, stats };
    }
  }
}

/** A command may have closed its own directories. Nothing of it runs any more: this follows no link. */
function openToUs(place: string, { mode }: BigIntStats): void {
  if ((mode & 0o700n) !== 0o700n) chmodSync(place, Number(mode & 0o777n) | 0o700);
}

export const isGitName = (name: string): boolean => name.toLowerCase() === '.git';

function ignoreRulesOf(tree: ContainedTree): IgnoreRules {
  return new IgnoreRules((directory) => {
    try {
      const names = directory === '' ? [] : directory.split('/');
      const content = tree.read([...names, '.gitignore'], MAX_IGNORE_FILE_BYTES);
      return new TextDecoder().decode(content);
    } catch {
      return undefined; // there is none, or one that git would not trust either: a link, a device
    }
  });
}

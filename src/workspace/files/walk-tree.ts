import { lstatSync, readdirSync } from 'node:fs';
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

/**
 * Files and links below `start` that .gitignore does not leave out; tracked ones never are. Follows no
 * link and enters no repository inside this one.
 * @param isTracked whether the base commit holds the file, or anything below the directory
 */
export function* walkTree(
  tree: ContainedTree,
  start: readonly string[],
  isTracked: (path: string) => boolean,
): Generator<WalkedFile> {
  const rules = ignoreRulesOf(tree);
  const isWanted = (path: string, isDirectory: boolean): boolean =>
    isTracked(path) || !rules.isIgnored(path, isDirectory);
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
  isWanted: (path: string, isDirectory: boolean) => boolean,
): Generator<WalkedFile> {
  const names = readdirSync(directory.at('.'));
  if (prefix !== '' && names.includes('.git')) return;
  for (const name of names.toSorted()) {
    if (isGitName(name)) continue;
    const path = prefix + name;
    const stats = lstatSync(directory.at(name), { bigint: true });
    if (stats.isDirectory() && isWanted(path, true)) {
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

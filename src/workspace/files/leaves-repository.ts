// What a work tree can hold that is not to become part of its repository: other repositories, and links
// that lead out.
import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { posix } from 'node:path';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import { isWithin } from '../../lib/glob.ts';
import type { ContainedTree } from './contained-tree.ts';
import { isGitsOwn } from './path-policy.ts';

export const isGitName = (name: string): boolean => name.toLowerCase() === '.git';

/**
 * Whether git would take a directory for a repository, one with a work tree or a bare one. A bare one that the base
 * commit has as a whole counts as plain files.
 * @param prefix the path of the directory and a slash; empty for the root, whose own `.git` does not count
 * @param names the names in it
 */
export function isRepository(
  prefix: string,
  names: readonly string[],
  isTracked: (path: string) => boolean,
): boolean {
  if (prefix !== '' && names.includes('.git')) return true;
  return isBare(names) && !isBare(names.filter((name) => isTracked(prefix + name)));
}

function isBare(names: readonly string[]): boolean {
  const all = new Set(repositoryNames(names).map((name) => name.toLowerCase()));
  return all.has('head') && (all.has('commondir') || (all.has('objects') && all.has('refs')));
}

/** The names in a directory that may make it a repository. */
export const repositoryNames = (names: readonly string[]): string[] =>
  names.filter((name) => REPOSITORY_NAMES.has(name.toLowerCase()));

const REPOSITORY_NAMES = new Set(['.git', 'head', 'commondir', 'objects', 'refs']);

/**
 * Finds the repository inside the work tree that contains a path, by its directory: `.` for the root. Looks
 * into each directory once.
 */
export function repositoryFinder(
  tree: ContainedTree,
  isTracked: (path: string) => boolean,
): (path: string) => string | undefined {
  const known = new Map<string, boolean>();
  const isOne = (prefix: string): boolean => {
    const is = known.get(prefix) ?? isRepository(prefix, namesIn(tree, prefix), isTracked);
    known.set(prefix, is);
    return is;
  };
  /** Directories that are in none. */
  const clear = new Set<string>();
  return (path) => {
    const parent = path.slice(0, path.lastIndexOf('/') + 1);
    if (clear.has(parent)) return undefined;
    for (let end = 0; end <= parent.length; end = parent.indexOf('/', end) + 1) {
      const prefix = parent.slice(0, end);
      if (isOne(prefix)) return prefix.slice(0, -1) || '.';
      if (end === parent.length) break;
    }
    clear.add(parent);
    return undefined;
  };
}

function namesIn(tree: ContainedTree, prefix: string): string[] {
  try {
    const directory = tree.open(prefix.split('/').slice(0, -1));
    try {
      return readdirSync(directory.at('.'));
    } finally {
      directory.close();
    }
  } catch {
    return []; // it is gone, or a file or a link now
  }
}

/** Whether a symbolic link leads out of the work tree, or would if what it names existed. */
export function leadsOut(root: string, path: string): boolean {
  const target = readlinkSync(`${root}/${path}`, 'buffer').toString('latin1');
  const directory = posix.dirname(path);
  // Windows reads a backslash as a slash.
  if ([target, target.replaceAll('\\', '/')].some((read) => readsOut(directory, read))) return true;
  const names = namesOf(target);
  // Other links may be on its way: the kernel says where the part that exists leads.
  for (let length = names.length; length >= 0; length -= 1) {
    const place = resolved([root, directory, ...names.slice(0, length)].join('/'));
    if (place !== undefined) return !isWithin(place, resolved(root) ?? root);
  }
  return true;
}

const namesOf = (target: string): string[] =>
  target.split('/').filter((name) => name !== '' && name !== '.');

const textOf = (latin1: string): string => Buffer.from(latin1, 'latin1').toString();

/** By its words alone. */
function readsOut(directory: string, target: string): boolean {
  const names = namesOf(target);
  if (/^(?:\/|[a-z]:)/i.test(target) || names.some((name) => isGitsOwn(textOf(name)))) return true;
  return posix.join(directory, ...names).split('/', 1)[0] === '..';
}

/** By the kernel: Node's own resolution removes `name/..` before it looks for links. */
const resolved = (path: string): string | undefined =>
  unlessItFails(() => realpathSync.native(path));

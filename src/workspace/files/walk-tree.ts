import { isUtf8 } from 'node:buffer';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type BigIntStats,
} from 'node:fs';
import { posix } from 'node:path';
import { nameOfBytes } from '../../lib/text/byte-names.ts';
import type { ContainedTree } from './contained-tree.ts';
import { IgnoreRules, readRules } from './git-rules.ts';
import type { OpenDirectory } from './open-directory.ts';
import { unlessItFails } from '../../lib/errors.ts';
import { isWithin } from '../../lib/glob.ts';
import { isGitsOwn } from './path-policy.ts';

/** A regular file or a symbolic link. */
export interface WalkedFile {
  readonly path: string;
  readonly stats: BigIntStats;
}

/** What a walk finds and does not yield. */
export interface SkippedPath {
  /** With names as `nameOfBytes` reads them. */
  readonly path: string;
  /** Its name, a character for each byte. */
  readonly name: string;
  /** `name` is not UTF-8; `kind`: a pipe, a socket or a device; `git`: a name that is git's own. */
  readonly why: 'name' | 'kind' | 'git' | 'ignored' | 'submodule';
  readonly stats: BigIntStats;
}

/** Whether to include a file or directory. Not called for what is in excluded directories. */
type PathFilter = (path: string, isDirectory: boolean) => boolean;

/**
 * Excludes what .gitignore ignores, but never tracked files and the directories on the way to them.
 * @param isTracked whether the base commit contains the file, or anything below the directory
 */
export function notIgnored(tree: ContainedTree, isTracked: (path: string) => boolean): PathFilter {
  const rules = new IgnoreRules(readRules(tree));
  return (path, isDirectory) => isTracked(path) || !rules.isIgnored(path, isDirectory);
}

/** Whether a file may be what hides other files: rules of what is ignored, or what makes a directory a repository. */
export const decidesOnOthers = (names: readonly string[]): boolean =>
  names.includes('.gitignore') || repositoryNames(names).length > 0;

/** Like `notIgnored` for the names in a directory that someone asked for, even if it is ignored itself. */
export function notIgnoredInside(
  tree: ContainedTree,
  directory: string,
  isTracked: (path: string) => boolean,
): PathFilter {
  const isIgnored = new IgnoreRules(readRules(tree)).inside(directory);
  return (path, isDirectory) =>
    isTracked(path) || !isIgnored(path.slice(path.lastIndexOf('/') + 1), isDirectory);
}

export interface WalkOptions {
  readonly isWanted: PathFilter;
  /** Whether the base commit contains the file, or anything below the directory. */
  readonly isTracked: (path: string) => boolean;
  /** Called with the directory of each nested repository. It is not entered, unless the call ends it. */
  readonly onRepository?: ((directory: string) => void) | undefined;
  /** Whether to enter a repository all the same, by its directory. */
  readonly entersRepository?: ((directory: string) => boolean) | undefined;
  /** Called with the files, links and others that are left out; of ignored ones, with files and links only. */
  readonly onSkipped?: ((skipped: SkippedPath) => void) | undefined;
}

/** The wanted files and links below `start`. Follows no links and does not enter nested repositories. */
export function* walkTree(
  tree: ContainedTree,
  start: readonly string[],
  options: WalkOptions,
): Generator<WalkedFile> {
  const directory = tree.open(start);
  try {
    yield* walkDirectory(directory, start.map((name) => `${name}/`).join(''), options);
  } finally {
    directory.close();
  }
}

function* walkDirectory(
  directory: OpenDirectory,
  prefix: string,
  options: WalkOptions,
): Generator<WalkedFile> {
  const { isWanted, isTracked, onRepository, onSkipped, entersRepository } = options;
  let names = readdirSync(directory.at('.'));
  const isEntered = entersRepository?.(prefix.slice(0, -1)) === true;
  if (!isEntered && isRepository(prefix, names, isTracked)) {
    onRepository?.(prefix.slice(0, -1) || '.');
    names = readdirSync(directory.at('.'));
    if (isRepository(prefix, names, isTracked)) return;
  }
  if (onSkipped !== undefined)
    for (const each of undecodable(directory, prefix, names))
      if (isWanted(each.path, each.stats.isDirectory())) onSkipped(each);
  // A name that is not valid UTF-8 is decoded to another name. If that exists too, it is there twice.
  for (const name of new Set(names.toSorted())) {
    const path = prefix + name;
    const stats = lstatSync(directory.at(name), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    const skip = (why: SkippedPath['why']): void =>
      onSkipped?.({ path, name: Buffer.from(name).toString('latin1'), why, stats });
    if (isGitName(name)) {
      skip('git');
      continue;
    }
    if (stats.isDirectory() && isWanted(path, true)) {
      openToUs(directory.at(name), stats);
      const inner = directory.enter(name);
      try {
        yield* walkDirectory(inner, `${path}/`, options);
      } finally {
        inner.close();
      }
    } else if (stats.isFile() || stats.isSymbolicLink()) {
      if (isWanted(path, false)) yield { path, stats };
      else skip('ignored');
    } else if (!stats.isDirectory() && isWanted(path, false)) skip('kind');
  }
}

function* undecodable(
  directory: OpenDirectory,
  prefix: string,
  names: readonly string[],
): Generator<SkippedPath> {
  if (!names.some((name) => name.includes('\u{fffd}'))) return;
  for (const bytes of readdirSync(directory.at('.'), 'buffer')) {
    if (isUtf8(bytes)) continue;
    const place = Buffer.concat([Buffer.from(directory.at('')), bytes]);
    const stats = lstatSync(place, { bigint: true, throwIfNoEntry: false });
    const path = prefix + nameOfBytes(bytes);
    if (stats !== undefined) yield { path, name: bytes.toString('latin1'), why: 'name', stats };
  }
}

/** Tells whether a path is a tracked file, or a directory that contains one. */
export function trackedPaths(paths: Iterable<string>): (path: string) => boolean {
  const tracked = new Set<string>();
  for (const path of paths) {
    tracked.add(path);
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      if (tracked.has(parent)) break;
      tracked.add(parent);
    }
  }
  return (path) => tracked.has(path);
}

/** A command may have removed our permissions. None of its processes still runs, so no link can appear. */
export function openToUs(place: string, { mode } = lstatSync(place, { bigint: true })): void {
  if ((mode & 0o700n) !== 0o700n) chmodSync(place, Number(mode & 0o777n) | 0o700);
}

// What a work tree can hold that is not to become part of its repository: other repositories, and links
// that lead out.

export const isGitName = (name: string): boolean => name.toLowerCase() === '.git';

/**
 * Whether git would take a directory for a repository, one with a work tree or a bare one. A bare one that the base
 * commit has as a whole counts as plain files.
 * @param prefix the path of the directory and a slash; empty for the root, whose own `.git` does not count
 * @param names the names in it
 */
function isRepository(
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

/** None if it is gone, or a file or a link now. */
const namesIn = (tree: ContainedTree, prefix: string): string[] =>
  unlessItFails(() => tree.names(prefix.split('/').slice(0, -1))) ?? [];

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

/** By its words alone. */
function readsOut(directory: string, target: string): boolean {
  const names = namesOf(target);
  if (/^(?:\/|[a-z]:)/i.test(target)) return true;
  if (names.some((name) => isGitsOwn(Buffer.from(name, 'latin1').toString()))) return true;
  return posix.join(directory, ...names).split('/', 1)[0] === '..';
}

/** By the kernel: Node's own resolution removes `name/..` before it looks for links. */
const resolved = (path: string): string | undefined =>
  unlessItFails(() => realpathSync.native(path));

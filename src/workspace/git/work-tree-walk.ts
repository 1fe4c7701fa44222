// Walks a work tree that commands may have changed: what may be committed, what is left out of that, and what is in the way of taking it back.
import {
  chmodSync,
  lstatSync,
  renameSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { hasCode, unlessItFails } from '../../lib/errors.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { ContainedTree } from '../files/contained-tree.ts';
import {
  notIgnored,
  openToUs,
  repositoryFinder,
  walkTree,
  type SkippedPath,
} from '../files/walk-tree.ts';
import { IsSymbolicLink } from '../files/open-directory.ts';
import { removeTreeSync } from '../remove-tree.ts';
import { trackedIn, type BaseTree } from './base-tree.ts';

/** How files look, by path. */
export type Fingerprints = Map<string, string>;

/** Differs after a file is written, moved, or given another mode or owner. */
export const fingerprint = ({ ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string =>
  [ino, size, mode, mtimeNs, ctimeNs].join(':');

/** The size of a file that looked so. */
export const sizeIn = (looks: string): number => Number(looks.split(':', 2)[1]);

export interface WorkTreeFile {
  readonly path: string;
  readonly stats: BigIntStats;
  readonly looks: string;
}

/**
 * Files and links that may be committed, made readable, and those of `followed`, whatever hides them.
 * @param left gets what is left out
 * @param onRepository is called with the directory of each nested repository, which is not entered unless the call ends it
 */
export function* walkWorkTree(
  tree: ContainedTree,
  base: BaseTree,
  left: LeftOut,
  { followed, onRepository }: WalkRequest = {},
): Generator<WorkTreeFile> {
  const hidden = new Set(followed);
  const foundAt = (path: string, found: BigIntStats): WorkTreeFile => {
    const stats = madeReadable(tree, path, found);
    return { path, stats, looks: fingerprint(stats) };
  };
  const isTracked = trackedIn(base.files);
  const options = {
    isWanted: notIgnored(tree, isTracked),
    isTracked,
    entersRepository: (directory: string) => isBelowAny(`${directory}/.`, base.submodules),
    onRepository: (directory: string): void => {
      left.repositories.add(directory);
      onRepository?.(directory);
    },
    onSkipped: (skipped: SkippedPath): void => {
      // Their git directories too, so that a checkout can be undone.
      if (skipped.why === 'git' || !isBelowAny(skipped.path, base.submodules))
        noteSkipped(left, skipped);
    },
  };
  for (const { path, stats } of walkTree(tree, [], options)) {
    if (isBelowAny(path, base.submodules)) {
      noteSkipped(left, { path, stats, name: '', why: 'submodule' });
      continue;
    }
    hidden.delete(path);
    yield foundAt(path, stats);
  }
  for (const path of hidden) {
    const stats = fileAt(tree, path);
    if (stats !== undefined) yield foundAt(path, stats);
  }
}

export interface WalkRequest {
  readonly followed?: ReadonlySet<string>;
  readonly onRepository?: ((directory: string) => void) | undefined;
}

/** The command may have removed our permission. */
function madeReadable(tree: ContainedTree, path: string, stats: BigIntStats): BigIntStats {
  if (!stats.isFile() || (stats.mode & 0o600n) === 0o600n) return stats;
  return tree.at(path.split('/'), (place) => {
    chmodSync(place, Number(stats.mode & 0o777n) | 0o600);
    return lstatSync(place, { bigint: true });
  });
}

/** The file or link at a path, whatever hides it. Opens its parents to us, each of which is looked up in the one before. */
export function fileAt(tree: ContainedTree, path: string): BigIntStats | undefined {
  const names = path.split('/');
  const last = names.pop() ?? '';
  let directory = tree.open([]);
  try {
    for (const name of names) {
      const stats = lstatSync(directory.at(name), { bigint: true });
      if (!stats.isDirectory()) return undefined;
      openToUs(directory.at(name), stats);
      const outer = directory;
      directory = outer.enter(name);
      outer.close();
    }
    const stats = lstatSync(directory.at(last), { bigint: true });
    return stats.isFile() || stats.isSymbolicLink() ? stats : undefined;
  } catch (error) {
    if (!(error instanceof IsSymbolicLink) && !hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    return undefined;
  } finally {
    directory.close();
  }
}

export function isBelowAny(path: string, directories: ReadonlySet<string>): boolean {
  if (directories.size === 0) return false;
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
    if (directories.has(path.slice(0, end))) return true;
  return false;
}

/** The nested repository that a file is in. The walk skips those, so such a file is not deleted. */
export const nestedRepositories = (
  tree: ContainedTree,
  base: BaseTree,
): ReturnType<typeof repositoryFinder> => repositoryFinder(tree, trackedIn(base.files));

export const IGNORE_FILE = '.gitignore';
/** Longer files are ignored. */
const MAX_BYTES = 256 * 1024;

interface IgnoreFile {
  readonly looks: string;
  /** `undefined`: too long to be kept, or closed to us. */
  content?: StoredChange | undefined;
}

/** As `SkippedPath`, with what is compared of its state. */
interface SkippedFile extends Omit<SkippedPath, 'stats'> {
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** What a walk left out of the files that may be committed. Plain data. */
export interface LeftOut {
  /** Directories of nested repositories. */
  readonly repositories: Set<string>;
  readonly skipped: Map<string, SkippedFile>;
  /** Those that are ignored, often by themselves. */
  readonly ignoreFiles: Map<string, IgnoreFile>;
}

export const nothingLeftOut = (): LeftOut => ({
  repositories: new Set(),
  skipped: new Map(),
  ignoreFiles: new Map(),
});

function noteSkipped(left: LeftOut, { path, name, why, stats }: SkippedPath): void {
  const { size, mtimeNs } = stats;
  if (why !== 'ignored')
    left.skipped.set(`${why} ${path}/${name}`, { path, name, why, size, mtimeNs });
  else if (name === IGNORE_FILE) left.ignoreFiles.set(path, { looks: fingerprint(stats) });
}

/** Makes it possible to restore the ignored files of rules. */
export function keepIgnoreFiles({ ignoreFiles }: LeftOut, tree: ContainedTree): void {
  for (const [path, file] of ignoreFiles)
    if (sizeIn(file.looks) <= MAX_BYTES) file.content = readIgnoreFile(tree, path);
}

/** `undefined` if it is closed to us. */
const readIgnoreFile = (tree: ContainedTree, path: string): StoredChange | undefined =>
  unlessItFails(() => tree.capture(path.split('/'), MAX_BYTES));

/** What no commit takes, whoever made it. The base has names that are not UTF-8 too: each commit carries them along. */
export function withheldIn({ repositories, skipped }: LeftOut, base: BaseTree): string[] {
  const others = [...skipped.values()].filter(
    ({ path, name, why }) =>
      why === 'kind' ||
      (why === 'name' && !base.undecodable.has(path.slice(0, path.lastIndexOf('/') + 1) + name)),
  );
  return [...repositories, ...others.map(({ path }) => path)];
}

/** What is left out now and was not before, by kind. */
export function leftOutSince(now: LeftOut, before: LeftOut) {
  const made = skippedSince(now, before);
  // The base may have such names, and submodules have files: no commit takes what becomes of them.
  const changed = [...now.skipped].flatMap(([key, { size, mtimeNs, ...each }]) => {
    const was = before.skipped.get(key);
    // A new owner alone is no change.
    return was === undefined || (was.size === size && was.mtimeNs === mtimeNs) ? [] : [each];
  });
  const all = [...made, ...changed, ...skippedSince(before, now)];
  const pathsOf = (found: typeof all, why: SkippedPath['why']): string[] =>
    found.filter((each) => each.why === why).map(({ path }) => path);
  return {
    repositories: [...now.repositories].filter((path) => !before.repositories.has(path)),
    names: pathsOf(all, 'name'),
    special: pathsOf(made, 'kind'),
    submodules: pathsOf(all, 'submodule'),
    gitNames: pathsOf(made, 'git'),
  };
}

const skippedSince = (now: LeftOut, before: LeftOut): Omit<SkippedFile, 'size' | 'mtimeNs'>[] =>
  [...now.skipped].flatMap(([key, each]) => (before.skipped.has(key) ? [] : [each]));

/** Whether what hid files is different: a repository is gone, or an ignored file of rules has changed. */
export const mayUncover = (now: LeftOut, before: LeftOut): boolean =>
  [...before.ignoreFiles].some(([path, { looks }]) => now.ignoreFiles.get(path)?.looks !== looks) ||
  [...before.repositories].some((path) => !now.repositories.has(path));

/** Removes what was not left out before: names that are not UTF-8, those of git, pipes, and files below submodules. */
export function removeSkipped(now: LeftOut, before: LeftOut, tree: ContainedTree): void {
  for (const { path, name, why } of skippedSince(now, before)) {
    const names = path.split('/');
    if (why === 'kind' || why === 'submodule') tree.remove(names);
    else if (why === 'git') tree.at(names, removeTreeSync);
    else removeUndecodable(tree, names, name);
  }
}

/** Renames it first: other programs take no such name. */
function removeUndecodable(tree: ContainedTree, names: readonly string[], name: string): void {
  tree.at([...names.slice(0, -1), '.issuewright-undecodable'], (place) => {
    const parent = place.slice(0, place.lastIndexOf('/') + 1);
    renameSync(Buffer.concat([Buffer.from(parent), Buffer.from(name, 'latin1')]), place);
    if (lstatSync(place).isDirectory()) {
      openToUs(place);
      removeTreeSync(place);
    } else unlinkSync(place);
  });
}

/** Returns whether anything had to be done. */
export function revertIgnoreFiles(now: LeftOut, before: LeftOut, tree: ContainedTree): boolean {
  const made = [...now.ignoreFiles].filter(([path, { looks }]) => {
    const was = before.ignoreFiles.get(path);
    return was === undefined || (was.content === undefined && was.looks !== looks);
  });
  const gone = [...before.ignoreFiles].filter(
    ([path, { content }]) =>
      content !== undefined &&
      tree.exists(path.split('/').slice(0, -1)) &&
      !isEqual(content, readIgnoreFile(tree, path)),
  );
  for (const [path] of made) tree.remove(path.split('/'));
  for (const [path, { content }] of gone) {
    const names = path.split('/');
    if (tree.exists(names) && tree.kind(names) === 'directory') tree.at(names, removeTreeSync);
    if (content !== undefined) tree.restore(names, content);
  }
  return made.length + gone.length > 0;
}

const isEqual = (one: StoredChange, other: StoredChange | undefined): boolean =>
  one.mode === other?.mode &&
  Buffer.compare(one.content ?? Buffer.of(), other.content ?? Buffer.of()) === 0;

/** Removes what is at a path, and any parent of it that is not a directory; opens its parents to us. */
export function makeWay(tree: ContainedTree, names: readonly string[]): void {
  for (const depth of names.keys()) {
    const here = names.slice(0, depth + 1);
    const isLast = depth === names.length - 1;
    if (!tree.exists(here)) return;
    if (tree.kind(here) !== 'directory') return tree.at(here, unlinkSync);
    tree.at(here, (place) => (isLast ? removeTreeSync(place) : openToUs(place)));
  }
}

/** Of file systems whose times are finer than this. */
const TICK_MS = 50;

const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** The clock that a file system gives its files their times by. It may lag behind that of the machine. */
export class FileClock {
  readonly #path: string;

  /** @param path of a file of its own, on that file system */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Waits until a change that is made now looks different from one made before. Returns a time in nanoseconds since
   * 1970: earlier changes have an earlier one, later changes have this or a later one.
   */
  tick(): bigint {
    writeFileSync(this.#path, '');
    const before = this.#now();
    let now = this.#now();
    for (let waited = 0; now === before && waited < TICK_MS; waited += 1) {
      Atomics.wait(SLEEPER, 0, 0, 1);
      now = this.#now();
    }
    return now;
  }

  #now(): bigint {
    utimesSync(this.#path, 0, 0);
    return lstatSync(this.#path, { bigint: true }).ctimeNs;
  }
}

import type { StoredChange } from '../../contracts/files.ts';
import { readBlob, readCommit, type GitObjects } from './objects.ts';
import {
  fileMode,
  isDirectory,
  isPlaceable,
  isSubmodule,
  readRawTree,
  textOfName,
  type RawEntry,
} from './raw-tree.ts';
import { TooManyBytes } from './http-client.ts';
import { coneOf } from './sparse/cone.ts';

export interface TrackedFile {
  readonly mode: string;
  readonly oid: string;
}

/**
 * The contents of a commit as a flat list of files. Leaves out entries that have no place in the work tree
 * and names that are not UTF-8: nothing changes those, and commits carry them along.
 */
export interface BaseTree {
  readonly commit: string;
  readonly tree: string;
  /** Files and links, by path. */
  readonly files: ReadonlyMap<string, TrackedFile>;
  /** Paths of submodules. */
  readonly submodules: ReadonlySet<string>;
  /** Paths whose last name is not UTF-8, with a character for each byte of that. */
  readonly undecodable: ReadonlySet<string>;
  /**
   * Directories that a sparse work tree does not have, without those in them. Nothing of them is in `files`, and nothing
   * is written there: commits carry them along.
   */
  readonly outside: ReadonlySet<string>;
  /** Whether nothing else was left out: each entry has a place, a name in UTF-8, and a mode that git knows. */
  readonly isWhole: boolean;
}

/** Of files and directories. A small pack can contain a tree of any size. */
const MOST_ENTRIES = 1_000_000;

export interface TreeChoice {
  /** The tree of a merge that is still to be committed on top of the commit. */
  readonly merged?: string | undefined;
  /** The only directories that the work tree has, see `coneOf`; all if omitted. */
  readonly sparse?: readonly string[] | undefined;
}

/** @throws {TooManyBytes} if it has too many files */
export async function readBaseTree(
  objects: GitObjects,
  commit: string,
  { merged, sparse }: TreeChoice = {},
): Promise<BaseTree> {
  const tree = merged ?? (await readCommit(objects, commit)).tree;
  const outside = new Set<string>();
  const partOf = sparse && coneOf(sparse);
  const isInside = (directory: string): boolean => {
    if (partOf === undefined || partOf(directory) !== 'outside') return true;
    outside.add(directory);
    return false;
  };
  const directories = await readDirectories(objects, tree, isInside);
  const files = new Map<string, TrackedFile>();
  const submodules = new Set<string>();
  const undecodable = new Set<string>();
  let isWhole = true;
  const collect = (prefix: string): void => {
    for (const entry of directories.get(prefix) ?? []) {
      const path = placeOf(entry, prefix);
      const mode = fileMode(entry);
      if (textOfName(entry) === undefined) undecodable.add(prefix + entry.name);
      if (path === undefined) isWhole = false;
      else if (isDirectory(entry)) collect(`${path}/`);
      else if (isSubmodule(entry)) submodules.add(path);
      else if (mode !== undefined) files.set(path, { mode, oid: entry.oid });
      else isWhole = false;
    }
  };
  collect('');
  return { commit, tree, files, submodules, undecodable, outside, isWhole };
}

/** The path of an entry; `undefined` if it has no place in the work tree, or a name that is not UTF-8. */
function placeOf(entry: RawEntry, prefix: string): string | undefined {
  const name = textOfName(entry);
  if (name === undefined || !isPlaceable(entry, Buffer.byteLength(prefix))) return undefined;
  return prefix + name;
}

/** The entries of each directory that has a place, by its path with a slash at the end. Reads a level at a time. */
async function readDirectories(
  objects: GitObjects,
  root: string,
  isInside: (directory: string) => boolean,
): Promise<ReadonlyMap<string, readonly RawEntry[]>> {
  const directories = new Map<string, readonly RawEntry[]>();
  // A tree that is meant to be too large is the same few objects again and again.
  const trees = new Map<string, Promise<readonly RawEntry[]>>();
  const entriesOf = (oid: string): Promise<readonly RawEntry[]> => {
    const entries = trees.get(oid) ?? readRawTree(objects, oid);
    trees.set(oid, entries);
    return entries;
  };
  let level: readonly (readonly [prefix: string, oid: string])[] = [['', root]];
  for (let count = 0; level.length > 0;) {
    const read = await Promise.all(
      level.map(async ([prefix, oid]) => [prefix, await entriesOf(oid)] as const),
    );
    for (const [prefix, entries] of read) {
      directories.set(prefix, entries);
      count += entries.length;
    }
    if (count > MOST_ENTRIES) throw new TooManyBytes(`it has more than ${MOST_ENTRIES} files`);
    level = read.flatMap(([prefix, entries]) =>
      entries.filter(isDirectory).flatMap((entry) => {
        const path = placeOf(entry, prefix);
        return path === undefined || !isInside(path) ? [] : [[`${path}/`, entry.oid] as const];
      }),
    );
  }
  return directories;
}

/** What other threads are to know of it. */
export const pathsOf = ({ files, submodules, outside }: BaseTree) => ({
  files: [...files.keys()],
  submodules: [...submodules],
  outside: [...outside],
});

/** A file of a commit that differs from its parent; the object id is null if it is gone. */
export interface FileOfCommit {
  readonly path: string;
  readonly mode: string;
  readonly oid: string | null;
}

/**
 * What a commit on top of a base contains: of a sparse work tree also the directories that only its changes are in.
 * `undefined` if it has to be read: a file may have replaced what the base tells apart from files.
 */
export function baseAfter(
  base: BaseTree,
  {
    commit,
    tree,
    changes,
  }: Pick<BaseTree, 'commit' | 'tree'> & { readonly changes: readonly FileOfCommit[] },
): BaseTree | undefined {
  if (!base.isWhole || base.submodules.size > 0) return undefined;
  const files = new Map(base.files);
  for (const { path, mode, oid } of changes)
    if (oid === null) files.delete(path);
    else files.set(path, { mode, oid });
  return { ...base, commit, tree, files };
}

/** `undefined` if there is none at the path. */
export async function readBaseFile(
  objects: GitObjects,
  { files }: BaseTree,
  path: string,
): Promise<StoredChange | undefined> {
  const file = files.get(path);
  if (file === undefined) return undefined;
  const content = await readBlob(objects, file.oid);
  const mode = file.mode === '120000' || file.mode === '100755' ? file.mode : '100644';
  return { path, mode, content };
}

const tracked = new WeakMap<BaseTree['files'], ReturnType<typeof trackedPaths>>();

/** Tells whether a base has a file at a path, or below it. Worked out once for each. */
export function trackedIn({ files }: Pick<BaseTree, 'files'>): (path: string) => boolean {
  const known = tracked.get(files) ?? trackedPaths(files.keys());
  tracked.set(files, known);
  return known;
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

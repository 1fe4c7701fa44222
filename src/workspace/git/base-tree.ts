import { trackedPaths } from '../files/walk-tree.ts';
import type { StoredChange, EntryKind } from '../../contracts/files.ts';
import {
  readBlob,
  readCommit,
  fileMode,
  isDirectory,
  isPlaceable,
  isSubmodule,
  readRawTree,
  textOfName,
  latin1OfName,
  type GitObjects,
  type RawEntry,
} from './objects.ts';
import { TooManyBytes } from './http-client.ts';
import { DamagedRepository } from './engines/native/native-git.ts';

export interface TrackedFile {
  readonly mode: string;
  readonly oid: string;
}

/**
 * The contents of a commit as a flat list of files. Leaves out entries that have no place in the work tree
 * and names that are not UTF-8: nothing changes those, and commits carry them along.
 */
/** Files and links, by path. */
export type TrackedFiles = ReadonlyMap<string, TrackedFile>;

export interface BaseTree {
  readonly commit: string;
  readonly tree: string;
  readonly files: TrackedFiles;
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

interface TreeChoice {
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

const tracked = new WeakMap<TrackedFiles, ReturnType<typeof trackedPaths>>();

/** Tells whether a tree with these files has one at a path, or below it. Worked out once for each. */
export function trackedIn(files: TrackedFiles): (path: string) => boolean {
  const known = tracked.get(files) ?? trackedPaths(files.keys());
  tracked.set(files, known);
  return known;
}

// Which directories of a commit a sparse work tree has, as git's cone mode decides it: those that are named, with all that is
// below them, and of the directories above them the files alone.

/** `whole`: with all below it; `files`: with its own files, and directories that are looked at one by one. */
type InCone = 'whole' | 'files' | 'outside';

/** Tells what a work tree has of a directory, given without a slash at its end; the root is empty. */
export function coneOf(directories: readonly string[]): (directory: string) => InCone {
  const above = new Set(['']);
  for (const directory of directories)
    for (let end = directory.lastIndexOf('/'); end > 0; end = directory.lastIndexOf('/', end - 1))
      above.add(directory.slice(0, end));
  return (directory) => {
    if (directories.some((named) => `${directory}/`.startsWith(`${named}/`))) return 'whole';
    return above.has(directory) ? 'files' : 'outside';
  };
}

/** The object ids of all files that a sparse work tree gets, those included that a base leaves out. */
export async function filesInside(
  objects: GitObjects,
  { tree, files, outside, isWhole }: BaseTree,
): Promise<readonly string[]> {
  const found = new Set([...files.values()].map(({ oid }) => oid));
  if (isWhole) return [...found];
  const left = new Set([...outside].map(latin1OfName));
  // A tree that is meant to be too large is the same few objects again and again.
  const seen = new Set<string>();
  const walk = async (oid: string, prefix: string): Promise<void> => {
    const isAbove = [...left].some((path) => path.startsWith(prefix));
    if (!isAbove && seen.has(oid)) return;
    if (!isAbove) seen.add(oid);
    for (const entry of await readRawTree(objects, oid)) {
      const path = prefix + entry.name;
      if (!isDirectory(entry)) {
        if (fileMode(entry) !== undefined) found.add(entry.oid);
      } else if (!left.has(path)) await walk(entry.oid, `${path}/`);
    }
  };
  await walk(tree, '');
  return [...found];
}

/** What a commit has at a path. Plain data. */
export type OutsideEntry =
  | { readonly kind: 'none' | 'symlink' | 'other' }
  | { readonly kind: 'directory'; readonly entries: readonly EntryInShort[] }
  /** `content` is missing until it is fetched. */
  | { readonly kind: 'file'; readonly oid: string; readonly content?: Uint8Array };

interface EntryInShort {
  readonly name: string;
  readonly kind: EntryKind;
}

/** Reads what the commit of a base has at a path, whether the work tree has it or not. */
export async function outsideEntry(
  objects: GitObjects,
  { tree }: BaseTree,
  path: string,
): Promise<OutsideEntry> {
  let entry: RawEntry | undefined = { mode: '40000', name: '', oid: tree };
  for (const name of path.split('/').map(latin1OfName)) {
    if (entry === undefined) return { kind: 'none' };
    if (!isDirectory(entry)) return { kind: kindOf(entry) === 'symlink' ? 'symlink' : 'none' };
    entry = (await readRawTree(objects, entry.oid)).find((one) => one.name === name);
  }
  if (entry === undefined) return { kind: 'none' };
  const kind = kindOf(entry);
  if (kind === 'file') return { kind, oid: entry.oid, ...(await contentOf(objects, entry.oid)) };
  if (kind !== 'directory') return { kind };
  const inside = isDirectory(entry) ? await readRawTree(objects, entry.oid) : [];
  const entries = inside.flatMap((one) => {
    const name = textOfName(one);
    return name === undefined ? [] : [{ name, kind: kindOf(one) }];
  });
  return { kind, entries };
}

function kindOf(entry: RawEntry): EntryKind {
  if (isDirectory(entry) || isSubmodule(entry)) return 'directory';
  const mode = fileMode(entry);
  if (mode === undefined) return 'other';
  return mode === '120000' ? 'symlink' : 'file';
}

async function contentOf(objects: GitObjects, oid: string): Promise<{ content?: Uint8Array }> {
  try {
    return { content: await readBlob(objects, oid) };
  } catch (error) {
    if (error instanceof DamagedRepository) return {};
    throw error;
  }
}

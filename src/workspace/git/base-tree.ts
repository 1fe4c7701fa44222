import type { StoredChange } from '../../contracts/files.ts';
import { readBlob, readCommit, type GitObjects } from './objects.ts';
import {
  fileMode,
  isDirectory,
  isPlaceable,
  isSubmodule,
  readRawTree,
  textOfName,
} from './raw-tree.ts';

interface TrackedFile {
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
}

/** @param merged the tree of a merge that is still to be committed on top of the commit */
export async function readBaseTree(
  objects: GitObjects,
  commit: string,
  merged?: string,
): Promise<BaseTree> {
  const files = new Map<string, TrackedFile>();
  const submodules = new Set<string>();
  const undecodable = new Set<string>();
  const readDirectory = async (oid: string, prefix: string): Promise<void> => {
    for (const entry of await readRawTree(objects, oid)) {
      const name = textOfName(entry);
      if (name === undefined) undecodable.add(prefix + entry.name);
      if (name === undefined || !isPlaceable(entry, Buffer.byteLength(prefix))) continue;
      const path = prefix + name;
      const mode = fileMode(entry);
      if (isDirectory(entry)) await readDirectory(entry.oid, `${path}/`);
      else if (isSubmodule(entry)) submodules.add(path);
      else if (mode !== undefined) files.set(path, { mode, oid: entry.oid });
    }
  };
  const tree = merged ?? (await readCommit(objects, commit)).tree;
  await readDirectory(tree, '');
  return { commit, tree, files, submodules, undecodable };
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

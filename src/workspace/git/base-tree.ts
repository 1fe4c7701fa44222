import fs from 'node:fs';
import git from 'isomorphic-git';

interface TrackedFile {
  readonly mode: string;
  readonly oid: string;
}

/** The contents of a commit as a flat list of files. */
export interface BaseTree {
  readonly commit: string;
  readonly tree: string;
  /** Files and links, by path. */
  readonly files: ReadonlyMap<string, TrackedFile>;
  /** Paths of submodules. */
  readonly submodules: ReadonlySet<string>;
}

export async function readBaseTree(gitdir: string, commit: string): Promise<BaseTree> {
  const files = new Map<string, TrackedFile>();
  const submodules = new Set<string>();
  const cache = {};
  const readDirectory = async (oid: string, prefix: string): Promise<string> => {
    const { oid: tree, tree: entries } = await git.readTree({ fs, gitdir, oid, cache });
    for (const entry of entries) {
      const path = prefix + entry.path;
      if (entry.type === 'tree') await readDirectory(entry.oid, `${path}/`);
      else if (entry.type === 'commit') submodules.add(path);
      else files.set(path, { mode: entry.mode, oid: entry.oid });
    }
    return tree;
  };
  return { commit, tree: await readDirectory(commit, ''), files, submodules };
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

import type { PathSettings } from '../files/repository-paths.ts';

/** A work tree to search in; crosses between threads. */
export interface SearchPlace {
  readonly root: string;
  /** The paths in the base commit, joined by NUL. Shared with the threads instead of copied. */
  readonly tracked: SharedArrayBuffer;
  readonly paths: PathSettings;
}

export function makePlace(
  root: string,
  tracked: Iterable<string> = [],
  paths: PathSettings = {},
): SearchPlace {
  const bytes = Buffer.from([...tracked].join('\0'));
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return { root, tracked: shared, paths };
}

/** Whether a path is tracked, or is a directory with something tracked in it. */
export function trackedIn({ tracked }: SearchPlace): (path: string) => boolean {
  let paths: Set<string> | undefined;
  return (path) => {
    // Built lazily: only needed for ignored files, which most work trees do not have.
    paths ??= withParents(Buffer.from(tracked).toString().split('\0'));
    return paths.has(path);
  };
}

function withParents(paths: readonly string[]): Set<string> {
  const all = new Set<string>(paths);
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = path.slice(0, end);
      if (all.has(parent)) break;
      all.add(parent);
    }
  return all;
}

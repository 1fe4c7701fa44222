import type { BaseTree } from '../base-tree.ts';
import type { GitObjects } from '../objects.ts';
import { latin1OfName, fileMode, isDirectory, readRawTree } from '../raw-tree.ts';

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

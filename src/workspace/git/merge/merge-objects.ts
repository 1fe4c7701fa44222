import type { GitObjects } from '../objects.ts';
import { isDirectory, isSubmodule, readRawTree, type RawEntry } from '../raw-tree.ts';

/**
 * The objects of a tree, itself included, except those that one of the known trees has at the same place. The server
 * has the known trees, so these are all that it may lack.
 */
export async function newObjects(
  repository: GitObjects,
  tree: string,
  known: readonly string[],
): Promise<readonly string[]> {
  const objects = new Set<string>();
  const entriesOf = async (oid: string): Promise<ReadonlyMap<string, RawEntry>> =>
    new Map((await readRawTree(repository, oid)).map((entry) => [entry.name, entry]));
  const walk = async (oid: string, others: readonly string[]): Promise<void> => {
    if (others.includes(oid)) return;
    objects.add(oid);
    const sides = await Promise.all(others.map(entriesOf));
    for (const [name, entry] of await entriesOf(oid)) {
      const same = sides.flatMap((side) => side.get(name) ?? []);
      if (isDirectory(entry))
        await walk(
          entry.oid,
          same.filter(isDirectory).map((one) => one.oid),
        );
      else if (!isSubmodule(entry) && same.every((one) => one.oid !== entry.oid))
        objects.add(entry.oid);
    }
  };
  await walk(tree, known);
  return [...objects];
}

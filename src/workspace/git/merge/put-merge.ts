import { readBaseTree, type BaseTree } from '../base-tree.ts';
import type { EnginePlace, GitEngine } from '../engines/engine.ts';
import { readCommit, type GitObjects } from '../objects.ts';
import { moveWorkTree } from '../work-tree-moves.ts';
import { isDirectory, isSubmodule, readRawTree, type RawEntry } from '../raw-tree.ts';

interface MergedTree {
  readonly tree: string;
  /** The commit that was merged. */
  readonly theirs: string;
}

/**
 * Puts the tree of a merge into the work tree, in the place of a base. Answers what the work tree has now, and the objects of the
 * merge that the server lacks.
 */
export function putMerge(
  engine: GitEngine,
  place: EnginePlace,
  before: BaseTree,
  { tree, theirs }: MergedTree,
): Promise<{ readonly base: BaseTree; readonly created: readonly string[] }> {
  return engine.withObjects(async (objects) => {
    const other = await readCommit(objects, theirs);
    const found = await newObjects(objects, tree, [before.tree, other.tree]);
    const choice = { merged: tree, sparse: place.sparse };
    const base = await readBaseTree(objects, before.commit, choice);
    await moveWorkTree(objects, place, before, base);
    // A file that is not here was not made here: one side has it at another path.
    const missing = new Set(await engine.missingObjects(found));
    return { base, created: found.filter((oid) => !missing.has(oid)) };
  });
}

/**
 * The objects of a tree, itself included, except those that one of the known trees has at the same place. The server
 * has the known trees, so these are all that it may lack.
 */
async function newObjects(
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

import { readBaseTree, type BaseTree } from '../base-tree.ts';
import type { EnginePlace, GitEngine } from '../engines/engine.ts';
import { readCommit } from '../objects.ts';
import { moveWorkTree } from '../work-tree-moves.ts';
import { newObjects } from './merge-objects.ts';

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

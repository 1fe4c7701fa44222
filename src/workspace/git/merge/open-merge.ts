// A merge in the work tree: how it is put there, and what is left to decide of it before it may be committed.
import type { CommitRequest } from '../../../contracts/git.ts';
import { readBaseTree, type BaseTree } from '../base-tree.ts';
import {
  readBlob,
  readCommit,
  isDirectory,
  isSubmodule,
  readRawTree,
  type GitObjects,
  type RawEntry,
} from '../objects.ts';
import type { TreeConflict } from './three-way-merge.ts';
import type { WorkTreeChange } from '../commit.ts';
import type { EnginePlace, GitEngine } from '../engines/engine.ts';
import { moveWorkTree } from '../engines/check-out.ts';

/** `markers`: the file still has markers of the merge. `undecided`: there are none, and nobody chose a side. */
export interface UnresolvedFile {
  readonly path: string;
  readonly why: 'markers' | 'undecided';
}

const MARKER = /^(?:(?:<{7,}|>{7,}|\|{7,})(?: .*)?|={7,})$/;
/** Markers that name a side; a line of equals signs may be anything. */
const NAMED_MARKER = /^[<>]{7,} /;

interface OpenMerge {
  /** With the tree that git merged. */
  readonly base: BaseTree;
  readonly conflicts: readonly TreeConflict[];
}

interface MergeResolution {
  readonly changes: readonly WorkTreeChange[];
  /** These are to stay as they are. */
  readonly decided: ReadonlySet<string>;
}

/** What a commit takes; `undefined`: everything. A merge takes all or nothing of what was changed on top of it. */
export function chosenPaths(
  { only, mergeAlone }: Pick<CommitRequest, 'only' | 'mergeAlone'>,
  isMerge: boolean,
): ReadonlySet<string> | undefined {
  const chosen = isMerge ? mergeAlone && [] : only;
  return chosen && new Set(chosen);
}

/** What a commit of the merge with these changes would leave open. */
export async function unresolved(
  objects: GitObjects,
  { base, conflicts }: OpenMerge,
  { changes, decided }: MergeResolution,
): Promise<readonly UnresolvedFile[]> {
  const changed = new Map(changes.map((change) => [change.path, change]));
  const left = new Map<string, UnresolvedFile>();
  const allMarkers = new Set<string>();
  for (const conflict of conflicts) {
    const { path } = conflict;
    const file = base.files.get(path);
    const merged = file === undefined ? [] : await linesOf(objects, file.oid);
    const markers = await markersOf(objects, merged, conflict);
    for (const marker of markers) if (NAMED_MARKER.test(marker)) allMarkers.add(marker);
    const change = changed.get(path);
    const lines = change === undefined ? merged : linesIn(change.content);
    if (lines.some((line) => markers.has(line))) left.set(path, { path, why: 'markers' });
    else if (markers.size === 0 && file !== undefined && change === undefined && !decided.has(path))
      left.set(path, { path, why: 'undecided' });
  }
  // A file with markers may have been moved.
  for (const { path, content } of changes)
    if (linesIn(content).some((line) => allMarkers.has(line)))
      left.set(path, { path, why: 'markers' });
  return [...left.values()];
}

/** The lines that look like markers, and that no side had before. */
async function markersOf(
  objects: GitObjects,
  merged: readonly string[],
  { base, ours, theirs }: TreeConflict,
): Promise<ReadonlySet<string>> {
  const markers = new Set(merged.filter((line) => MARKER.test(line)));
  if (markers.size === 0) return markers;
  for (const side of [base, ours, theirs])
    if (side !== undefined)
      for (const line of await linesOf(objects, side.oid)) markers.delete(line);
  return markers;
}

async function linesOf(objects: GitObjects, oid: string): Promise<readonly string[]> {
  return linesIn(await readBlob(objects, oid));
}

/** None of a file with NUL, which git takes for binary and gives no markers. */
const linesIn = (content: Uint8Array | null): readonly string[] =>
  content === null || content.includes(0)
    ? []
    : Buffer.from(content).toString('latin1').split(/\r?\n/);

interface MergedTree {
  readonly tree: string;
  /** The commit that was merged. */
  readonly theirs: string;
}

/**
 * Puts the tree of a merge into the work tree, in the place of a base. Answers what the work tree has now, and the objects of the
 * merge that the server lacks.
 */
export async function putMerge(
  engine: GitEngine,
  place: EnginePlace,
  before: BaseTree,
  { tree, theirs }: MergedTree,
): Promise<{ readonly base: BaseTree; readonly created: readonly string[] }> {
  const { objects } = engine;
  const other = await readCommit(objects, theirs);
  const found = await newObjects(objects, tree, [before.tree, other.tree]);
  const choice = { merged: tree, sparse: place.sparse };
  const base = await readBaseTree(objects, before.commit, choice);
  await moveWorkTree(objects, place, before.files, base.files);
  // A file that is not here was not made here: one side has it at another path.
  const missing = new Set(await engine.missingObjects(found));
  return { base, created: found.filter((oid) => !missing.has(oid)) };
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

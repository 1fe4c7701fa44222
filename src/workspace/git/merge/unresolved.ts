// What is left to decide of a merge before it may be committed.
import type { CommitRequest } from '../../../contracts/git.ts';
import type { BaseTree } from '../base-tree.ts';
import { readBlob, type GitObjects } from '../objects.ts';
import type { TreeConflict } from './three-way-merge.ts';
import type { WorkTreeChange } from '../work-tree-changes.ts';

/** `markers`: the file still has markers of the merge. `undecided`: there are none, and nobody chose a side. */
export interface Unresolved {
  readonly path: string;
  readonly why: 'markers' | 'undecided';
}

const MARKER = /^(?:(?:<{7,}|>{7,}|\|{7,})(?: .*)?|={7,})$/;
/** Markers that name a side; a line of equals signs may be anything. */
const NAMED_MARKER = /^[<>]{7,} /;

export interface OpenMerge {
  /** With the tree that git merged. */
  readonly base: BaseTree;
  readonly conflicts: readonly TreeConflict[];
}

interface Taken {
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
  { changes, decided }: Taken,
): Promise<readonly Unresolved[]> {
  const changed = new Map(changes.map((change) => [change.path, change]));
  const left = new Map<string, Unresolved>();
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

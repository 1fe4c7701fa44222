// A commit, made once more for a base branch that has moved on.
// GitHub takes workflow files from an App only if another branch has the same ones (docs/decisions/0047-what-a-commit-takes.md#0069-workflow-files).
import type { CatchUpRequest, CaughtUp } from '../../../contracts/git.ts';
import { readCommit, type GitObjects } from '../objects.ts';
import { latin1OfName } from '../raw-tree.ts';
import { editTree, type Unpublished } from '../write-commit.ts';
import {
  differences,
  directoriesAround,
  isOfWorkflow,
  type TreeDifference,
} from './commit-changes.ts';

interface Surroundings extends Pick<CatchUpRequest, 'onto'> {
  /** The commit of the base branch that it was made on, or that it merges. */
  readonly upstream: string;
  /** `upstream` may be another one. */
  readonly mayMove: boolean;
}

interface CaughtUpCommit {
  readonly commit: Unpublished;
  readonly caughtUp: CaughtUp;
}

/**
 * Takes over what happened on the base branch. If both sides changed the same file, only the workflow files are taken over:
 * the rest is for a merge. The same commits give the same commit. `undefined`: the workflow files are those of `onto` already.
 */
export async function catchUp(
  objects: GitObjects,
  last: Unpublished,
  { onto, upstream, mayMove }: Surroundings,
): Promise<CaughtUpCommit | undefined> {
  const before = last.late?.before ?? last;
  const { tree } = before;
  const [was, now] = [await readCommit(objects, upstream), await readCommit(objects, onto)];
  const theirs = await differences(objects, was.tree, now.tree);
  const ours = await differences(objects, was.tree, tree);
  const isMoved = mayMove && !doOverlap(theirs, ours, before.left.map(latin1OfName));
  const changed = new Set(ours.map(({ path }) => path));
  const taken = theirs.filter((one) => isMoved || (isOfWorkflow(one) && !changed.has(one.path)));
  if (!taken.some(isOfWorkflow)) return undefined;
  const created = new Set(before.created);
  const edits = taken.map(({ path, after }) => ({ path, entry: after ?? null }));
  const made = await editTree(objects, tree, edits, created);
  const parent = isMoved ? { from: upstream, to: onto } : undefined;
  const commit = await rewriteCommit(objects, before.commit, made, parent);
  created.add(commit);
  const all = { ...before, commit, tree: made, created: [...created], late: { before, onto } };
  return { commit: all, caughtUp: { onto, isMoved, files: taken.length } };
}

/** Whether both sides changed a path, or one of them a directory around it, unless they made the same of it. */
function doOverlap(
  theirs: readonly TreeDifference[],
  ours: readonly TreeDifference[],
  left: readonly string[],
): boolean {
  const own = new Map(ours.map((one) => [one.path, one.after]));
  for (const path of left) own.set(path, LEFT);
  const aroundOwn = new Set([...own.keys()].flatMap(directoriesAround));
  return theirs.some(({ path, after }) => {
    if (aroundOwn.has(path) || directoriesAround(path).some((one) => own.has(one))) return true;
    const same = own.get(path);
    return own.has(path) && (same?.oid !== after?.oid || same?.mode !== after?.mode);
  });
}

/** Nothing is known of it. */
const LEFT = { mode: '', name: '', oid: '' };

/** The same commit with another tree, and with another commit in the place of a parent. */
export async function rewriteCommit(
  objects: GitObjects,
  commit: string,
  tree: string,
  parent: { readonly from: string; readonly to: string } | undefined,
): Promise<string> {
  const { content } = await objects.read(commit);
  const text = Buffer.from(content).toString('latin1');
  const end = text.indexOf('\n\n');
  const headers = text.slice(0, end).split('\n');
  const changed = headers.map((line) => {
    if (line.startsWith('tree ')) return `tree ${tree}`;
    return line === `parent ${parent?.from}` ? `parent ${parent?.to}` : line;
  });
  const written = `${changed.join('\n')}${text.slice(end)}`;
  return objects.write({ type: 'commit', content: Buffer.from(written, 'latin1') });
}

// What a commit changes, in the form that GitHub's API makes commits of.
import { createHash } from 'node:crypto';
import type {
  CommitToMake,
  TreeChange,
  MadeCommit,
  CatchUpRequest,
  CaughtUp,
} from '../../../contracts/git.ts';
import { UNFIT } from '../../../session/texts/push-denials.ts';
import {
  readBlob,
  readCommit,
  fileMode,
  isDirectory,
  isSubmodule,
  readRawTree,
  latin1OfName,
  type GitObjects,
  type RawEntry,
} from '../objects.ts';
import { editTree, type UnpublishedCommit } from '../commit.ts';

/** Up to where a commit is made through the API: each file is a part of a request, and some are requests. */
export interface ApiLimits {
  readonly files: number;
  /** Of all new contents. */
  readonly bytes: number;
  /** A text that is longer is a request of its own, as is what is no text. */
  readonly inlineBytes: number;
}

/** A file, link or submodule that two trees do not have alike. */
interface TreeDifference {
  /** The bytes of the path, as latin1. */
  readonly path: string;
  readonly before: RawEntry | undefined;
  readonly after: RawEntry | undefined;
}

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

interface UnmadeCommit {
  readonly commit: string;
  /** The objects that GitHub may not have. */
  readonly created: readonly string[];
  /** `onto`: a commit that GitHub has, whose workflow files it has too. */
  readonly late?: { readonly onto: string };
}

/** @returns a sentence that says why the API cannot make it */
export async function commitToMake(
  objects: GitObjects,
  { commit, created, late }: UnmadeCommit,
  limits: ApiLimits,
): Promise<CommitToMake | string> {
  const { tree, parents, message } = await readCommit(objects, commit);
  if (tree === EMPTY_TREE) return UNFIT.empty;
  const known = late === undefined ? parents : [...parents, late.onto];
  const { baseTree, found } = await fromKnown(objects, tree, known);
  if (found.length > limits.files) return UNFIT.tooManyFiles(found.length, limits.files);
  const changes = await contentsOf(objects, found, new Set(created), limits);
  if (typeof changes === 'string') return changes;
  const groups = inGroups(changes);
  if (groups.length > 1 && !(await keepsFiles(objects, baseTree, groups[0] ?? [])))
    return UNFIT.empty;
  const base = baseTree === EMPTY_TREE ? undefined : baseTree;
  return { tree, parents, message, baseTree: base, changes: groups };
}

/**
 * What a tree changes of a tree that GitHub has: of that of the first commit, unless workflow files are among it that another
 * one has already. GitHub lets no App without the permission for them name one in a tree, whatever is in it.
 */
async function fromKnown(objects: GitObjects, tree: string, commits: readonly string[]) {
  const all = [];
  for (const commit of commits) {
    const { tree: baseTree } = await readCommit(objects, commit);
    const found = await differences(objects, baseTree, tree);
    if (!found.some(isOfWorkflow)) return { baseTree, found };
    all.push({ baseTree, found });
  }
  return all[0] ?? { baseTree: EMPTY_TREE, found: await differences(objects, EMPTY_TREE, tree) };
}

const isOfWorkflow = ({ path }: Pick<TreeDifference, 'path'>): boolean =>
  path.startsWith('.github/workflows/');

/** Without those whose names are not UTF-8: the workspace never commits them. */
export const differingPaths = async (
  objects: GitObjects,
  before: string,
  after: string,
): Promise<readonly string[]> =>
  (await differences(objects, before, after)).flatMap(
    ({ path }) => decodeUtf8(Buffer.from(path, 'latin1')) ?? [],
  );

/** All files and links that differ. Directories are walked where their trees differ. */
async function differences(
  objects: GitObjects,
  before: string,
  after: string,
): Promise<readonly TreeDifference[]> {
  const found: TreeDifference[] = [];
  const entriesOf = async (oid: string | undefined): Promise<ReadonlyMap<string, RawEntry>> => {
    const entries = oid === undefined ? [] : await readRawTree(objects, oid);
    return new Map(entries.map((entry) => [entry.name, entry]));
  };
  const walk = async (one: string | undefined, other: string | undefined, prefix: string) => {
    const [old, now] = [await entriesOf(one), await entriesOf(other)];
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const [was, is] = [old.get(name), now.get(name)];
      if (was?.oid === is?.oid && was?.mode === is?.mode) continue;
      const path = prefix + name;
      const [oldTree, newTree] = [treeIn(was), treeIn(is)];
      if (oldTree !== newTree) await walk(oldTree, newTree, `${path}/`);
      const before = oldTree === undefined ? was : undefined;
      const after = newTree === undefined ? is : undefined;
      if (before !== undefined || after !== undefined) found.push({ path, before, after });
    }
  };
  await walk(before, after, '');
  return found;
}

const treeIn = (entry: RawEntry | undefined): string | undefined =>
  entry !== undefined && isDirectory(entry) ? entry.oid : undefined;

async function contentsOf(
  objects: GitObjects,
  found: readonly TreeDifference[],
  created: ReadonlySet<string>,
  limits: ApiLimits,
): Promise<readonly TreeChange[] | string> {
  const changes: TreeChange[] = [];
  let bytes = 0;
  for (const { path: latin1, before, after } of found) {
    const path = decodeUtf8(Buffer.from(latin1, 'latin1'));
    if (path === undefined) return UNFIT.notUtf8;
    if (after === undefined) {
      changes.push({ path, mode: (before && modeOf(before)) ?? '100644', oid: null });
      continue;
    }
    const change = { path, mode: modeOf(after), oid: after.oid };
    if (!created.has(after.oid)) {
      changes.push(change);
      continue;
    }
    const blob = await readBlob(objects, after.oid);
    bytes += blob.byteLength;
    if (bytes > limits.bytes) return UNFIT.tooLarge(bytes, limits.bytes);
    const text = blob.byteLength > limits.inlineBytes ? undefined : decodeUtf8(Buffer.from(blob));
    changes.push({ ...change, content: text ?? blob });
  }
  return changes;
}

const modeOf = (entry: RawEntry): TreeChange['mode'] =>
  isSubmodule(entry) ? '160000' : (fileMode(entry) ?? '100644');

/** `undefined` if these bytes are no text that JSON can carry as it is. */
function decodeUtf8(bytes: Buffer): string | undefined {
  const text = bytes.toString();
  return !text.includes('\0') && Buffer.from(text).equals(bytes) ? text : undefined;
}

/** A file in the place of a directory, or the other way, has to wait until that is gone. */
function inGroups(changes: readonly TreeChange[]): readonly (readonly TreeChange[])[] {
  if (changes.length === 0) return [];
  const gone = changes.filter(({ oid }) => oid === null);
  const rest = changes.filter(({ oid }) => oid !== null);
  const files = new Set(gone.map(({ path }) => path));
  const directories = new Set(gone.flatMap(({ path }) => directoriesAround(path)));
  const isInTheWay = ({ path }: TreeChange): boolean =>
    directories.has(path) || directoriesAround(path).some((parent) => files.has(parent));
  return rest.some(isInTheWay) ? [gone, rest] : [changes];
}

/** The directories around a path. */
function directoriesAround(path: string): string[] {
  const names = path.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 1).join('/'));
}

/** Whether anything is left once these files are gone: GitHub makes no empty tree. */
async function keepsFiles(
  objects: GitObjects,
  tree: string,
  gone: readonly TreeChange[],
): Promise<boolean> {
  const paths = new Set(gone.map(({ path }) => path));
  const walk = async (oid: string, prefix: string): Promise<boolean> => {
    for (const entry of await readRawTree(objects, oid)) {
      const path = prefix + Buffer.from(entry.name, 'latin1').toString();
      if (isDirectory(entry) ? await walk(entry.oid, `${path}/`) : !paths.has(path)) return true;
    }
    return false;
  };
  return walk(tree, '');
}

/** Answers false if what the API says of the commit is not all of it: then it has to be fetched. */
export async function writeSigned(
  objects: GitObjects,
  { sha, signed }: Pick<MadeCommit, 'sha' | 'signed'>,
): Promise<boolean> {
  if (signed === undefined) return false;
  for (const text of textsOf(signed)) {
    const content = Buffer.from(text);
    const hash = createHash('sha1').update(`commit ${content.byteLength}\0`).update(content);
    if (hash.digest('hex') !== sha) continue;
    await objects.write({ type: 'commit', content });
    return true;
  }
  return false;
}

/** GitHub's own signatures end with an empty line in the header; others do not. */
function textsOf({ payload, signature }: NonNullable<MadeCommit['signed']>): readonly string[] {
  const end = payload.indexOf('\n\n');
  if (end === -1) return [];
  return [signature, signature.trimEnd()].map((one) => {
    const lines = one.replaceAll('\n', '\n ');
    return `${payload.slice(0, end)}\ngpgsig ${lines}${payload.slice(end)}`;
  });
}

// A commit, made once more for a base branch that has moved on.
// GitHub takes workflow files from an App only if another branch has the same ones (docs/decisions/0047-what-a-commit-takes.md#0069-workflow-files).

interface Surroundings extends Pick<CatchUpRequest, 'onto'> {
  /** The commit of the base branch that it was made on, or that it merges. */
  readonly upstream: string;
  /** `upstream` may be another one. */
  readonly mayMove: boolean;
}

interface CaughtUpCommit {
  readonly commit: UnpublishedCommit;
  readonly caughtUp: CaughtUp;
}

/**
 * Takes over what happened on the base branch. If both sides changed the same file, only the workflow files are taken over:
 * the rest is for a merge. The same commits give the same commit. `undefined`: the workflow files are those of `onto` already.
 */
export async function catchUp(
  objects: GitObjects,
  last: UnpublishedCommit,
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

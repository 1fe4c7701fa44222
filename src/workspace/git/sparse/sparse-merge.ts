// A merge in a repository that lacks files. Git reads a few of them to merge, wherever they are: these are fetched first.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MergeRejected, messageOf } from '../../../lib/errors.ts';
import { conflictsOutside, TOO_MANY_TO_MERGE } from '../../../session/texts/merges.ts';
import {
  askGit,
  askGitWith,
  TooMuchOutput,
  type NativePlace,
} from '../engines/native/native-git.ts';
import { missingObjects } from '../engines/native/fetch-pack.ts';
import {
  basesOf,
  mergeTrees,
  type SideFile,
  type Sides,
  type TreeMerge,
} from '../merge/three-way-merge.ts';
import { MAX_NAME_BYTES } from '../objects.ts';
import { coneOf } from '../base-tree.ts';

/** Fetches contents of files, by object id. */
export type FetchFiles = (oids: readonly string[]) => Promise<void>;

interface SparseMerge extends Sides {
  /** The branch of theirs. */
  readonly branch: string;
  /** The directories of the work tree. */
  readonly sparse: readonly string[];
}

const SUBMODULE = '160000';

/**
 * Like `mergeTrees`, but also fetches every file that the work tree gets and each side of every conflict.
 * @throws {MergeRejected} if there are conflicts outside of the work tree: nobody could resolve them there
 */
export async function mergeSparse(
  place: NativePlace,
  { branch, sparse, ...sides }: SparseMerge,
  fetch: FetchFiles,
): Promise<TreeMerge> {
  const fetchMissing = async (oids: readonly string[]): Promise<void> => {
    const missing = oids.length === 0 ? [] : await missingObjects(place, oids);
    if (missing.length > 0) await fetch(missing);
  };
  const paths = await fetchForMerge(place, sides, fetchMissing);
  const tree = await attributesAbove(place, { commit: sides.ours, paths }, fetchMissing);
  const merged = await mergeFetching({ ...place, tree }, sides, { branch, fetch });
  const partOf = coneOf(sparse);
  const isInside = (path: string): boolean => partOf(directoryOf(path)) !== 'outside';
  const outside = merged.conflicts.map(({ path }) => path).filter((path) => !isInside(path));
  if (outside.length > 0) throw new MergeRejected(conflictsOutside(branch, outside));
  const written = [...(await changesBetween(place, sides.ours, merged.tree))]
    .filter(([path]) => isInside(path))
    .map(([, { after }]) => after);
  const conflicting = merged.conflicts.flatMap(({ base, ours, theirs }) => [base, ours, theirs]);
  await fetchMissing([...written, ...conflicting].flatMap(contentOf));
  return merged;
}

const contentOf = (file: SideFile | undefined): readonly string[] =>
  file === undefined || file.mode === SUBMODULE ? [] : [file.oid];

/** Fetches what git is going to read, as far as the directories tell. Answers where that is. */
async function fetchForMerge(
  place: NativePlace,
  sides: Sides,
  fetch: FetchFiles,
): Promise<readonly string[]> {
  const findRemoved: FindRemovedDirectories = (side, directories) =>
    removedFrom(place, sides[side], directories);
  const oids = new Set<string>();
  const paths = new Set<string>();
  for (const base of await basesOf(place, sides)) {
    const ours = await changesBetween(place, base, sides.ours);
    const theirs = await changesBetween(place, base, sides.theirs);
    for (const { path, file } of await filesToRead({ ours, theirs }, findRemoved)) {
      paths.add(path);
      for (const oid of contentOf(file)) oids.add(oid);
    }
  }
  await fetch([...oids]);
  return [...paths];
}

/** Files that differ between two commits or trees. Nothing is read but directories. */
async function changesBetween(place: NativePlace, from: string, to: string): Promise<Changes> {
  const words = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to];
  const listed = await askGit(place, ...words).catch((error: unknown) => {
    throw error instanceof TooMuchOutput ? new MergeRejected(TOO_MANY_TO_MERGE) : error;
  });
  const fields = listed.split('\0');
  const changes = new Map<string, { before?: SideFile; after?: SideFile }>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, oldMode = '', newMode = '', oldOid = '', newOid = ''] =
      /^:(\d{6}) (\d{6}) ([\da-f]{40}) ([\da-f]{40}) /.exec(fields[at] ?? '') ?? [];
    changes.set(decodeLatin1(fields[at + 1]), {
      ...(oldMode === NO_FILE ? {} : { before: { mode: oldMode, oid: oldOid } }),
      ...(newMode === NO_FILE ? {} : { after: { mode: newMode, oid: newOid } }),
    });
  }
  return changes;
}

const NO_FILE = '000000';

const decodeLatin1 = (latin1 = ''): string => Buffer.from(latin1, 'latin1').toString();

async function removedFrom(
  place: NativePlace,
  commit: string,
  directories: readonly string[],
): Promise<readonly string[]> {
  const asked = directories.filter((one) => isPlain(one) && !one.includes('\n'));
  const input = asked.map((directory) => `${commit}:${directory}\n`).join('');
  const words = ['cat-file', '--batch-check=%(objecttype)', '--buffer'];
  const lines = (await askGitWith(place, { input }, words)).split('\n');
  return asked.filter((_, at) => lines[at] !== 'tree');
}

/** Git names one missing object at a time. Only with several merge bases are many missing. */
const MOST_ROUNDS = 200;

async function mergeFetching(
  place: NativePlace,
  sides: Sides,
  { branch, fetch }: { readonly branch: string; readonly fetch: FetchFiles },
): Promise<TreeMerge> {
  for (let round = 1; ; round += 1) {
    try {
      return await mergeTrees(place, sides, branch);
    } catch (error) {
      const named = messageOf(error).match(/\b[\da-f]{40}\b/g) ?? [];
      const missing = await missingObjects(place, named);
      if (missing.length === 0 || round > MOST_ROUNDS) throw error;
      await fetch(missing);
    }
  }
}

const ATTRIBUTES = '.gitattributes';
/** In one command: the system takes 2 MB at most. */
const MOST_NAMES = 1_000;
const MOST_BYTES = 512 * 1024;
/** The system has no files with longer paths. */
const LONGEST = 4_000;

/** Whether git takes it for a path in a repository: a tree may have any names. */
const isPlain = (directory: string): boolean =>
  directory.split('/').every((name) => !['', '.', '..'].includes(name));

/** Whether the system can have it. `git merge` reads no attributes from where it cannot, since no checkout has them. */
const isPossible = (directory: string): boolean =>
  Buffer.byteLength(directory) < LONGEST &&
  directory.split('/').every((name) => Buffer.byteLength(name) <= MAX_NAME_BYTES);

/**
 * A directory with the attributes that a commit has for some paths: git reads them from files, and the work tree lacks
 * those outside.
 */
async function attributesAbove(
  place: NativePlace,
  { commit, paths }: { readonly commit: string; readonly paths: readonly string[] },
  fetch: FetchFiles,
): Promise<string> {
  const tree = join(place.gitdir, 'issuewright-attributes');
  await mkdir(tree, { recursive: true, mode: 0o700 });
  const directories = [...directoriesAbove(paths)].filter(
    (directory) => isPossible(directory) && isPlain(directory),
  );
  const names = [ATTRIBUTES, ...directories.map((directory) => `${directory}/${ATTRIBUTES}`)];
  const found: string[] = [];
  const literally = { environment: { GIT_LITERAL_PATHSPECS: '1' } };
  for (const some of inParts(names)) {
    const listed = await askGitWith(place, literally, ['ls-tree', '-z', commit, '--', ...some]);
    found.push(...listed.split('\0').filter((line) => /^100\d{3} blob /.test(line)));
  }
  if (found.length === 0) return tree;
  const entries = found.map((line) => line.replace(' blob ', ' '));
  await fetch(entries.map((line) => line.slice(7, 47)));
  const environment = { GIT_INDEX_FILE: join(place.gitdir, 'issuewright-attributes-index') };
  const input = entries.map((line) => `${decodeLatin1(line).replace('\t', ' 0\t')}\0`).join('');
  const there = { ...place, tree };
  await askGitWith(there, { environment, input }, ['update-index', '-z', '--index-info']);
  await askGitWith(there, { environment }, ['checkout-index', '--all', '--quiet', '--force']);
  return tree;
}

function* inParts(names: readonly string[]): Generator<readonly string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const name of names) {
    if (part.length === MOST_NAMES || bytes > MOST_BYTES) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(name);
    bytes += Buffer.byteLength(name);
  }
  yield part;
}

// Which files git reads to merge two sides, told by the directories alone: those that both changed, and those that may have been
// renamed where that matters to the other side.

/** By path; `before` is missing if the file was added, `after` if it is gone. */
export type Changes = ReadonlyMap<
  string,
  { readonly before?: SideFile | undefined; readonly after?: SideFile | undefined }
>;

interface BothSides {
  readonly ours: Changes;
  readonly theirs: Changes;
}

interface FileToRead {
  readonly path: string;
  readonly file: SideFile;
}

/** Tells which of these directories a side has no more. */
type FindRemovedDirectories = (
  side: keyof BothSides,
  directories: readonly string[],
) => Promise<readonly string[]>;

/** May answer some files that git does not read. */
export async function filesToRead(
  sides: BothSides,
  findRemoved: FindRemovedDirectories,
): Promise<readonly FileToRead[]> {
  const { ours, theirs } = sides;
  return [
    ...changedByBoth(sides),
    ...renamedIn(ours, theirs, await directoriesLeft('ours', sides, findRemoved)),
    ...renamedIn(theirs, ours, await directoriesLeft('theirs', sides, findRemoved)),
  ];
}

function* changedByBoth({ ours, theirs }: BothSides): Generator<FileToRead> {
  for (const [path, mine] of ours) {
    const other = theirs.get(path);
    if (other === undefined || mine.after?.oid === other.after?.oid) continue;
    for (const file of [mine.before, mine.after, other.after])
      if (file !== undefined) yield { path, file };
  }
}

/**
 * Directories that a side removed, and the other added a file to: git looks where their files went. With all directories
 * inside of them that had a file.
 */
async function directoriesLeft(
  side: keyof BothSides,
  sides: BothSides,
  findRemoved: FindRemovedDirectories,
): Promise<ReadonlySet<string>> {
  const other = sides[side === 'ours' ? 'theirs' : 'ours'];
  const added = [...other].filter(([, { before }]) => before === undefined);
  const grown = directoriesAbove(added.map(([path]) => path));
  const deleted = [...sides[side]].filter(([, { after }]) => after === undefined);
  const shrunk = directoriesAbove(deleted.map(([path]) => path));
  const both = [...shrunk].filter((directory) => grown.has(directory));
  const left = new Set(both.length === 0 ? [] : await findRemoved(side, both));
  if (left.size === 0) return left;
  // A directory comes after the one that contains it.
  for (const directory of [...shrunk].toSorted((one, other) => one.length - other.length))
    if (left.has(directoryOf(directory))) left.add(directory);
  return left;
}

/** Of the files that a side deleted or added, those that git compares; the same content somewhere else needs no look. */
function renamedIn(side: Changes, other: Changes, left: ReadonlySet<string>): FileToRead[] {
  const [deleted, added]: [FileToRead[], FileToRead[]] = [[], []];
  for (const [path, { before, after }] of side) {
    if (before !== undefined && after === undefined) deleted.push({ path, file: before });
    if (before === undefined && after !== undefined) added.push({ path, file: after });
  }
  const matters = ({ path }: FileToRead): boolean => other.has(path) || left.has(directoryOf(path));
  const sources = withoutSameContent(deleted, added).filter(matters);
  return sources.length === 0 ? [] : [...sources, ...withoutSameContent(added, deleted)];
}

function withoutSameContent(
  files: readonly FileToRead[],
  others: readonly FileToRead[],
): FileToRead[] {
  const known = new Set(others.map(({ file }) => file.oid));
  return files.filter(({ file }) => !known.has(file.oid));
}

/** Of all directories together. A repository can have a million of them in a few kB. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/**
 * The directories that contain these paths.
 * @throws {MergeRejected} if there are too many
 */
function directoriesAbove(paths: Iterable<string>): Set<string> {
  const above = new Set<string>();
  let left = MOST_CHARACTERS;
  for (const path of paths)
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const directory = path.slice(0, end);
      if (above.has(directory)) break;
      above.add(directory);
      left -= end;
      if (left < 0) throw new MergeRejected(TOO_MANY_TO_MERGE);
    }
  return above;
}

/** Empty for a path at the top. */
const directoryOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

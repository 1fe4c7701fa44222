// Which files git reads to merge two sides, told by the directories alone: those that both changed, and those that may have been
// renamed where that matters to the other side.
import { MergeRejected } from '../../../lib/errors.ts';
import { TOO_MANY_TO_MERGE } from '../../../session/texts/merges.ts';
import type { SideFile } from '../merge/three-way-merge.ts';

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
export type FindRemovedDirectories = (
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
export function directoriesAbove(paths: Iterable<string>): Set<string> {
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
export const directoryOf = (path: string): string =>
  path.slice(0, Math.max(0, path.lastIndexOf('/')));

// Which files git reads to merge two sides, told by the directories alone: those that both changed, and those that may have been
// renamed where that matters to the other side.
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

/** Directories that a side removed, and the other added a file to: git looks where their files went. */
async function directoriesLeft(
  side: keyof BothSides,
  sides: BothSides,
  findRemoved: FindRemovedDirectories,
): Promise<ReadonlySet<string>> {
  const other = sides[side === 'ours' ? 'theirs' : 'ours'];
  const added = [...other].filter(([, { before }]) => before === undefined);
  const grown = new Set(added.flatMap(([path]) => directoriesAbove(path)));
  const deleted = [...sides[side]].filter(([, { after }]) => after === undefined);
  const shrunk = new Set(deleted.flatMap(([path]) => directoriesAbove(path)));
  const both = [...shrunk].filter((directory) => grown.has(directory));
  return new Set(both.length === 0 ? [] : await findRemoved(side, both));
}

/** Of the files that a side deleted or added, those that git compares; the same content somewhere else needs no look. */
function renamedIn(side: Changes, other: Changes, left: ReadonlySet<string>): FileToRead[] {
  const [deleted, added]: [FileToRead[], FileToRead[]] = [[], []];
  for (const [path, { before, after }] of side) {
    if (before !== undefined && after === undefined) deleted.push({ path, file: before });
    if (before === undefined && after !== undefined) added.push({ path, file: after });
  }
  const matters = ({ path }: FileToRead): boolean =>
    other.has(path) || directoriesAbove(path).some((directory) => left.has(directory));
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

export function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    above.push(path.slice(0, end));
  return above;
}

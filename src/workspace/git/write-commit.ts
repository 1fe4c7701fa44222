import type { BaseTree, FileOfCommit } from './base-tree.ts';
import {
  latin1OfName,
  DIRECTORY_MODE,
  isDirectory,
  readRawTree,
  writeRawTree,
  type GitObjects,
  type RawEntry,
} from './objects.ts';
import type { WorkTreeChange } from './work-tree-changes.ts';

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

export interface CommitText {
  readonly message: string;
  readonly author: CommitAuthor;
  /** Milliseconds since 1970; author and committer date. */
  readonly at: number;
  /** The second parent, if it is a merge. */
  readonly mergeParent?: string | undefined;
}

export interface WrittenCommit {
  readonly commit: string;
  /** Every object that the base lacks, and that therefore has to be pushed. */
  readonly created: readonly string[];
  readonly tree: string;
  /** What it changes. */
  readonly changes: readonly FileOfCommit[];
}

export interface Unpublished extends WrittenCommit {
  /** Paths that changed and are not in it. */
  readonly left: readonly string[];
  /** The commit before it caught up with the base branch, and the one of that branch whose files it has. */
  readonly late?: { readonly before: Unpublished; readonly onto: string };
}

/**
 * Writes the commit that applies `changes` to `base`, with only the trees of changed paths. The same
 * base, changes and text give the same commit.
 */
export async function writeCommit(
  objects: GitObjects,
  base: BaseTree,
  changes: readonly WorkTreeChange[],
  text: CommitText,
): Promise<WrittenCommit> {
  requireInside(base, changes);
  const created = new Set<string>();
  const edits: TreeEdit[] = [];
  for (const { path, mode, content, oid: found } of changes) {
    const oid = content && (await objects.write({ type: 'blob', content }));
    if (oid !== found) throw new Error(`${path} changed while it was committed`);
    if (oid !== null) created.add(oid);
    edits.push({ path: latin1OfName(path), entry: oid === null ? null : { mode, oid } });
  }
  const tree = await editTree(objects, base.tree, edits, created);
  const { author, mergeParent } = text;
  const person = `${author.name} <${author.email}> ${Math.floor(text.at / 1000)} +0000`;
  const lines = [
    `tree ${tree}`,
    `parent ${base.commit}`,
    ...(mergeParent === undefined ? [] : [`parent ${mergeParent}`]),
    `author ${person}`,
    `committer ${person}`,
    '',
    normalizeMessage(text.message),
  ];
  const commit = await objects.write({ type: 'commit', content: Buffer.from(lines.join('\n')) });
  created.add(commit);
  const committed = changes.map(({ path, mode, oid }) => ({ path, mode, oid }));
  return { commit, created: [...created], tree, changes: committed };
}

/** What becomes of one path; `null`: it is gone. */
export interface TreeEdit {
  /** Its bytes, as latin1. */
  readonly path: string;
  readonly entry: Pick<RawEntry, 'mode' | 'oid'> | null;
}

/** Writes the tree with the edits, and adds the trees that are new to `created`. All else stays byte for byte. */
export async function editTree(
  objects: GitObjects,
  before: string,
  edits: readonly TreeEdit[],
  created: Set<string>,
): Promise<string> {
  const root: Directory = { files: new Map(), directories: new Map() };
  for (const { path, entry } of edits) place(root, path.split('/'), entry);
  const tree =
    (await writeDirectory(objects, before, root, created)) ?? (await writeRawTree(objects, []));
  created.add(tree);
  return tree;
}

/** Nothing gets so far that would take the place of what the work tree does not have: it would be lost without a word. */
function requireInside({ outside }: BaseTree, changes: readonly WorkTreeChange[]): void {
  for (const { path } of outside.size === 0 ? [] : changes)
    for (const directory of outside)
      if (`${path}/`.startsWith(`${directory}/`) || directory.startsWith(`${path}/`))
        throw new Error(`a commit would replace ${directory}, which is outside of the work tree`);
}

/** Changes by directory, by the bytes of the names; a deleted file is null. */
interface Directory {
  readonly files: Map<string, TreeEdit['entry']>;
  readonly directories: Map<string, Directory>;
}

function place(
  directory: Directory,
  [name = '', ...rest]: readonly string[],
  file: TreeEdit['entry'],
): void {
  if (rest.length === 0) {
    directory.files.set(name, file);
    return;
  }
  const inner = directory.directories.get(name) ?? { files: new Map(), directories: new Map() };
  directory.directories.set(name, inner);
  place(inner, rest, file);
}

/**
 * Writes the tree with the changes; returns `undefined` if it is empty. All other entries stay byte for
 * byte, whatever their names and modes are.
 */
async function writeDirectory(
  objects: GitObjects,
  before: string | undefined,
  { files, directories }: Directory,
  created: Set<string>,
): Promise<string | undefined> {
  const known = before === undefined ? [] : await readRawTree(objects, before);
  const entries = new Map<string, RawEntry>(known.map((entry) => [entry.name, entry]));
  for (const [name, file] of files) {
    // A file that became a directory is in both lists; the directory is added below.
    entries.delete(name);
    if (file !== null) entries.set(name, { ...file, name });
  }
  for (const [name, inner] of directories) {
    const entry = entries.get(name);
    const wasDirectory = entry !== undefined && isDirectory(entry);
    const oid = await writeDirectory(objects, wasDirectory ? entry.oid : undefined, inner, created);
    // If a directory became a file, the entry is that file: keep it.
    if (oid !== undefined) entries.set(name, { mode: DIRECTORY_MODE, oid, name });
    else if (wasDirectory) entries.delete(name);
  }
  if (entries.size === 0) return undefined;
  const oid = await writeRawTree(objects, [...entries.values()]);
  created.add(oid);
  return oid;
}

/** Removes NUL, which a commit message cannot contain, and ends with one newline. */
function normalizeMessage(message: string): string {
  return `${message.replaceAll('\0', '').replaceAll(/\r\n?/g, '\n').trim()}\n`;
}

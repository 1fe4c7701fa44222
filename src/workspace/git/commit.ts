// What a commit takes of the files of a workspace, what it leaves out, and the commit itself.
import { toLfsPointer } from '../../lib/lfs-pointer.ts';
import { AttributeRules, type Attributes } from '../files/git-rules.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { leadsOut } from '../files/walk-tree.ts';
import { contentOf, isRecorded, oidOf, type ConsideredChanges } from '../files/recorded-changes.ts';
import type { BaseTree, FileOfCommit } from './base-tree.ts';
import { contentIn, type WorkTree } from './work-tree.ts';
import {
  latin1OfName,
  DIRECTORY_MODE,
  isDirectory,
  readRawTree,
  writeRawTree,
  type GitObjects,
  type RawEntry,
} from './objects.ts';

/** A difference between the work tree and the base. `content` is null if the file was deleted. */
export interface WorkTreeChange {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  readonly mode: string;
  /** As a commit has it. Read from the work tree each time. */
  readonly content: Uint8Array | null;
  /** Git's object id for the content; null if the file was deleted. */
  readonly oid: string | null;
}

export interface FoundChanges {
  /** Sorted by path. */
  readonly changes: readonly WorkTreeChange[];
  /**
   * What is not committed whatever is asked: links that lead out, directories of nested repositories, names that are
   * not UTF-8, what is neither a file nor a link, and what is unrecorded.
   */
  readonly withheld: readonly string[];
  /** What differs, and no tool or command is known to have changed. */
  readonly unrecorded: readonly string[];
  /** What Git LFS would have to store first. */
  readonly inLfs: readonly string[];
}

/** What the base does not tell of its own. */
interface FromCommits {
  /** The content of a file of the base. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  /** Object ids of files that other commits have, which a merge may choose. */
  readonly known?: ReadonlySet<string>;
}

/** Compares the work tree with a base. */
export async function findChanges(
  workTree: WorkTree,
  base: BaseTree,
  { recorded, except }: ConsideredChanges,
  commits: FromCommits,
): Promise<FoundChanges> {
  const tree = new ContainedTree(workTree.root);
  const attributes = new AttributeRules(tree);
  const excepted = new Set(except);
  const since = workTree.lookSince(base);
  const changes: WorkTreeChange[] = [];
  const withheld = [...since.withheld];
  const unrecorded: string[] = [];
  const inLfs: string[] = [];
  for (const found of since.differing) {
    const { path } = found;
    const before = base.files.get(path);
    if (excepted.has(path)) continue;
    // Not read at all: these may be a whole directory of dependencies.
    const file = before || recorded.has(path) ? workTree.read(found) : undefined;
    if (file?.content === null || (before && file?.id === contentIn(before))) continue;
    if (file === undefined || !isRecorded(recorded, path, file.id)) unrecorded.push(path);
    else if (file.mode === '120000' && leadsOut(workTree.root, path)) withheld.push(path);
    else {
      const { mode, content } = file;
      // Links are committed as they are.
      const { isInLfs, apply } =
        mode === '120000'
          ? AS_IT_IS
          : await conversionFor(attributes.of(path), content, () => commits.read(path));
      const oid = oidOf(apply(content));
      if (before?.oid === oid && before.mode === mode) continue;
      if (isInLfs && content.byteLength > 0 && !hasFile(base, commits, oid)) inLfs.push(path);
      else changes.push(changeAt(tree, { path, mode, oid }, before !== undefined, apply));
    }
  }
  for (const path of since.gone) {
    const deleted = { path, mode: '100644', content: null };
    if (excepted.has(path)) continue;
    if (!isRecorded(recorded, path, contentOf(deleted))) unrecorded.push(path);
    else changes.push({ ...deleted, status: 'deleted', oid: null });
  }
  return {
    changes: changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    withheld: [...withheld, ...unrecorded],
    unrecorded,
    inLfs: inLfs.toSorted(),
  };
}

/** Whether a commit has the file already: then Git LFS has what a pointer names. */
function hasFile({ files }: BaseTree, { known }: FromCommits, oid: string): boolean {
  if (known?.has(oid) === true) return true;
  for (const file of files.values()) if (file.oid === oid) return true;
  return false;
}

const changeAt = (
  tree: ContainedTree,
  facts: Pick<WorkTreeChange, 'path' | 'mode' | 'oid'>,
  isInBase: boolean,
  apply: Conversion['apply'],
): WorkTreeChange => ({
  ...facts,
  status: isInBase ? 'modified' : 'added',
  get content() {
    const { content } = tree.capture(facts.path.split('/'));
    return content && apply(content);
  },
});

/** What `git add` makes of a file: with line ends, and for Git LFS, as the repository's attributes ask for. */
interface Conversion {
  /** Git LFS stores the file itself, so a commit has a pointer to it. */
  readonly isInLfs: boolean;
  readonly apply: (content: Uint8Array) => Uint8Array;
}

const AS_IT_IS: Conversion = { isInLfs: false, apply: (content) => content };
const LFS: Conversion = { isInLfs: true, apply: toLfsPointer };
const LINE_FEEDS: Conversion = { isInLfs: false, apply: withLineFeeds };

/**
 * @param committed the file in the base; `undefined` if it is new. One that has CRLF keeps it: git does so for `text=auto`, and
 * otherwise a change of one line would become a change of all.
 */
async function conversionFor(
  attributes: Attributes,
  content: Uint8Array,
  committed: () => Promise<Uint8Array | undefined>,
): Promise<Conversion> {
  if (attributes.get('filter') === 'lfs') return LFS;
  const kind = textKind(attributes);
  if (kind === 'as it is' || !hasCrlf(content)) return AS_IT_IS;
  if (kind === 'auto' && isBinary(content)) return AS_IT_IS;
  const before = await committed();
  return before !== undefined && hasCrlf(before) ? AS_IT_IS : LINE_FEEDS;
}

/** As git combines `text`, the older `crlf`, and `eol`. */
function textKind(attributes: Attributes): 'text' | 'auto' | 'as it is' {
  for (const name of ['text', 'crlf']) {
    const value = attributes.get(name);
    if (value === false) return 'as it is';
    if (value === 'auto') return 'auto';
    if (value === true || value === 'input') return 'text';
  }
  const eol = attributes.get('eol');
  return eol === 'lf' || eol === 'crlf' ? 'text' : 'as it is';
}

const hasCrlf = (content: Uint8Array): boolean => bytesOf(content).includes('\r\n');

function withLineFeeds(content: Uint8Array): Uint8Array {
  return Buffer.from(bytesOf(content).toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
}

const bytesOf = (content: Uint8Array): Buffer =>
  Buffer.from(content.buffer, content.byteOffset, content.byteLength);

const [BACKSPACE, TAB, LINE_FEED, FORM_FEED, CARRIAGE_RETURN] = [8, 9, 10, 12, 13];
const [END_OF_FILE, ESCAPE, SPACE, DELETE] = [26, 27, 32, 127];
const PRINTABLE: ReadonlySet<number> = new Set([BACKSPACE, TAB, FORM_FEED, ESCAPE]);

/** As git tells it: a NUL, a carriage return alone, or more than one byte in 128 that no text has. */
function isBinary(content: Uint8Array): boolean {
  let [printable, others] = [0, 0];
  for (const [at, byte] of content.entries()) {
    if (byte === 0 || (byte === CARRIAGE_RETURN && content[at + 1] !== LINE_FEED)) return true;
    if (byte === CARRIAGE_RETURN || byte === LINE_FEED) continue;
    if (byte !== DELETE && (byte >= SPACE || PRINTABLE.has(byte))) printable += 1;
    else if (byte !== END_OF_FILE || at < content.byteLength - 1) others += 1;
  }
  return printable >> 7 < others;
}

export interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

interface CommitText {
  readonly message: string;
  readonly author: CommitAuthor;
  /** Milliseconds since 1970; author and committer date. */
  readonly at: number;
  /** The second parent, if it is a merge. */
  readonly mergeParent?: string | undefined;
}

interface WrittenCommit {
  readonly commit: string;
  /** Every object that the base lacks, and that therefore has to be pushed. */
  readonly created: readonly string[];
  readonly tree: string;
  /** What it changes. */
  readonly changes: readonly FileOfCommit[];
}

export interface UnpublishedCommit extends WrittenCommit {
  /** Paths that changed and are not in it. */
  readonly left: readonly string[];
  /** The commit before it caught up with the base branch, and the one of that branch whose files it has. */
  readonly late?: { readonly before: UnpublishedCommit; readonly onto: string };
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
  // A commit message cannot contain NUL.
  const message = text.message.replaceAll('\0', '').replaceAll(/\r\n?/g, '\n').trim();
  const lines = [
    `tree ${tree}`,
    `parent ${base.commit}`,
    ...(mergeParent === undefined ? [] : [`parent ${mergeParent}`]),
    `author ${person}`,
    `committer ${person}`,
    '',
    `${message}\n`,
  ];
  const commit = await objects.write({ type: 'commit', content: Buffer.from(lines.join('\n')) });
  created.add(commit);
  const committed = changes.map(({ path, mode, oid }) => ({ path, mode, oid }));
  return { commit, created: [...created], tree, changes: committed };
}

/** What becomes of one path; `null`: it is gone. */
interface TreeEdit {
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

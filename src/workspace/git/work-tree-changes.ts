// What a commit would take of the files of a workspace, and what it leaves out.
import { toLfsPointer } from '../../lib/lfs-pointer.ts';
import { AttributeRules, type Attributes } from '../files/attributes.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { leadsOut } from '../files/walk-tree.ts';
import { contentOf, isRecorded, oidOf, type Considered } from '../files/recorded-changes.ts';
import type { BaseTree } from './base-tree.ts';
import { contentIn, type WorkTree } from './work-tree.ts';

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
  { recorded, except }: Considered,
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

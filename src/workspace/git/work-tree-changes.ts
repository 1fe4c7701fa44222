import git from 'isomorphic-git';
import type { BigIntStats } from 'node:fs';
import { AS_IT_IS, conversionFor, type Conversion } from './as-committed.ts';
import { trackedIn, type BaseTree } from './base-tree.ts';
import { AttributeRules } from '../files/attributes.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { leadsOut, repositoryFinder } from '../files/leaves-repository.ts';
import { contentOf, isRecorded, type Considered } from '../files/recorded-changes.ts';
import { walkTree, type Skipped, type WalkOptions } from '../files/walk-tree.ts';

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

/** The fingerprint of each file when it was last known to equal the base. */
export type Fingerprints = Map<string, string>;

/** Of a work tree that is as its base. */
export function takeFingerprints(root: string, base: BaseTree): Fingerprints {
  const fingerprints: Fingerprints = new Map();
  for (const { path, stats } of walkWorkTree(root, base))
    if (base.files.has(path)) fingerprints.set(path, fingerprint(stats));
  return fingerprints;
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

/**
 * Compares the work tree with the base. Reads only files that do not look as they did when they were last known to equal
 * the base, as after a change of owner.
 * @param fingerprints are brought up to date
 */
export async function findChanges(
  root: string,
  base: BaseTree,
  fingerprints: Fingerprints,
  { recorded, except }: Considered,
  commits: FromCommits,
): Promise<FoundChanges> {
  const tree = new ContainedTree(root);
  const attributes = new AttributeRules(tree);
  const { looks, gone, withheld } = look(root, base, fingerprints);
  for (const path of except) for (const each of [looks, gone]) each.delete(path);
  const changes: WorkTreeChange[] = [];
  const unrecorded: string[] = [];
  const inLfs: string[] = [];
  for (const [path, now] of looks) {
    const before = base.files.get(path);
    // Not read at all: these may be a whole directory of dependencies.
    const file = before || recorded.has(path) ? await readFile(tree, path) : undefined;
    if (file === null) continue;
    if (file === undefined) unrecorded.push(path);
    else if (before?.oid === file.oid && before.mode === file.mode) fingerprints.set(path, now);
    else if (!isRecorded(recorded, path, `${file.mode} ${file.oid}`)) unrecorded.push(path);
    else if (file.mode === '120000' && leadsOut(root, path)) withheld.push(path);
    else {
      const { isInLfs, apply } = await conversionAt(path, file, attributes, commits);
      const content = apply(file.content);
      const oid = content === file.content ? file.oid : await oidOf(content);
      if (before?.oid === oid && before.mode === file.mode) continue;
      if (isInLfs && file.content.byteLength > 0 && !hasFile(base, commits, oid)) inLfs.push(path);
      else changes.push(change(tree, path, { ...file, oid, apply }, before));
    }
  }
  const repositoryOf = nestedRepositories(tree, base);
  for (const path of gone) {
    if (repositoryOf(path) !== undefined) continue;
    const deleted = { path, mode: '100644', content: null };
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

/** Links are committed as they are. */
const conversionAt = async (
  path: string,
  { mode, content }: Pick<FoundFile, 'mode' | 'content'>,
  attributes: AttributeRules,
  { read }: FromCommits,
): Promise<Conversion> =>
  mode === '120000' ? AS_IT_IS : conversionFor(attributes.of(path), content, () => read(path));

/** Whether a commit has the file already: then Git LFS has what a pointer names. */
function hasFile({ files }: BaseTree, { known }: FromCommits, oid: string): boolean {
  if (known?.has(oid) === true) return true;
  for (const file of files.values()) if (file.oid === oid) return true;
  return false;
}

/** The files that do not look as they did when they equalled the base, those that are gone, and what no commit takes. */
function look(root: string, base: BaseTree, fingerprints: Fingerprints) {
  const looks = new Map<string, string>();
  const withheld: string[] = [];
  const gone = new Set(base.files.keys());
  const listeners = {
    onRepository: (directory: string): void => void withheld.push(directory),
    onSkipped: (skipped: Skipped): void => {
      if (isWithheld(skipped, base)) withheld.push(skipped.path);
    },
  };
  for (const { path, stats } of walkWorkTree(root, base, listeners)) {
    gone.delete(path);
    const now = fingerprint(stats);
    if (fingerprints.get(path) !== now) looks.set(path, now);
  }
  return { looks, gone, withheld };
}

interface FoundFile {
  readonly mode: string;
  readonly content: Uint8Array;
  readonly oid: string;
}

/** What is at a path, and git's object id for it as it is; null if nothing is there. */
async function readFile(tree: ContainedTree, path: string): Promise<FoundFile | null> {
  const { mode, content } = tree.capture(path.split('/'));
  return content && { mode, content, oid: await oidOf(content) };
}

const oidOf = async (content: Uint8Array): Promise<string> =>
  (await git.hashBlob({ object: content })).oid;

const change = (
  tree: ContainedTree,
  path: string,
  { mode, oid, apply }: Pick<FoundFile, 'mode' | 'oid'> & Pick<Conversion, 'apply'>,
  before: unknown,
): WorkTreeChange => ({
  path,
  status: before === undefined ? 'added' : 'modified',
  mode,
  oid,
  get content() {
    const { content } = tree.capture(path.split('/'));
    return content && apply(content);
  },
});

/** The base has names that are not UTF-8 too: each commit carries them along. */
function isWithheld({ path, name, why }: Skipped, base: BaseTree): boolean {
  const directory = path.slice(0, path.lastIndexOf('/') + 1);
  return why === 'kind' || (why === 'name' && !base.undecodable.has(directory + name));
}

export function* walkWorkTree(
  root: string,
  base: BaseTree,
  { onRepository, onSkipped }: Pick<WalkOptions, 'onRepository' | 'onSkipped'> = {},
): ReturnType<typeof walkTree> {
  const listeners = {
    onRepository,
    entersRepository: (directory: string) => isBelowAny(`${directory}/.`, base.submodules),
    onSkipped: (skipped: Skipped): void => {
      // Their git directories too, so that a checkout can be undone.
      if (skipped.why === 'git' || !isBelowAny(skipped.path, base.submodules)) onSkipped?.(skipped);
    },
  };
  for (const file of walkTree(new ContainedTree(root), [], trackedIn(base), listeners))
    if (!isBelowAny(file.path, base.submodules)) yield file;
    else onSkipped?.({ ...file, name: '', why: 'submodule' });
}

export function isBelowAny(path: string, directories: ReadonlySet<string>): boolean {
  if (directories.size === 0) return false;
  for (let end = path.indexOf('/'); end !== -1; end = path.indexOf('/', end + 1))
    if (directories.has(path.slice(0, end))) return true;
  return false;
}

/** The nested repository that a file is in. The walk skips those, so such a file is not deleted. */
export function nestedRepositories(
  tree: ContainedTree,
  base: BaseTree,
): ReturnType<typeof repositoryFinder> {
  return repositoryFinder(tree, (path) => trackedIn(base)(path));
}

/** Differs after a file is written, moved, or given another mode or owner. */
export const fingerprint = ({ ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string =>
  [ino, size, mode, mtimeNs, ctimeNs].join(':');

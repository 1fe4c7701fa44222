import git from 'isomorphic-git';
import { lstatSync, type BigIntStats } from 'node:fs';
import { trackedIn, trackedPaths, type BaseTree, type CommittedFile } from './base-tree.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { leadsOut, repositoryFinder } from '../files/leaves-repository.ts';
import { contentOf, isRecorded, type Considered } from '../files/recorded-changes.ts';
import { walkTree, type Skipped, type WalkOptions } from '../files/walk-tree.ts';

/** A difference between the work tree and the base. `content` is null if the file was deleted. */
export interface WorkTreeChange {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
  readonly mode: string;
  /** Read from the work tree each time. */
  readonly content: Uint8Array | null;
  /** Git's object id for the content; null if the file was deleted. */
  readonly oid: string | null;
}

/** The fingerprint of each file when it was last known to equal the base. */
export type Fingerprints = Map<string, string>;

/** A file that was read, so that it is not read again while it looks the same. */
interface ReadFile {
  readonly looks: string;
  readonly mode: string;
  readonly oid: string | null;
}

/** What was read of the files that differ from the base, by path. */
type ReadFiles = Map<string, ReadFile>;

/** @param changed paths whose files differ from the base */
export function takeFingerprints(
  root: string,
  base: BaseTree,
  changed: ReadonlySet<string> = new Set(),
): Fingerprints {
  const fingerprints: Fingerprints = new Map();
  for (const { path, stats } of walkWorkTree(root, base))
    if (base.files.has(path) && !changed.has(path)) fingerprints.set(path, fingerprint(stats));
  return fingerprints;
}

/** Of a work tree that was just written, and that no command has seen: each path leads to its file. */
export function newFingerprints(root: string, base: BaseTree): Fingerprints {
  const fingerprints: Fingerprints = new Map();
  for (const path of base.files.keys()) {
    const stats = lstatSync(`${root}/${path}`, { bigint: true, throwIfNoEntry: false });
    if (stats !== undefined) fingerprints.set(path, fingerprint(stats));
  }
  return fingerprints;
}

/** After a commit of these files as they are; of all others, no more is known than before. */
export function noteCommitted(
  root: string,
  fingerprints: Fingerprints,
  changes: readonly CommittedFile[],
): void {
  const tree = new ContainedTree(root);
  for (const { path, oid } of changes)
    if (oid === null) fingerprints.delete(path);
    else
      tree.at(path.split('/'), (place) => {
        fingerprints.set(path, fingerprint(lstatSync(place, { bigint: true })));
      });
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
  /** All of these, and what was excepted: whatever else there is equals the base. */
  readonly differing: ReadonlySet<string>;
}

/** What an earlier look found. It is brought up to date. */
export interface KnownLooks {
  readonly fingerprints: Fingerprints;
  readonly read: ReadFiles;
}

/**
 * Compares the work tree with the base. Reads only files that do not look as they did when they were last read or known to
 * equal the base, as after a change of owner.
 * @param within paths outside of which everything equals the base; if omitted, nothing is known
 */
export async function findChanges(
  root: string,
  base: BaseTree,
  { fingerprints, read }: KnownLooks,
  { recorded, except }: Considered,
  within?: ReadonlySet<string>,
): Promise<FoundChanges> {
  const tree = new ContainedTree(root);
  const { looks, gone, withheld } = look(root, base, fingerprints, within);
  const differing = new Set([...looks.keys(), ...gone, ...withheld]);
  for (const path of except) for (const each of [looks, gone]) each.delete(path);
  const changes: WorkTreeChange[] = [];
  const unrecorded: string[] = [];
  const readOf = readingOnce(tree, read);
  for (const [path, now] of looks) {
    const before = base.files.get(path);
    // Not read at all: these may be a whole directory of dependencies.
    const file = before || recorded.has(path) ? await readOf(path, now) : undefined;
    if (file?.oid === null) continue;
    if (file === undefined) unrecorded.push(path);
    else if (before?.oid === file.oid && before.mode === file.mode) {
      fingerprints.set(path, now);
      differing.delete(path);
    } else if (!isRecorded(recorded, path, `${file.mode} ${file.oid}`)) unrecorded.push(path);
    else if (file.mode === '120000' && leadsOut(root, path)) withheld.push(path);
    else changes.push(change(tree, path, file, before === undefined ? 'added' : 'modified'));
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
    differing,
  };
}

/** The files that do not look as they did when they equalled the base, those that are gone, and what no commit takes. */
function look(
  root: string,
  base: BaseTree,
  fingerprints: Fingerprints,
  within: ReadonlySet<string> | undefined,
) {
  const looks = new Map<string, string>();
  const withheld: string[] = [];
  const known = [...(within ?? base.files.keys())];
  const gone = new Set(known.filter((path) => base.files.has(path)));
  const listeners = {
    isSought: within && trackedPaths(within),
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

/** Longer than a tick of the clock of any file system: what changed since may look the same after another change. */
const SETTLED_MS = 20;

/** Reads a file, unless it was read when it looked like this. */
function readingOnce(tree: ContainedTree, read: ReadFiles) {
  const settledBefore = BigInt(Date.now() - SETTLED_MS) * 1_000_000n;
  return async (path: string, looks: string): Promise<ReadFile> => {
    const known = read.get(path);
    if (known?.looks === looks) return known;
    const { mode, content } = tree.capture(path.split('/'));
    const oid = content && (await git.hashBlob({ object: content })).oid;
    const file = { looks, mode, oid };
    if (changedAt(looks) < settledBefore) read.set(path, file);
    else read.delete(path);
    return file;
  };
}

const change = (
  tree: ContainedTree,
  path: string,
  { mode, oid }: ReadFile,
  status: WorkTreeChange['status'],
): WorkTreeChange => ({
  path,
  status,
  mode,
  oid,
  get content() {
    return tree.capture(path.split('/')).content;
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
  {
    onRepository,
    onSkipped,
    isSought,
  }: Pick<WalkOptions, 'onRepository' | 'onSkipped' | 'isSought'> = {},
): ReturnType<typeof walkTree> {
  const listeners = {
    onRepository,
    isSought,
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

const changedAt = (looks: string): bigint => BigInt(looks.slice(looks.lastIndexOf(':') + 1));

import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, unlinkSync, type BigIntStats } from 'node:fs';
import { refuseMounts } from '../mount-points.ts';
import { trackedPaths, type BaseTree } from './base-tree.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { leadsOut, repositoryNames } from '../files/leaves-repository.ts';
import { LeftOutFiles } from './left-out.ts';
import { openToUs } from '../files/walk-tree.ts';
import { removeTreeSync } from '../remove-tree.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { fingerprint, isBelowAny, nestedRepositories, walkWorkTree } from './work-tree-changes.ts';
import type { Fingerprints } from './work-tree-changes.ts';

/** What to revert: these paths, all files of this name, or, with neither, everything that changed. */
export interface RevertRequest {
  readonly paths?: readonly string[];
  readonly name?: string;
  /** Paths that the caller writes afterwards: whatever is in their way is removed. */
  readonly rewritten: readonly string[];
}

/** How much a command may change. `bytes` is the total size of the changed files afterwards. */
export interface ChangeLimits {
  readonly files: number;
  readonly bytes: number;
}

export type DetectedChanges =
  | {
      readonly touched: readonly string[];
      readonly bytes: number;
      /** Those of them that are symbolic links and lead out of the work tree. */
      readonly leadingOut: readonly string[];
      /** Directories of nested repositories that were not there before. */
      readonly repositories: readonly string[];
      /** What has a name that is not UTF-8, and was not there before, or not so, or is gone. */
      readonly names: readonly string[];
      /** Pipes, sockets and devices that were not there before. */
      readonly special: readonly string[];
      /** What changed below submodules. */
      readonly submodules: readonly string[];
      /** Names of git's own that were not there before. */
      readonly gitNames: readonly string[];
    }
  /** A limit was exceeded. The detection stopped and the baseline is unchanged. */
  | { readonly excess: 'files' | 'bytes' };

/** Reads a file as the base commit has it. */
export type ReadBase = (path: string) => Promise<StoredChange | undefined>;

/** A file as recorded in the baseline. */
interface Seen {
  readonly looks: string;
  /** Compared first: if the sizes differ, so does the content. */
  readonly size: bigint;
  /** Git's mode and object id. */
  readonly content: string;
}

interface Found {
  readonly path: string;
  readonly stats: BigIntStats;
  readonly looks: string;
}

/** Resolution of file times: a file written twice within this time may keep the same timestamp. */
const TICK_MS = 12;

/**
 * Detects what commands change in a work tree. Nothing else may write to it meanwhile. Reads only files
 * whose fingerprint has changed; a new owner alone is not a change.
 */
export class CommandChangeDetector {
  readonly #root: string;
  #seen: ReadonlyMap<string, Seen> = new Map();
  #left = new LeftOutFiles();

  constructor(root: string) {
    this.#root = root;
  }

  /** Makes the current files the baseline. `unchanged` has the fingerprints of files equal to the base. */
  remember(base: BaseTree, unchanged: Fingerprints): void {
    const seen = new Map<string, Seen>();
    const left = new LeftOutFiles();
    for (const found of this.#walk(base, left.listeners)) {
      const { path, looks, stats } = found;
      const before = this.#seen.get(path);
      const file = unchanged.get(path) === looks ? base.files.get(path) : undefined;
      if (before?.looks === looks) seen.set(path, before);
      else if (file === undefined) seen.set(path, this.#read(found));
      else seen.set(path, { looks, size: stats.size, content: `${file.mode} ${file.oid}` });
    }
    left.keep(new ContainedTree(this.#root));
    this.#seen = seen;
    this.#left = left;
  }

  /** Returns the changed paths, sorted, and makes the current files the baseline. */
  look(base: BaseTree, limits: ChangeLimits): DetectedChanges {
    const seen = new Map<string, Seen>();
    const touched: string[] = [];
    const leadingOut: string[] = [];
    const left = new LeftOutFiles();
    let bytes = 0;
    for (const found of this.#walk(base, left.listeners)) {
      const { path, looks, stats } = found;
      const before = this.#seen.get(path);
      if (before?.looks === looks) {
        seen.set(path, before);
        continue;
      }
      const isOfSize = before?.size === stats.size;
      if (!isOfSize && bytes + Number(stats.size) > limits.bytes) return { excess: 'bytes' };
      const now = this.#read(found);
      seen.set(path, now);
      if (now.content === before?.content) continue;
      touched.push(path);
      if (stats.isSymbolicLink() && leadsOut(this.#root, path)) leadingOut.push(path);
      bytes += Number(stats.size);
      if (bytes > limits.bytes) return { excess: 'bytes' };
      if (touched.length > limits.files) return { excess: 'files' };
    }
    touched.push(...this.#gone(seen, base));
    if (touched.length > limits.files) return { excess: 'files' };
    const made = left.since(this.#left);
    left.keep(new ContainedTree(this.#root));
    this.#seen = seen;
    this.#left = left;
    return { touched: touched.toSorted(), bytes, leadingOut, ...made };
  }

  /**
   * Restores the requested files to their state in the base commit, and removes those that it does not
   * contain; without `paths` also the repositories that the baseline does not contain. The caller then
   * reapplies the changes since the base and calls `remember`.
   */
  async revert(base: BaseTree, readBase: ReadBase, request: RevertRequest): Promise<void> {
    const { paths, name, rewritten } = request;
    const tree = new ContainedTree(this.#root);
    const left = new LeftOutFiles();
    if (paths === undefined) this.#revertIgnoreFiles(base, tree);
    const onRepository = paths === undefined ? this.#removal(tree) : undefined;
    const now = new Map(
      [...this.#walk(base, { ...left.listeners, onRepository })].map(({ path, looks }) => [
        path,
        looks,
      ]),
    );
    if (paths === undefined && name === undefined) left.removeSince(this.#left, tree);
    const all = paths ?? [...new Set([...now.keys(), ...this.#seen.keys()])];
    const touched = all.filter(
      (path) =>
        (paths !== undefined || now.get(path) !== this.#seen.get(path)?.looks) &&
        (name === undefined || path.split('/').at(-1) === name),
    );
    for (const path of touched) if (now.has(path)) tree.remove(path.split('/'));
    for (const path of touched) {
      // It was deleted before the command, so do not restore it.
      if (paths === undefined && !this.#seen.has(path)) continue;
      const before = await readBase(path);
      if (before === undefined) continue;
      makeWay(tree, path.split('/'));
      tree.restore(path.split('/'), before);
    }
    for (const path of rewritten) makeWay(tree, path.split('/'));
  }

  /** Each may hide others, and itself: until none is left that the baseline does not have. */
  #revertIgnoreFiles(base: BaseTree, tree: ContainedTree): void {
    for (let isDone = false; !isDone;) {
      const now = new LeftOutFiles();
      for (const _file of this.#walk(base, now.listeners)) continue;
      isDone = !now.revertIgnoreFiles(this.#left, tree);
    }
  }

  /** Makes a directory of files out of a repository that the baseline does not contain. */
  #removal(tree: ContainedTree): (directory: string) => void {
    const wasThere = trackedPaths(this.#seen.keys());
    return (directory) => {
      if (this.#left.repositories.has(directory)) return;
      const names = directory === '.' ? [] : directory.split('/');
      for (const name of repositoryNames(tree.list(names).map((entry) => entry.name))) {
        const mark = [...names, name];
        if (!wasThere(mark.join('/'))) tree.at(mark, removeTreeSync);
      }
    };
  }

  *#walk(base: BaseTree, listeners: Parameters<typeof walkWorkTree>[2]): Generator<Found> {
    refuseMounts(this.#root);
    const tree = new ContainedTree(this.#root);
    let newest = 0n;
    for (const { path, stats: found } of walkWorkTree(this.#root, base, listeners)) {
      const stats = opened(tree, path, found);
      newest = later(newest, stats.ctimeNs);
      yield { path, stats, looks: fingerprint(stats) };
    }
    outliveTick(newest);
  }

  *#gone(seen: ReadonlyMap<string, Seen>, base: BaseTree): Generator<string> {
    const repositoryOf = nestedRepositories(new ContainedTree(this.#root), base);
    for (const path of this.#seen.keys())
      if (!seen.has(path) && !isBelowAny(path, base.submodules) && repositoryOf(path) === undefined)
        yield path;
  }

  #read({ path, stats, looks }: Found): Seen {
    const { mode, content } = new ContainedTree(this.#root).capture(path.split('/'));
    return { looks, size: stats.size, content: `${mode} ${blobName(content)}` };
  }
}

/** Git's object id of the content. */
function blobName(content: Uint8Array | null): string {
  if (content === null) return 'gone';
  return createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex');
}

/** Makes a file readable: the command may have removed our permission. */
function opened(tree: ContainedTree, path: string, stats: BigIntStats): BigIntStats {
  if (!stats.isFile() || (stats.mode & 0o600n) === 0o600n) return stats;
  return tree.at(path.split('/'), (place) => {
    chmodSync(place, Number(stats.mode & 0o777n) | 0o600);
    return lstatSync(place, { bigint: true });
  });
}

/** Removes what is at a path, and any parent of it that is not a directory; opens its parents to us. */
function makeWay(tree: ContainedTree, names: readonly string[]): void {
  for (const depth of names.keys()) {
    const here = names.slice(0, depth + 1);
    const isLast = depth === names.length - 1;
    if (!tree.exists(here)) return;
    if (tree.kind(here) !== 'directory') return tree.at(here, unlinkSync);
    tree.at(here, (place) => (isLast ? removeTreeSync(place) : openToUs(place)));
  }
}

const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** Waits until a later write is certain to get a newer timestamp than any file seen so far. */
function outliveTick(newest: bigint): void {
  const age = Date.now() - Number(newest / 1_000_000n);
  if (age < TICK_MS) Atomics.wait(SLEEPER, 0, 0, TICK_MS);
}

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

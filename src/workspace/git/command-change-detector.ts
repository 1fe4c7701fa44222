import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import type { BaseTree } from './base-tree.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { fingerprint, isBelowAny, isInsideRepository, walkWorkTree } from './work-tree-changes.ts';
import type { Fingerprints } from './work-tree-changes.ts';

/** Which paths: these, those that end in this name, or, with neither, all. */
export interface RevertRequest {
  readonly paths?: readonly string[];
  readonly name?: string;
}

/** How much a command may change: bytes of all files together that are there afterwards. */
export interface ChangeLimits {
  readonly files: number;
  readonly bytes: number;
}

export type DetectedChanges =
  | { readonly touched: readonly string[]; readonly bytes: number }
  /** The look ended there; nothing is noted. */
  | { readonly excess: 'files' | 'bytes' };

/** Reads a file as the base commit has it. */
export type ReadBase = (path: string) => Promise<StoredChange | undefined>;

/** A file as it was seen: how it looked, and what was in it. */
interface Seen {
  readonly looks: string;
  /** What has to be equal for the content to be. */
  readonly size: bigint;
  /** Git's mode and its name for the content. */
  readonly content: string;
}

interface Found {
  readonly path: string;
  readonly stats: BigIntStats;
  readonly looks: string;
}

/** A file that was written later than this long ago may be written again within one tick of its clock. */
const TICK_MS = 12;

/**
 * Sees what commands do to a work tree. Nothing else may write while it looks. Only files that look
 * another way are read: a new owner alone is no change.
 */
export class CommandChangeDetector {
  readonly #root: string;
  #seen: ReadonlyMap<string, Seen> = new Map();

  constructor(root: string) {
    this.#root = root;
  }

  /** What the files are now is how they are to be. `unchanged`: how those of the base look. */
  remember(base: BaseTree, unchanged: Fingerprints): void {
    const seen = new Map<string, Seen>();
    for (const found of this.#walk(base)) {
      const { path, looks, stats } = found;
      const before = this.#seen.get(path);
      const file = unchanged.get(path) === looks ? base.files.get(path) : undefined;
      if (before?.looks === looks) seen.set(path, before);
      else if (file === undefined) seen.set(path, this.#read(found));
      else seen.set(path, { looks, size: stats.size, content: `${file.mode} ${file.oid}` });
    }
    this.#seen = seen;
  }

  /** What is not as it was, sorted; it is to be so from now on. */
  look(base: BaseTree, limits: ChangeLimits): DetectedChanges {
    const seen = new Map<string, Seen>();
    const touched: string[] = [];
    let bytes = 0;
    for (const found of this.#walk(base)) {
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
      bytes += Number(stats.size);
      if (bytes > limits.bytes) return { excess: 'bytes' };
      if (touched.length > limits.files) return { excess: 'files' };
    }
    touched.push(...this.#gone(seen, base));
    if (touched.length > limits.files) return { excess: 'files' };
    this.#seen = seen;
    return { touched: touched.toSorted(), bytes };
  }

  /**
   * Makes `which`, or with neither all that does not look as it did, as the base has it, or away. What
   * was changed since the base is the caller's to put there again, and then to `remember`.
   */
  async revert(base: BaseTree, readBase: ReadBase, { paths, name }: RevertRequest): Promise<void> {
    const tree = new ContainedTree(this.#root);
    const now = new Map([...this.#walk(base)].map(({ path, looks }) => [path, looks]));
    const all = paths ?? [...new Set([...now.keys(), ...this.#seen.keys()])];
    const touched = all.filter(
      (path) =>
        (paths !== undefined || now.get(path) !== this.#seen.get(path)?.looks) &&
        (name === undefined || path.split('/').at(-1) === name),
    );
    for (const path of touched) if (now.has(path)) tree.remove(path.split('/'));
    for (const path of touched) {
      // What was deleted before the command is not to come back.
      if (paths === undefined && !this.#seen.has(path)) continue;
      const before = await readBase(path);
      if (before === undefined) continue;
      makeWay(tree, path.split('/'));
      tree.restore(path.split('/'), before);
    }
  }

  *#walk(base: BaseTree): Generator<Found> {
    const tree = new ContainedTree(this.#root);
    let newest = 0n;
    for (const { path, stats: found } of walkWorkTree(this.#root, base)) {
      const stats = opened(tree, path, found);
      newest = later(newest, stats.ctimeNs);
      yield { path, stats, looks: fingerprint(stats) };
    }
    outliveTick(newest);
  }

  *#gone(seen: ReadonlyMap<string, Seen>, base: BaseTree): Generator<string> {
    const tree = new ContainedTree(this.#root);
    for (const path of this.#seen.keys())
      if (!seen.has(path) && !isBelowAny(path, base.submodules) && !isInsideRepository(path, tree))
        yield path;
  }

  #read({ path, stats, looks }: Found): Seen {
    const { mode, content } = new ContainedTree(this.#root).capture(path.split('/'));
    return { looks, size: stats.size, content: `${mode} ${blobName(content)}` };
  }
}

/** As git names it. */
function blobName(content: Uint8Array | null): string {
  if (content === null) return 'gone';
  return createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex');
}

/** A command may have closed its files to us too. */
function opened(tree: ContainedTree, path: string, stats: BigIntStats): BigIntStats {
  if (!stats.isFile() || (stats.mode & 0o600n) === 0o600n) return stats;
  return tree.at(path.split('/'), (place) => {
    chmodSync(place, Number(stats.mode & 0o777n) | 0o600);
    return lstatSync(place, { bigint: true });
  });
}

/** Takes away whatever is no directory on the way to a place, and whatever stands there. */
function makeWay(tree: ContainedTree, names: readonly string[]): void {
  for (const depth of names.keys()) {
    const here = names.slice(0, depth + 1);
    const isLast = depth === names.length - 1;
    if (!tree.exists(here)) return;
    if (isLast || tree.kind(here) !== 'directory')
      tree.at(here, (place) => rmSync(place, { recursive: true, force: true }));
  }
}

const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** So that whatever is written from now on gets another time than all that was seen. */
function outliveTick(newest: bigint): void {
  const age = Date.now() - Number(newest / 1_000_000n);
  if (age < TICK_MS) Atomics.wait(SLEEPER, 0, 0, TICK_MS);
}

const later = (one: bigint, other: bigint): bigint => (one > other ? one : other);

import { unlinkSync, lstatSync, utimesSync, writeFileSync } from 'node:fs';
import { trackedPaths, type BaseTree } from './base-tree.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { repositoryNames } from '../files/leaves-repository.ts';
import { LeftOutFiles, type LeftOutState } from './left-out.ts';
import { openToUs } from '../files/walk-tree.ts';
import { removeTreeSync } from '../remove-tree.ts';
import { followedPaths, type Considered, type Recorded } from '../files/recorded-changes.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { ChangesSeen, fileAt, readSeen, seenFiles, unknown } from './seen-files.ts';
import type { LookRequest, Seen } from './seen-files.ts';
import { isBelowAny, nestedRepositories, type Fingerprints } from './work-tree-changes.ts';
import { unlessItFails } from '../../lib/unless-it-fails.ts';

/** What to revert: these paths, all files of this name, or, with neither, everything that changed. */
export interface RevertRequest {
  readonly paths?: readonly string[];
  readonly name?: string;
  /** Paths that the caller writes afterwards: whatever is in their way is removed. */
  readonly rewritten: readonly string[];
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
      /** What was there before and hidden: by .gitignore, or as part of a repository. */
      readonly uncovered: readonly string[];
    }
  /** A limit was exceeded. The detection stopped and the baseline is unchanged. */
  | { readonly excess: 'files' | 'bytes' };

/** What the next command is compared with. Plain data. */
export interface Baseline {
  readonly seen: ReadonlyMap<string, Seen>;
  readonly leftOut: LeftOutState;
}

/** Reads a file as the base commit has it. */
export type ReadBase = (path: string) => Promise<StoredChange | undefined>;

/**
 * Detects what commands change in a work tree. Nothing else may write to it meanwhile. Reads only files
 * whose fingerprint has changed; a new owner alone is not a change.
 */
export class CommandChangeDetector {
  readonly #root: string;
  readonly #clock: FileClock;
  #seen: ReadonlyMap<string, Seen>;
  #left: LeftOutFiles;

  /** @param baseline of another one, for the same work tree */
  constructor(root: string, clock: FileClock, baseline?: Baseline) {
    this.#root = root;
    this.#clock = clock;
    this.#seen = baseline?.seen ?? new Map();
    this.#left = new LeftOutFiles(baseline?.leftOut);
  }

  get baseline(): Baseline {
    return { seen: this.#seen, leftOut: this.#left.found };
  }

  /** Waits until what changes now looks different from what was seen. Returns that time. */
  tick(): bigint {
    return this.#clock.tick();
  }

  /** Makes the current files the baseline. `unchanged` has the fingerprints of files equal to the base. */
  remember(base: BaseTree, unchanged: Fingerprints, considered: Considered): void {
    const seen = new Map<string, Seen>();
    const left = new LeftOutFiles();
    const except = new Set(considered.except);
    for (const found of seenFiles(this.#root, base, left.listeners, considered.recorded)) {
      const { path, looks, size } = found;
      const before = this.#seen.get(path);
      const file = base.files.get(path);
      if (before?.looks === looks) seen.set(path, before);
      else if (file !== undefined && unchanged.get(path) === looks)
        seen.set(path, { looks, size, content: `${file.mode} ${file.oid}` });
      else if (file !== undefined || except.has(path) || considered.recorded.has(path))
        seen.set(path, readSeen(this.#root, found));
      else seen.set(path, unknown(found));
    }
    left.keep(new ContainedTree(this.#root));
    this.#seen = seen;
    this.#left = left;
  }

  /** Returns the changed paths, sorted, and makes the current files the baseline. */
  look(base: BaseTree, request: LookRequest): DetectedChanges {
    const left = new LeftOutFiles();
    const changes = new ChangesSeen(this.#root, this.#seen, request);
    for (const found of seenFiles(this.#root, base, left.listeners, request.recorded)) {
      changes.compare(found);
      if (changes.excess !== undefined) return { excess: changes.excess };
    }
    changes.note(this.#gone(changes.seen, base, request.recorded));
    changes.settle(left.mayUncoverSince(this.#left));
    if (changes.excess !== undefined) return { excess: changes.excess };
    const made = left.since(this.#left);
    left.keep(new ContainedTree(this.#root));
    this.#seen = changes.seen;
    this.#left = left;
    const { touched, bytes, leadingOut, uncovered } = changes;
    return { touched: touched.toSorted(), bytes, leadingOut, uncovered, ...made };
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
      [...seenFiles(this.#root, base, { ...left.listeners, onRepository })].map(
        ({ path, looks }) => [path, looks],
      ),
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
    if (paths !== undefined || name !== undefined) return;
    // A clone has an empty directory for each. What was in its place before the command stays.
    for (const path of base.submodules) unlessItFails(() => tree.makeDirectory(path.split('/')));
  }

  /** Each may hide others, and itself: until none is left that the baseline does not have. */
  #revertIgnoreFiles(base: BaseTree, tree: ContainedTree): void {
    for (let isDone = false; !isDone;) {
      const now = new LeftOutFiles();
      for (const _file of seenFiles(this.#root, base, now.listeners)) continue;
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

  /** What is hidden now and still there is not gone. */
  *#gone(seen: ReadonlyMap<string, Seen>, base: BaseTree, recorded: Recorded): Generator<string> {
    const tree = new ContainedTree(this.#root);
    const repositoryOf = nestedRepositories(tree, base);
    const followed = followedPaths(recorded, (path) => base.files.has(path));
    const isGone = (path: string): boolean =>
      !isBelowAny(path, base.submodules) &&
      repositoryOf(path) === undefined &&
      fileAt(tree, path) === undefined;
    for (const path of this.#seen.keys())
      if (!seen.has(path) && (followed.has(path) || isGone(path))) yield path;
  }
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

/** Of file systems whose times are finer than this. */
const TICK_MS = 50;

const SLEEPER = new Int32Array(new SharedArrayBuffer(4));

/** The clock that a file system gives its files their times by. It may lag behind that of the machine. */
export class FileClock {
  readonly #path: string;

  /** @param path of a file of its own, on that file system */
  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Waits until a change that is made now looks different from one made before. Returns a time in nanoseconds since
   * 1970: earlier changes have an earlier one, later changes have this or a later one.
   */
  tick(): bigint {
    writeFileSync(this.#path, '');
    const before = this.#now();
    let now = this.#now();
    for (let waited = 0; now === before && waited < TICK_MS; waited += 1) {
      Atomics.wait(SLEEPER, 0, 0, 1);
      now = this.#now();
    }
    return now;
  }

  #now(): bigint {
    utimesSync(this.#path, 0, 0);
    return lstatSync(this.#path, { bigint: true }).ctimeNs;
  }
}

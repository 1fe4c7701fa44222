// The files of a workspace: how they looked when their content was last known, and what differs from that.
import { unlessItFails } from '../../lib/errors.ts';
import type { StoredChange } from '../../contracts/files.ts';
import { ContainedTree } from '../files/contained-tree.ts';
import { leadsOut, repositoryNames, trackedPaths } from '../files/walk-tree.ts';
import { contentOf, followedPaths, isRecorded } from '../files/recorded-changes.ts';
import type { ConsideredChanges, RecordedPaths } from '../files/recorded-changes.ts';
import { rejectMounts, removeTreeSync } from '../remove-tree.ts';
import type { BaseTree, TrackedFile } from './base-tree.ts';
import {
  fileAt,
  IGNORE_FILE,
  isBelowAny,
  keepIgnoreFiles,
  leftOutSince,
  makeWay,
  mayUncover,
  nestedRepositories,
  nothingLeftOut,
  removeSkipped,
  revertIgnoreFiles,
  sizeIn,
  walkWorkTree,
  withheldIn,
  type Fingerprints,
  type LeftOut,
  type WalkRequest,
  type WorkTreeFile,
} from './work-tree-walk.ts';

/** How much a command may change. `bytes` is the total size of the changed files afterwards. */
export interface ChangeLimits {
  readonly files: number;
  readonly bytes: number;
}

export interface LookRequest extends ChangeLimits {
  /** When the command began, by the clock of the files. If omitted, what it uncovers counts as changed by it. */
  readonly since?: bigint | undefined;
  /** What tools and commands are known to have made: commits take it wherever it is uncovered, so it is looked at while hidden. */
  readonly recorded: RecordedPaths;
}

export type DetectedChanges =
  | (ReturnType<typeof leftOutSince> & {
      readonly touched: readonly string[];
      readonly bytes: number;
      /** Those of them that are symbolic links and lead out of the work tree. */
      readonly leadingOut: readonly string[];
      /** What was there before and hidden: by .gitignore, or as part of a repository. */
      readonly uncovered: readonly string[];
    })
  /** A limit was exceeded: the detection stopped, and the next command is compared with the same files. */
  | { readonly excess: 'files' | 'bytes' };

/** What to revert: these paths, all files of this name, or, with neither, everything that changed. */
export interface RevertRequest {
  readonly paths?: readonly string[];
  readonly name?: string;
  /** Paths that the caller writes afterwards: whatever is in their way is removed. */
  readonly rewritten: readonly string[];
}

/** What a file was when it looked so. */
interface KnownFile {
  readonly looks: string;
  /** As `contentOf` has it, or `UNKNOWN`. */
  readonly content: string;
}

/** Of a file that nothing is known to have made: it is not read, and any command that writes it changes it. */
const UNKNOWN = 'unknown';

/** Plain data. */
export interface WorkTreeState {
  readonly known: Map<string, KnownFile>;
  readonly left: LeftOut;
}

/**
 * Tells what changed since a commit, for diffs and commits, and what a command changed. Reads only files that do not look as
 * they did when their content was last known; a new owner alone is no change. Nothing else may write there meanwhile.
 */
export class WorkTree {
  readonly root: string;
  readonly #tree: ContainedTree;
  /** What the next command is compared with; the files of a commit until `remember`. */
  #state: WorkTreeState;

  /** @param state of another one for the same files */
  constructor(root: string, state?: WorkTreeState) {
    this.root = root;
    this.#tree = new ContainedTree(root);
    this.#state = state ?? { known: new Map(), left: nothingLeftOut() };
  }

  get state(): WorkTreeState {
    return this.#state;
  }

  /** Call when all files are those of a base. `looks`: how they look, if that is known. */
  isAt(base: BaseTree, looks?: Fingerprints): void {
    const all =
      looks ??
      new Map([...this.#walk(base, nothingLeftOut())].map((found) => [found.path, found.looks]));
    const known = new Map<string, KnownFile>();
    for (const [path, file] of base.files) {
      const now = all.get(path);
      if (now !== undefined) known.set(path, { looks: now, content: contentIn(file) });
    }
    this.#state = { known, left: nothingLeftOut() };
  }

  *#walk(base: BaseTree, left: LeftOut, request?: WalkRequest): Generator<WorkTreeFile> {
    rejectMounts(this.root);
    yield* walkWorkTree(this.#tree, base, left, request);
  }

  /** The files that do not look as they did when they equalled the base, those that are gone, and what no commit takes. */
  lookSince(base: BaseTree) {
    const left = nothingLeftOut();
    const differing: WorkTreeFile[] = [];
    const missing = new Set(base.files.keys());
    for (const found of this.#walk(base, left)) {
      missing.delete(found.path);
      const file = base.files.get(found.path);
      const known = this.#state.known.get(found.path);
      const isSame =
        file !== undefined && known?.looks === found.looks && known.content === contentIn(file);
      if (!isSame) differing.push(found);
    }
    const repositoryOf = nestedRepositories(this.#tree, base);
    const gone = [...missing].filter((path) => repositoryOf(path) === undefined);
    return { differing, gone, withheld: withheldIn(left, base) };
  }

  /** Reads a file, and its mode. If it is what it was before, it is not read again until it looks different. */
  read({ path, looks }: WorkTreeFile): StoredChange & { readonly id: string } {
    const file = this.#tree.capture(path.split('/'));
    const id = contentOf(file);
    const { known } = this.#state;
    if (known.get(path)?.content === id) known.set(path, { looks, content: id });
    return { ...file, id };
  }

  /** The next command is compared with the current files. */
  remember(base: BaseTree, { recorded, except }: ConsideredChanges): void {
    const known = new Map<string, KnownFile>();
    const left = nothingLeftOut();
    const excepted = new Set(except);
    const followed = followedPaths(recorded, (path) => base.files.has(path));
    for (const { path, looks } of this.#walk(base, left, { followed })) {
      const before = this.#state.known.get(path);
      const isRead = base.files.has(path) || excepted.has(path) || recorded.has(path);
      const content = isRead ? () => this.#contentAt(path) : () => UNKNOWN;
      known.set(path, before?.looks === looks ? before : { looks, content: content() });
    }
    this.#keep({ known, left });
  }

  #keep(state: WorkTreeState): void {
    keepIgnoreFiles(state.left, this.#tree);
    this.#state = state;
  }

  #contentAt(path: string): string {
    return contentOf(this.#tree.capture(path.split('/')));
  }

  /** Returns what a command changed. The next one is compared with the current files. */
  look(base: BaseTree, request: LookRequest): DetectedChanges {
    const before = this.#state;
    const now = { known: new Map<string, KnownFile>(), left: nothingLeftOut() };
    const touched = new TouchedFiles(request);
    const uncovered: string[] = [];
    try {
      const older = this.#compareAll(base, now, touched);
      const didUncover =
        mayUncover(now.left, before.left) ||
        touched.paths.some((path) => nameOf(path) === IGNORE_FILE);
      for (const file of older)
        if (!didUncover) this.#compare(file, now, touched);
        else if (this.#isUnrecorded(file, now, request)) uncovered.push(file.path);
    } catch (error) {
      if (error instanceof Excess) return { excess: error.message };
      throw error;
    }
    this.#keep(now);
    return {
      touched: touched.paths.toSorted(),
      bytes: touched.bytes,
      leadingOut: touched.leadingOut,
      uncovered,
      ...leftOutSince(now.left, before.left),
    };
  }

  /** Returns those that are new here and older than the command: it moved a directory, or uncovered them. */
  #compareAll(base: BaseTree, now: WorkTreeState, touched: TouchedFiles): readonly WorkTreeFile[] {
    const { recorded, since } = touched.request;
    const followed = followedPaths(recorded, (path) => base.files.has(path));
    const older: WorkTreeFile[] = [];
    for (const file of this.#walk(base, now.left, { followed })) {
      const was = this.#state.known.get(file.path);
      if (was?.looks === file.looks) now.known.set(file.path, was);
      else if (was === undefined && since !== undefined && file.stats.ctimeNs < since)
        older.push(file);
      else this.#compare(file, now, touched);
    }
    for (const path of this.#gone(base, now, followed)) touched.add(path, 0);
    return older;
  }

  #compare({ path, looks, stats }: WorkTreeFile, now: WorkTreeState, touched: TouchedFiles): void {
    const was = this.#state.known.get(path);
    const size = sizeIn(looks);
    // Of another size, it has other content.
    if (was === undefined || sizeIn(was.looks) !== size) touched.requireRoomFor(size);
    const content = this.#contentAt(path);
    now.known.set(path, { looks, content });
    if (content === was?.content) return;
    touched.add(path, size);
    if (stats.isSymbolicLink() && leadsOut(this.root, path)) touched.leadingOut.push(path);
  }

  /** Whether no commit takes a file that was uncovered. */
  #isUnrecorded(
    { path, looks }: WorkTreeFile,
    now: WorkTreeState,
    { recorded }: Pick<LookRequest, 'recorded'>,
  ): boolean {
    const content = recorded.has(path) ? this.#contentAt(path) : UNKNOWN;
    now.known.set(path, { looks, content });
    return !isRecorded(recorded, path, content);
  }

  /** What is hidden now and still there is not gone. */
  *#gone(base: BaseTree, now: WorkTreeState, followed: ReadonlySet<string>): Generator<string> {
    const repositoryOf = nestedRepositories(this.#tree, base);
    const isGone = (path: string): boolean =>
      !isBelowAny(path, base.submodules) &&
      repositoryOf(path) === undefined &&
      fileAt(this.#tree, path) === undefined;
    for (const path of this.#state.known.keys())
      if (!now.known.has(path) && (followed.has(path) || isGone(path))) yield path;
  }

  /**
   * Restores the requested files to their state in the base commit, and removes those that it does not
   * contain; without `paths` also the repositories that were not there before. The caller then
   * reapplies the changes since the base and calls `remember`.
   */
  async revert(
    base: BaseTree,
    readBase: (path: string) => Promise<StoredChange | undefined>,
    request: RevertRequest,
  ): Promise<void> {
    const { paths, name, rewritten } = request;
    const { known, left: before } = this.#state;
    const tree = this.#tree;
    const left = nothingLeftOut();
    if (paths === undefined) this.#revertIgnoreFiles(base);
    const onRepository = paths === undefined ? this.#removal() : undefined;
    const now = new Map(
      [...this.#walk(base, left, { onRepository })].map(({ path, looks }) => [path, looks]),
    );
    if (paths === undefined && name === undefined) removeSkipped(left, before, tree);
    const all = paths ?? [...new Set([...now.keys(), ...known.keys()])];
    const touched = all.filter(
      (path) =>
        (paths !== undefined || now.get(path) !== known.get(path)?.looks) &&
        (name === undefined || nameOf(path) === name),
    );
    for (const path of touched) if (now.has(path)) tree.remove(path.split('/'));
    for (const path of touched) {
      // It was deleted before the command, so do not restore it.
      if (paths === undefined && !known.has(path)) continue;
      const file = await readBase(path);
      if (file === undefined) continue;
      makeWay(tree, path.split('/'));
      tree.restore(path.split('/'), file);
    }
    for (const path of rewritten) makeWay(tree, path.split('/'));
    if (paths !== undefined || name !== undefined) return;
    // A clone has an empty directory for each. What was in its place before the command stays.
    for (const path of base.submodules) unlessItFails(() => tree.makeDirectory(path.split('/')));
  }

  /** Each may hide others, and itself: until none is left that was not there before. */
  #revertIgnoreFiles(base: BaseTree): void {
    for (let isDone = false; !isDone;) {
      const now = nothingLeftOut();
      for (const _file of this.#walk(base, now)) continue;
      isDone = !revertIgnoreFiles(now, this.#state.left, this.#tree);
    }
  }

  /** Makes a directory of files out of a repository that was not there before. */
  #removal(): (directory: string) => void {
    const { known, left } = this.#state;
    const tree = this.#tree;
    const wasThere = trackedPaths(known.keys());
    return (directory) => {
      if (left.repositories.has(directory)) return;
      const names = directory === '.' ? [] : directory.split('/');
      for (const name of repositoryNames(tree.list(names).map((entry) => entry.name))) {
        const mark = [...names, name];
        if (!wasThere(mark.join('/'))) tree.at(mark, removeTreeSync);
      }
    };
  }
}

/** As `contentOf` has a file of a commit. */
export const contentIn = ({ mode, oid }: TrackedFile): string => `${mode} ${oid}`;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A command changed more than it may. */
class Excess extends Error {
  declare readonly message: 'files' | 'bytes';
}

/** What a command changed, within its limits. */
class TouchedFiles {
  readonly request: LookRequest;
  readonly paths: string[] = [];
  readonly leadingOut: string[] = [];
  bytes = 0;

  constructor(request: LookRequest) {
    this.request = request;
  }

  /** @throws {Excess} */
  requireRoomFor(bytes: number): void {
    if (this.bytes + bytes > this.request.bytes) throw new Excess('bytes');
  }

  /** @throws {Excess} */
  add(path: string, bytes: number): void {
    this.requireRoomFor(bytes);
    this.bytes += bytes;
    this.paths.push(path);
    if (this.paths.length > this.request.files) throw new Excess('files');
  }
}

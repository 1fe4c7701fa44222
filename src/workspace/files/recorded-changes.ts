import { createHash } from 'node:crypto';
import { TellModel } from '../../lib/errors.ts';
import type { StoredChange, WriteResult } from '../../contracts/files.ts';
import type { FoundChange } from '../../contracts/git.ts';
import { isThereIn, type ContainedTree } from './contained-tree.ts';
import { repositoryFinder, decidesOnOthers, notIgnored } from './walk-tree.ts';
import type { LfsFiles } from './git-rules.ts';
import { IsSymbolicLink, NotPlainFile } from './open-directory.ts';
import { quotePath } from './path-policy.ts';

/**
 * What tools and commands made of files since the base commit, by path: git's mode and object id, or a word. Nothing
 * else is committed.
 */
export type RecordedPaths = ReadonlyMap<string, string>;

/** What counts as a change. */
export interface ConsideredChanges {
  /** Paths that count as unchanged. */
  readonly except: readonly string[];
  readonly recorded: RecordedPaths;
}

interface Content {
  readonly mode: string;
  readonly content: Uint8Array | null;
}

const MIB = 1024 * 1024;
/** Of all files that are changed and not committed, as they are now: a restart brings them all back. */
const MAX_BYTES = 256 * MIB;
const NO_ROOM = `The files that were changed and not committed would take more than ${MAX_BYTES / MIB} MiB. Commit what is done first, or delete files that are not needed.`;

/** Changed since the last drain: whatever is there now. */
const AS_FOUND = 'as found';
const GONE = 'gone';
/** Written, and not to be committed whatever is there. */
const DENIED = 'denied';

/** Paths that a commit takes once nothing hides them: what is there is followed while they are hidden. */
export const followedPaths = (
  recorded: RecordedPaths,
  isInBase: (path: string) => boolean,
): ReadonlySet<string> =>
  new Set(
    [...recorded].flatMap(([path, content]) => {
      const isFollowed = content === GONE ? isInBase(path) : content !== DENIED;
      return isFollowed ? [path] : [];
    }),
  );

/** Git's object id for the content of a file. */
export const oidOf = (content: Uint8Array): string =>
  createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex');

/** The content of a file as `Recorded` has it. */
export const contentOf = ({ mode, content }: Content): string =>
  content === null ? GONE : `${mode} ${oidOf(content)}`;

/** @param content as `contentOf` has it */
export const isRecorded = (recorded: RecordedPaths, path: string, content: string): boolean =>
  [content, AS_FOUND].includes(recorded.get(path) ?? '');

/** Of a file that is gone. */
export const deletedAt = (path: string): StoredChange => ({ path, mode: '100644', content: null });

interface LeftFile {
  readonly path: string;
  readonly why: string;
}

/**
 * The changes of a workspace, those that are stored and those that the next drain returns: what tools and commands made, and
 * what of it no commit includes.
 */
export class RecordedChanges {
  readonly #tree: ContainedTree;
  readonly #lfs: LfsFiles;
  readonly #isInBase: (path: string) => boolean;
  readonly #unrecorded: () => Promise<readonly string[]>;
  readonly #stored = new Map<string, string>();
  /** What a tool wrote is known; what a command changed is read by the drain. */
  readonly #pending = new Map<string, StoredChange | typeof AS_FOUND>();
  /** Paths that only commands wrote, and no call named. */
  readonly #byCommand = new Set<string>();
  /** How much is stored of each file that is not committed, and of all. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  /** Paths that commits since the base added, and their directories. */
  readonly #committed = new Set<string>();
  /** Paths that commits since the base deleted. */
  readonly #deleted = new Set<string>();
  /** What was written, and commits include as far as is known. */
  readonly #included = new Set<string>();
  /** What was uncovered before, and told. */
  #uncovered: ReadonlySet<string> = new Set();

  /**
   * @param isInBase whether the base commit contains the file or directory
   * @param unrecorded finds what commits would include and no tool or command is known to have changed
   */
  constructor(
    tree: ContainedTree,
    lfs: LfsFiles,
    isInBase: (path: string) => boolean,
    unrecorded: () => Promise<readonly string[]>,
  ) {
    this.#tree = tree;
    this.#lfs = lfs;
    this.#isInBase = isInBase;
    this.#unrecorded = unrecorded;
  }

  /** Whether git tracks the file or directory. */
  readonly isTracked = (path: string): boolean =>
    this.#committed.has(path) || (this.#isInBase(path) && !this.#deleted.has(path));

  /** Whether git or the work tree has something at the path. */
  readonly has = (names: readonly string[]): boolean =>
    this.isTracked(names.join('/')) || isThereIn(this.#tree)(names);

  readonly #isThere = (path: string): boolean => this.#tree.exists(path.split('/'));

  /** Records what a tool wrote or deleted, and what it removed elsewhere. Returns what is to be said of it. */
  async noteWritten(
    written: readonly StoredChange[],
    removed: readonly string[] = [],
  ): Promise<WriteResult> {
    for (const path of removed) this.#pending.set(path, deletedAt(path));
    for (const change of written) {
      this.#pending.set(change.path, change);
      // If a command makes a deleted file again, it is as before.
      if (change.content !== null) this.#byCommand.delete(change.path);
    }
    const paths = written.map(({ path }) => path);
    const mayHide = [...paths, ...removed].some((path) => decidesOnOthers(path.split('/')));
    const left = this.#leftOut(paths, mayHide);
    return mayHide ? { ...left, ...(await this.#newlyUncovered()) } : left;
  }

  async #newlyUncovered(): Promise<WriteResult> {
    const before = this.#uncovered;
    const now = await this.#unrecorded();
    this.#uncovered = new Set(now);
    const [first, ...others] = now.filter((path) => !before.has(path));
    if (first === undefined) return {};
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return { uncovered: `This uncovers ${quotePath(first)}${more}, ${UNCOVERED}` };
  }

  /**
   * Records paths that a command changed, which may have changed what is ignored itself. Returns what commits no longer include.
   * @param isNamed whether the command names a file
   */
  noteChanged(
    paths: readonly string[],
    isNamed: (path: string) => boolean = () => true,
  ): WriteResult {
    for (const path of paths) {
      const isGone = this.#byCommand.has(path) && !this.#isThere(path);
      const isNew = !this.isTracked(path);
      if (!isGone && isNew && !isNamed(path)) {
        // What a tool wrote before stays the tool's.
        if (!this.#stored.has(path) && !this.#pending.has(path)) this.#byCommand.add(path);
      } else if (!isGone) this.#byCommand.delete(path);
      this.#pending.set(path, AS_FOUND);
    }
    return this.#leftOut(paths.filter(this.#isThere), true);
  }

  /** A call named these files. */
  includeMade(paths: readonly string[]): void {
    for (const path of paths) if (this.#byCommand.delete(path)) this.#pending.set(path, AS_FOUND);
  }

  /** Files that git does not track, that only commands made, and that no call named. */
  madeByCommands(): readonly string[] {
    return [...this.#byCommand].filter((path) => !this.isTracked(path));
  }

  /** Whether a file that is there is one of those. */
  isMadeByCommands(path: string): boolean {
    return this.#byCommand.has(path) && !this.isTracked(path) && this.#isThere(path);
  }

  /** Records what was stored at another time: nothing is said of it now. `isDenied`: no commit takes it whatever is there. */
  noteStored(change: StoredChange, isDenied: boolean): void {
    this.#included.add(change.path);
    if (isDenied) this.#stored.set(change.path, DENIED);
    else this.#store(change);
  }

  #store(change: StoredChange): void {
    this.#stored.set(change.path, contentOf(change));
    if (change.madeByCommand) this.#byCommand.add(change.path);
    this.#count(change.path, change.content?.byteLength ?? 0);
  }

  /** Commits took these: git tracks them, and what is stored of them is not needed any more. */
  noteCommitted(files: readonly FoundChange[]): void {
    for (const { path, status } of files) {
      this.#count(path, 0);
      this.#byCommand.delete(path);
      if (status === 'deleted') {
        this.#committed.delete(path);
        this.#deleted.add(path);
      } else
        for (const { index } of path.matchAll(/\/|$/g)) this.#committed.add(path.slice(0, index));
    }
  }

  /** How many more bytes of changes can be stored before a commit. */
  get bytesLeft(): number {
    return Math.max(0, MAX_BYTES - this.#bytes);
  }

  /** @throws {TellModel} if so much in place of a file, or more if there is none, is more than can be stored */
  requireRoomFor(bytes: number, path = ''): void {
    if (bytes <= this.bytesLeft + (this.#sizes.get(path) ?? 0)) return;
    throw new TellModel(NO_ROOM);
  }

  #count(path: string, bytes: number): void {
    this.#bytes += bytes - (this.#sizes.get(path) ?? 0);
    if (bytes === 0) this.#sizes.delete(path);
    else this.#sizes.set(path, bytes);
  }

  /**
   * Returns the full state of every file changed since the last drain. Applying all drained changes in
   * order to a fresh clone of the same commit gives the same work tree.
   */
  drain(): StoredChange[] {
    const changes = [...this.#pending].map(([path, pending]) => {
      const change = pending === AS_FOUND ? this.#captured(path) : pending;
      return this.#byCommand.has(path) ? ({ ...change, madeByCommand: true } as const) : change;
    });
    this.#pending.clear();
    for (const change of changes) this.#store(change);
    return changes;
  }

  all(): RecordedPaths {
    return new Map([
      ...this.#stored,
      ...[...this.#pending.keys()].map((path) => [path, AS_FOUND] as const),
    ]);
  }

  /** If a link is on the path or a device took the file's place, the file counts as deleted. */
  #captured(path: string): StoredChange {
    try {
      return this.#tree.capture(path.split('/'));
    } catch (error) {
      if (!(error instanceof IsSymbolicLink) && !(error instanceof NotPlainFile)) throw error;
      return deletedAt(path);
    }
  }

  /** What of these paths no commit includes, and if others count, of what it included until now. */
  #leftOut(paths: readonly string[], withOthers: boolean): WriteResult {
    for (const path of paths) this.#included.delete(path);
    const others = withOthers ? [...this.#included].filter(this.#isThere) : [];
    const left = this.#leftOf([...paths, ...others]);
    for (const path of paths) this.#included.add(path);
    for (const { path } of left) this.#included.delete(path);
    const [first, ...rest] = left;
    if (first === undefined) return {};
    const more = rest.length === 0 ? '' : `, and the same is true of ${rest.length} more`;
    return { uncommitted: `No commit includes ${quotePath(first.path)}: ${first.why}${more}.` };
  }

  #leftOf(paths: readonly string[]): readonly LeftFile[] {
    const isWanted = notIgnored(this.#tree, this.isTracked);
    const repositoryOf = repositoryFinder(this.#tree, this.isTracked);
    const isInLfs = this.#lfs.leftOut();
    return paths.flatMap((path) => {
      const around = repositoryOf(path);
      if (around !== undefined)
        return [{ path, why: `it is in ${quotePath(around)}, a git repository of its own` }];
      if (!isWanted(path, false)) return [{ path, why: '.gitignore ignores it' }];
      return isInLfs(path) ? [{ path, why: IN_LFS }] : [];
    });
  }
}

const IN_LFS = '.gitattributes has Git LFS store it, which is not used here';

const UNCOVERED =
  'which commits could not include until now. They still do not: to commit it, write or rename it, or run the ' +
  'command that makes it again.';

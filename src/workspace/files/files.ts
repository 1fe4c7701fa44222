import { TellModel } from '../../lib/errors.ts';
import type { StoredChange, DirectoryEntry, Move, WriteResult } from '../../contracts/files.ts';
import { ContainedTree } from './contained-tree.ts';
import { LfsFiles } from './git-rules.ts';
import { filesBelow, moveFiles, type FileMove } from './move-files.ts';
import { assertMayChange, assertPlain, parsePath, quotePath } from './path-policy.ts';
import { explainFileErrors, NotPlainFile } from './open-directory.ts';
import { collisionOf, hintFor } from './near-twin.ts';
import { OutsideDirectories, OutsideFiles } from './outside-directories.ts';
import { deletedAt, RecordedChanges } from './recorded-changes.ts';
import { PathRules, foldPath, type PathSettings } from './repository-paths.ts';
import { isGitName, notIgnoredInside } from './walk-tree.ts';

/** The most that tools write to a file, in bytes. */
const MAX_WRITE_BYTES = 1024 * 1024;
const MAX_MOVED_FILES = 1000;

/** @throws {TellModel} for the root */
function requireName(path: string, names: string[]): string[] {
  if (names.length > 0) return names;
  throw new TellModel(
    `${quotePath(path)} is not a file. Give the path of a file, such as "src/main.ts".`,
  );
}

const IS_DIRECTORY = 'is a directory. Delete its files one by one.';
const IS_THERE = 'is already at that path: give a different new path.';
const HOLDS_NO_FILE = 'contains no files to move.';
const HOLDS_CLOSED =
  'contains files that the repository settings deny access to, so it cannot be moved as a whole. Move the files you need one by one.';

const tooManyToMove = (): TellModel =>
  new TellModel(`At most ${MAX_MOVED_FILES} files can be moved at once. Split the move.`);

const tooLargeToWrite = (path: string, size: number): TellModel =>
  new TellModel(
    `${quotePath(path)} would have ${size} bytes; at most ${MAX_WRITE_BYTES} are written to a file: split it.`,
  );

const MAX_READ_BYTES = 1024 * 1024;

/**
 * The tools' file access: limited to one directory and to the path policy, and recording what it changes.
 * Paths are relative to the root, with `/`. What is not allowed throws `TellModel`.
 */
export class WorkspaceFiles {
  readonly #tree: ContainedTree;
  readonly #rules: PathRules;
  readonly #submodules: Submodules;
  readonly #outside: OutsideFiles;
  readonly #lfs: LfsFiles;
  /** What tools and commands changed. */
  readonly changes: RecordedChanges;

  /**
   * @param isTracked whether the base commit contains the file or directory
   * @param paths the repository's path settings
   * @param submodules their paths
   * @param unrecorded finds what differs from the base commit and is not in `recorded`
   * @param outside directories of the base commit that the root does not have
   */
  constructor(
    root: string,
    isTracked: (path: string) => boolean = () => false,
    paths: PathSettings = {},
    submodules: readonly string[] = [],
    unrecorded: () => Promise<readonly string[]> = () => Promise.resolve([]),
    outside = new OutsideDirectories(),
  ) {
    this.#submodules = new Submodules(submodules);
    this.#tree = new ContainedTree(root);
    this.#lfs = new LfsFiles(this.#tree);
    this.changes = new RecordedChanges(this.#tree, this.#lfs, isTracked, unrecorded);
    this.#rules = new PathRules(paths);
    this.#outside = new OutsideFiles(outside, this.#tree, this.#rules);
  }

  async read(path: string, maxBytes = MAX_READ_BYTES): Promise<Uint8Array> {
    const names = requireName(path, this.#parse(path));
    return this.#explained(path, names, () =>
      this.#outside.has(names)
        ? this.#outside.read(names, maxBytes)
        : this.#tree.read(names, maxBytes),
    );
  }

  async write(
    path: string,
    content: Uint8Array,
  ): Promise<WriteResult & { readonly replaced: boolean }> {
    const names = this.#parseForWriting(path);
    this.#lfs.requireWritable(names, content);
    if (content.byteLength > MAX_WRITE_BYTES) throw tooLargeToWrite(path, content.byteLength);
    this.changes.requireRoomFor(content.byteLength, names.join('/'));
    const collision = collisionOf(this.#tree, this.#rules, names);
    const { replaced, ...written } = await explainFileErrors(path, () =>
      this.#tree.write(names, content),
    );
    return { replaced, ...collision, ...(await this.changes.noteWritten([written])) };
  }

  /** Deletes a file, or a link itself. */
  async delete(path: string): Promise<WriteResult> {
    const names = this.#parseForWriting(path);
    await this.#explained(path, names, () => {
      const kind = this.#tree.kind(names);
      if (kind === 'other') throw new NotPlainFile(path);
      if (kind === 'directory') throw new TellModel(`${quotePath(path)} ${IS_DIRECTORY}`);
      this.#tree.remove(names);
    });
    return this.changes.noteWritten([deletedAt(names.join('/'))]);
  }

  /** Moves files, links and whole directories, all or none; see `moveFiles`. Returns the number of files. */
  async rename(moves: readonly Move[]): Promise<WriteResult & { readonly files: number }> {
    const all: FileMove[] = [];
    for (const move of moves) {
      all.push(...(await this.#filesToMove(move)));
      if (all.length > MAX_MOVED_FILES) throw tooManyToMove();
    }
    for (const { from, to } of all) this.#lfs.requireMovable(from, to);
    const moved = await moveFiles(this.#tree, all);
    const gone = all.map(({ from }) => from.join('/'));
    return { files: all.length, ...(await this.changes.noteWritten(moved, gone)) };
  }

  async #filesToMove({ from, to }: Move): Promise<FileMove[]> {
    const start = requireName(from, this.#parse(from));
    const end = requireName(to, this.#parse(to));
    this.#outside.directories.requireWhole(start);
    const kind = await this.#explained(from, start, () => this.#tree.kind(start));
    if (start.join('/') === end.join('/')) throw new TellModel(`${quotePath(from)} ${IS_THERE}`);
    const files =
      kind === 'directory'
        ? await filesBelow(this.#tree, start, {
            isWanted: (path) => this.#isOpenIn(from, path),
            isTracked: this.changes.isTracked,
          })
        : [{ path: start.join('/') }];
    if (files.length === 0) throw new TellModel(`${quotePath(from)} ${HOLDS_NO_FILE}`);
    return files.map(({ path }) => {
      const target = [...end, ...path.split('/').slice(start.length)].join('/');
      return { from: this.#parseForWriting(path), to: this.#parseForWriting(target) };
    });
  }

  /** Sorted by name, without `.git` and paths that the settings deny. */
  async list(path: string): Promise<readonly DirectoryEntry[]> {
    const names = this.#parse(path);
    if (this.#outside.has(names))
      return this.#explained(path, names, () => this.#outside.list(names)).then(byName);
    const entries = await this.#explained(path, names, () => this.#tree.list(names));
    const isNotIgnored = notIgnoredInside(this.#tree, names.join('/'), this.changes.isTracked);
    const shown = entries
      .map((entry) => ({ ...entry, path: [...names, entry.name].join('/') }))
      .filter((entry) => !isGitName(entry.name) && !this.#rules.isDenied(entry.path))
      .map(({ path: place, ...entry }) => {
        return { ...entry, isIgnored: !isNotIgnored(place, entry.kind === 'directory') };
      });
    return byName([...shown, ...this.#outside.directoriesIn(names)]);
  }

  #isOpenIn(directory: string, path: string): boolean {
    if (!this.#rules.isDenied(path)) return true;
    throw new TellModel(`${quotePath(directory)} ${HOLDS_CLOSED}`);
  }

  /** Whether a command's change to a path may be kept: the same paths that `write` allows. */
  mayKeep(path: string): boolean {
    try {
      return this.#parseForWriting(path).join('/') === path;
    } catch (error) {
      if (error instanceof TellModel) return false;
      throw error;
    }
  }

  /** What tools were to write and did not, because Git LFS stores it. */
  get deniedByLfs(): readonly string[] {
    return this.#lfs.denied;
  }

  /**
   * Applies drained changes of an earlier process: the last one of each path. The path policy was already
   * applied when they were made.
   */
  restore(changes: readonly StoredChange[]): void {
    const last = new Map(changes.map((change) => [change.path, change]));
    // Deletions first: a file may have replaced a directory.
    const ordered = [...last.values()].toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const change of ordered) {
      this.#tree.restore(
        parsePath(change.path, () => true),
        change,
      );
      this.changes.noteStored(change, !this.mayKeep(change.path));
    }
  }

  #explained<T>(path: string, names: readonly string[], act: () => T | Promise<T>): Promise<T> {
    return explainFileErrors(path, act, () => hintFor(this.#tree, this.#rules, names));
  }

  #parse(path: string): string[] {
    const names = parsePath(path, this.changes.has);
    this.#rules.requireOpen(names);
    return names;
  }

  #parseForWriting(path: string): string[] {
    const names = requireName(path, parsePath(path, this.changes.has));
    assertMayChange(names, this.#rules.mayChangeWorkflows);
    this.#submodules.requireOutside(names);
    this.#outside.directories.requireInside(names);
    this.#rules.requireWritable(names);
    if (!this.changes.isTracked(names.join('/'))) assertPlain(names.join('/'));
    return names;
  }
}

const byName = (entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] =>
  entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));

const rankOf = ({ content }: StoredChange): number => (content === null ? 0 : 1);

/** The submodules of a repository, in any spelling of their paths. */
class Submodules {
  readonly #paths: ReadonlyMap<string, string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Map(paths.map((path) => [foldPath(path), path]));
  }

  /** @throws {TellModel} for a submodule, and all below it */
  requireOutside(names: readonly string[]): void {
    if (this.#paths.size === 0) return;
    const around = names.map((_, at) => foldPath(names.slice(0, at + 1).join('/')));
    const [submodule] = around.flatMap((path) => this.#paths.get(path) ?? []);
    if (submodule === undefined) return;
    throw new TellModel(
      `The path ${quotePath(names.join('/'))} is in the submodule ${quotePath(submodule)}, which is another repository: its files cannot be changed here. Describe the change in the pull request instead.`,
    );
  }
}

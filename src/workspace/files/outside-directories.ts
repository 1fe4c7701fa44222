import { TellModel } from '../../lib/errors.ts';
import type { EntryKind, DirectoryEntry } from '../../contracts/files.ts';
import { quotePath } from './path-policy.ts';
import { foldPath, type PathRules } from './repository-paths.ts';
import { isThereIn, type ContainedTree } from './contained-tree.ts';
import { isGitName } from './walk-tree.ts';

export type OutsideEntries = readonly { readonly name: string; readonly kind: EntryKind }[];

/** Reads what the base commit has and the work tree does not. Throws like `ContainedTree`. */
export interface OutsideReader {
  read(path: string, maxBytes: number): Promise<Uint8Array>;
  list(path: string): Promise<OutsideEntries>;
}

const NO_READER: OutsideReader = {
  read: () => Promise.reject(new Error('nothing is outside')),
  list: () => Promise.reject(new Error('nothing is outside')),
};

/** The directories of the base commit that a sparse work tree does not have. */
export class OutsideDirectories {
  readonly reader: OutsideReader;
  readonly #paths: ReadonlySet<string>;
  /** In any spelling. */
  readonly #foldPath: ReadonlySet<string>;
  /** The same of the directories that these are in: the work tree has them, or may have. */
  readonly #above: ReadonlySet<string>;

  constructor(paths: Iterable<string> = [], reader = NO_READER) {
    this.reader = reader;
    this.#paths = new Set(paths);
    const all = [...this.#paths].map(foldPath);
    this.#foldPath = new Set(all);
    this.#above = new Set(all.flatMap((path) => pathsTo(path.split('/')).slice(0, -1)));
  }

  /** Whether a path is one of them, or in one. */
  has(names: readonly string[]): boolean {
    return this.#paths.size > 0 && pathsTo(names).some((path) => this.#paths.has(path));
  }

  /** The names of those directly in a directory. */
  namesIn(names: readonly string[]): readonly string[] {
    const prefix = names.length === 0 ? '' : `${names.join('/')}/`;
    return [...this.#paths].flatMap((path) => {
      const name = path.slice(prefix.length);
      return path.startsWith(prefix) && !name.includes('/') ? [name] : [];
    });
  }

  /** Those at or below a directory, or that it is in, sorted. */
  around(names: readonly string[]): readonly string[] {
    const directory = names.join('/');
    const isAround = (path: string): boolean =>
      directory === '' || path.startsWith(`${directory}/`);
    return [...this.#paths].filter(isAround).toSorted();
  }

  /** @throws {TellModel} if a file at the path would take the place of something outside, in any spelling */
  requireInside(names: readonly string[]): void {
    if (this.#paths.size === 0) return;
    const around = pathsTo(names.map((name) => foldPath(name)));
    if (around.some((path) => this.#foldPath.has(path)))
      throw new TellModel(`The path ${quotePath(names.join('/'))} ${NOT_WRITTEN}`);
    if (this.#above.has(around.at(-1) ?? ''))
      throw new TellModel(`The path ${quotePath(names.join('/'))} ${HOLDS_MORE}`);
  }

  /** @throws {TellModel} for a directory that is not all in the work tree */
  requireWhole(names: readonly string[]): void {
    if (!this.has(names) && this.around(names).length === 0) return;
    throw new TellModel(`${quotePath(names.join('/'))} ${NOT_MOVED}`);
  }
}

const pathsTo = (names: readonly string[]): string[] =>
  names.map((_, at) => names.slice(0, at + 1).join('/'));

const NOT_WRITTEN =
  'is outside of the workspace, which has only the directories that the setting `sparse` of the repository names. ' +
  'It can be read, and not changed: describe the change in the pull request instead, or ask people.';

const HOLDS_MORE =
  'is a directory, and some of it is outside of the workspace: it has to stay one.';

const NOT_MOVED =
  'is outside of the workspace, or some of it is, so it cannot be moved. Move the files you need one by one.';

/** What the file tools see of the directories that a sparse work tree does not have. */
export class OutsideFiles {
  readonly directories: OutsideDirectories;
  readonly #tree: ContainedTree;
  readonly #rules: PathRules;

  constructor(directories: OutsideDirectories, tree: ContainedTree, rules: PathRules) {
    this.directories = directories;
    this.#tree = tree;
    this.#rules = rules;
  }

  /** Whether only the base commit has the path. A command may have made something there. */
  has(names: readonly string[]): boolean {
    return this.directories.has(names) && !isThereIn(this.#tree)(names);
  }

  read(names: readonly string[], maxBytes: number): Promise<Uint8Array> {
    return this.directories.reader.read(names.join('/'), maxBytes);
  }

  async list(names: readonly string[]): Promise<DirectoryEntry[]> {
    return this.#shown(names, await this.directories.reader.list(names.join('/')));
  }

  /** Those directly in a directory of the work tree. */
  directoriesIn(names: readonly string[]): DirectoryEntry[] {
    const found = this.directories.namesIn(names).filter((name) => this.has([...names, name]));
    const entries = found.map((name) => ({ name, kind: 'directory' as const }));
    return this.#shown(names, entries);
  }

  #shown(names: readonly string[], entries: OutsideEntries): DirectoryEntry[] {
    const isShown = (name: string): boolean =>
      !isGitName(name) && !this.#rules.isDenied([...names, name].join('/'));
    return entries
      .filter(({ name }) => isShown(name))
      .map((entry) => ({ ...entry, size: 0, isIgnored: false, isOutside: true }));
  }
}

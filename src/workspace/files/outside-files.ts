import type { DirectoryEntry } from '../../contracts/files.ts';
import { isThereIn, type ContainedTree } from './contained-tree.ts';
import { isGitName } from './leaves-repository.ts';
import type { OutsideDirectories, OutsideEntries } from './outside-directories.ts';
import type { PathRules } from './repository-paths.ts';

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

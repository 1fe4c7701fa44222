import { TellModel } from '../../lib/errors.ts';
import type { ContainedTree } from '../files/contained-tree.ts';
import { IgnoreRules } from '../files/ignore-rules.ts';
import { parsePath } from '../files/path-policy.ts';
import { PathRules } from '../files/repository-paths.ts';
import { trackedIn } from './place.ts';
import type { SearchPlace } from './place.ts';

const IGNORE_FILE = '.gitignore';
const MAX_IGNORE_FILE_BYTES = 256 * 1024;

/** Names that no rule of the policy could be about, as nearly all are: they save the time. */
const PLAIN_NAME = /^[\w@+=-][\w@+=.-]*$/;
const PLAIN_PREFIX = 256;

/**
 * What a search may see: all but what .gitignore leaves out unless it is tracked, what the policy refuses
 * to read, and what the repository's settings close.
 */
export class Visible {
  readonly #tree: ContainedTree;
  readonly #isTracked: (path: string) => boolean;
  readonly #closed: PathRules | undefined;
  readonly #withIgnoreFile = new Set<string>();
  readonly #ignored: IgnoreRules;

  constructor(tree: ContainedTree, place: SearchPlace) {
    this.#tree = tree;
    this.#isTracked = trackedIn(place);
    this.#closed = (place.paths.deny ?? []).length > 0 ? new PathRules(place.paths) : undefined;
    this.#ignored = new IgnoreRules((directory) => this.#readIgnoreFile(directory));
  }

  /** Tells of a directory and what is in it, before anything in it is asked about. */
  note(directory: string, names: readonly string[]): void {
    // Most directories have none: looking for it in each takes longer than the walk.
    if (names.includes(IGNORE_FILE)) this.#withIgnoreFile.add(directory);
  }

  /** The names in a directory that is seen itself. */
  inside(directory: string): (name: string, isDirectory: boolean) => boolean {
    const prefix = directory === '' ? '' : `${directory}/`;
    const isIgnored = this.#ignored.inside(directory);
    return (name, isDirectory) =>
      this.#isOpen(prefix, name) &&
      (!isIgnored(name, isDirectory) || this.#isTracked(prefix + name));
  }

  #isOpen(prefix: string, name: string): boolean {
    if (this.#closed?.isDenied(prefix + name) === true) return false;
    if (prefix.length <= PLAIN_PREFIX && PLAIN_NAME.test(name)) return true;
    try {
      return parsePath(prefix + name).length > 0;
    } catch (error) {
      if (error instanceof TellModel) return false;
      throw error;
    }
  }

  #readIgnoreFile(directory: string): string | undefined {
    if (!this.#withIgnoreFile.has(directory)) return undefined;
    try {
      const names = directory === '' ? [] : directory.split('/');
      const content = this.#tree.read([...names, IGNORE_FILE], MAX_IGNORE_FILE_BYTES);
      return new TextDecoder().decode(content);
    } catch {
      return undefined; // gone, or one that git would not trust either: a link, a device
    }
  }
}

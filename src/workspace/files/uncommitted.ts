import type { WriteResult } from '../../contracts/files.ts';
import type { FoundChange } from '../../contracts/git.ts';
import { isThereIn, type ContainedTree } from './contained-tree.ts';
import { repositoryFinder } from './leaves-repository.ts';
import type { LfsFiles } from './lfs-files.ts';
import { quotePath } from './path-policy.ts';
import { decidesOnOthers, notIgnored } from './walk-tree.ts';

interface Left {
  readonly path: string;
  readonly why: string;
}

/** Tells which writes no commit includes, and which earlier ones a write keeps out of commits. */
export class CommitInclusion {
  readonly #tree: ContainedTree;
  readonly #lfs: LfsFiles;
  readonly #isInBase: (path: string) => boolean;
  /** Paths that commits since the base added, and their directories. */
  readonly #committed = new Set<string>();
  /** Paths that commits since the base deleted. */
  readonly #deleted = new Set<string>();
  /** What was written, and commits include as far as is known. */
  readonly #included = new Set<string>();
  readonly #unrecorded: () => Promise<readonly string[]>;
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

  noteCommitted(files: readonly FoundChange[]): void {
    for (const { path, status } of files) {
      if (status === 'deleted') {
        this.#committed.delete(path);
        this.#deleted.add(path);
      } else
        for (const { index } of path.matchAll(/\/|$/g)) this.#committed.add(path.slice(0, index));
    }
  }

  /** Records what was written at another time: nothing is said of it now. */
  noteEarlier(path: string): void {
    this.#included.add(path);
  }

  /** Records what a tool wrote, and what it removed elsewhere. */
  async noteWritten(
    paths: readonly (readonly string[])[],
    removed: readonly (readonly string[])[] = [],
  ): Promise<WriteResult> {
    const mayHide = [...paths, ...removed].some(decidesOnOthers);
    const left = this.#look(
      paths.map((names) => names.join('/')),
      mayHide,
    );
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

  /** Records what a command changed. It may also have changed what is ignored itself. */
  noteChanged(paths: readonly string[]): WriteResult {
    return this.#look(paths.filter(this.#isThere), true);
  }

  #look(paths: readonly string[], withOthers: boolean): WriteResult {
    for (const path of paths) this.#included.delete(path);
    const others = withOthers ? [...this.#included].filter(this.#isThere) : [];
    const left = this.#leftOf([...paths, ...others]);
    for (const path of paths) this.#included.add(path);
    for (const { path } of left) this.#included.delete(path);
    return sentence(left);
  }

  readonly #isThere = (path: string): boolean => this.#tree.exists(path.split('/'));

  #leftOf(paths: readonly string[]): readonly Left[] {
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

function sentence([first, ...others]: readonly Left[]): WriteResult {
  if (first === undefined) return {};
  const more = others.length === 0 ? '' : `, and the same is true of ${others.length} more`;
  return { uncommitted: `No commit includes ${quotePath(first.path)}: ${first.why}${more}.` };
}

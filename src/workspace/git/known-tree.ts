import { decidesOnOthers } from '../files/walk-tree.ts';
import type { Considered } from '../files/recorded-changes.ts';
import type { BaseTree, CommittedFile } from './base-tree.ts';
import {
  findChanges,
  newFingerprints,
  noteCommitted,
  takeFingerprints,
} from './work-tree-changes.ts';
import type { FoundChanges, KnownLooks } from './work-tree-changes.ts';

/** Plain data. */
export interface KnownFiles extends KnownLooks {
  /** Paths outside of which the work tree has what the base has; `undefined` if a command may have changed any. */
  readonly differing: ReadonlySet<string> | undefined;
}

const nothing = (): KnownFiles => ({
  fingerprints: new Map(),
  read: new Map(),
  differing: undefined,
});

/**
 * What is known of the files of a work tree. Tools record what they change, so only after a command is the whole tree
 * looked at.
 */
export class KnownTree {
  readonly #root: string;
  #known: KnownFiles;

  /** @param known by another one, of the same work tree */
  constructor(root: string, known = nothing()) {
    this.#root = root;
    this.#known = known;
  }

  get known(): KnownFiles {
    return this.#known;
  }

  /** The work tree was made from `base` alone, and no command has run yet. */
  noteCloned(base: BaseTree, fingerprints = newFingerprints(this.#root, base)): void {
    const missing = [...base.files.keys()].filter((path) => !fingerprints.has(path));
    // Submodules have directories, and what is not whole may have files of other names.
    const isPlain = base.isWhole && base.submodules.size === 0;
    this.#known = { ...nothing(), fingerprints, differing: isPlain ? new Set(missing) : undefined };
  }

  /** The work tree was changed to the files of `base`. */
  noteMoved(base: BaseTree): void {
    this.#known = { ...nothing(), fingerprints: newFingerprints(this.#root, base) };
  }

  /** What these files are now is what the base has. Of others, no more is known than before. */
  noteCommitted(changes: readonly CommittedFile[]): void {
    noteCommitted(this.#root, this.#known.fingerprints, changes);
  }

  /** Whatever differs from the base is in `left`. */
  noteBase(base: BaseTree, left: readonly string[]): void {
    const fingerprints = takeFingerprints(this.#root, base, new Set(left));
    this.#known = { ...this.#known, fingerprints, differing: undefined };
  }

  /** A command runs now, or files are changed that nothing records. */
  noteCommand(): void {
    this.#known = { ...this.#known, differing: undefined };
  }

  async changes(base: BaseTree, considered: Considered): Promise<FoundChanges> {
    const { differing } = this.#known;
    const recorded = [...considered.recorded.keys()];
    const mayHide = recorded.some((path) => decidesOnOthers(path.split('/')));
    const within = mayHide ? undefined : differing && new Set([...differing, ...recorded]);
    const found = await findChanges(this.#root, base, this.#known, considered, within);
    const { differing: now } = found;
    // What equals the base again, or is gone, is not read again either.
    for (const path of this.#known.read.keys()) if (!now.has(path)) this.#known.read.delete(path);
    this.#known = { ...this.#known, differing: now };
    return found;
  }
}
